"""The bots that come along play every rule set without a fault, repeatably, and as well as they claim.

Those of docs/bots.md play as well; tests/test_docs.py follows the page.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from arena import paths
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.rng import Rng
from arena.game.rules import load_rules, preset_names
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from bots.barca import Barca
from bots.planner import Planner
from bots.tactician import Tactician
from bots.uct import Uct
from tests.game.play import go, set_up
from tests.tournament.referee.games import detail, forfeit, play, referee, timeless

BOTS = [
    *("random", "first", "greedy", "counter", "search:rollouts=10", "scripted", "scripted:otherwise=last", "odds"),
    *("net", "champion:nodes=60", "formations", "ismcts:nodes=10", "barca", "tactician", "planner"),
    "uct:rollouts=40,samples=2",
]
# the others are slow tests
QUICK_RULES = ("iello-expert", "battle-line-tactical")
SLOW = ("barca", "formations", "planner", "tactician")
SLOW_RULES = (*QUICK_RULES, "ps-2004-base")


@pytest.mark.parametrize(
    ("bot", "rules"),
    [
        pytest.param(bot, rules, marks=() if bot not in SLOW and rules in QUICK_RULES else pytest.mark.slow)
        for bot in BOTS
        for rules in (SLOW_RULES if bot in SLOW else preset_names())
    ],
)
def test_no_bot_forfeits_under_any_rules(bot: str, rules: str) -> None:
    for row in play(referee(bot, "random", rules), range(1)):
        assert forfeit(row) == (None, None), detail(row)


@pytest.mark.parametrize("bot", [pytest.param(bot, marks=pytest.mark.slow if bot in SLOW else ()) for bot in BOTS])
def test_games_repeat(bot: str) -> None:
    task = PairTask(0, 1, "a", "b", games=(0,) if bot in SLOW else (0, 1))
    once = timeless(referee(bot, "random", "tactical").play_unit(task))
    again = referee(bot, "random", "tactical")
    if bot not in SLOW:
        play(again, [0])
    assert timeless(again.play_unit(task)) == once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "pairs", "least"),
    [
        ("greedy", "random", 20, 0.9),
        ("formations", "greedy", 20, 0.5),
        ("counter", "greedy", 10, 0.6),
        ("barca", "greedy", 4, 0.6),
        ("tactician", "greedy", 5, 0.55),
        ("planner", "random", 2, 0.9),
        ("uct:rollouts=200", "random", 5, 0.6),
        ("search:rollouts=200", "random", 10, 0.9),
        ("odds", "greedy", 30, 0.75),
        ("net", "odds", 150, 0.52),
    ],
)
def test_strength(a: str, b: str, pairs: int, least: float) -> None:
    rows = play(referee(a, b), range(pairs))
    assert sum(row.score if not row.id & 1 else 2 - row.score for row in rows) / 4 / pairs > least


def test_bots_with_nets_are_known_by_their_weights_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored run must not go on with other weights."""
    before = {name: find_bot(name).source_hash for name in ("net", "champion", "odds", "counter")}
    folder = tmp_path / "weights"
    shutil.copytree(paths.WEIGHTS_FOLDER, folder)
    monkeypatch.setattr(paths, "WEIGHTS_FOLDER", folder)
    assert {name: find_bot(name).source_hash for name in before} == before
    (folder / "base.bin").write_bytes((folder / "tactical.bin").read_bytes())
    after = {name: find_bot(name).source_hash for name in before}
    assert [name for name in before if before[name] != after[name]] == ["net", "champion"]


@pytest.mark.parametrize("bot", [Barca(), Planner(), Tactician()])
def test_the_card_that_completes_a_colour_run_is_played(bot: Barca | Planner | Tactician) -> None:
    state = go(set_up("base", "r7 r8 r9 k1 k3 g5", "b1 b3 b6 y2 y4 p6"), "r7@4,b1@4,r8@4,b3@4")
    assert str(bot.act(state.view(0, Rng(1)), state.legal_moves())) == "r9@4"


@pytest.mark.parametrize(
    ("tactic", "side", "rivals", "defence"),
    [("deserter", "r1 r2 r3", "g7 g8 g9", "deserter"), ("fog", "b8 y9 k7", "g1 g2 g3", "fog@1")],
)
def test_a_tactic_card_is_kept_until_a_stone_is_lost(tactic: str, side: str, rivals: str, defence: str) -> None:
    x, y, z = side.split()
    g, h, last = rivals.split()
    deck = "y6 p9 y5 p8 y4 p7"
    state = set_up("expert", f"{side} r4 r5 r6", f"{rivals} p1 p2 p3", deck=deck, tactic=tactic)
    state = go(state, f"{x}@1,draw tactic,{g}@1,draw clan,{y}@1,draw clan,{h}@1,draw clan,{z}@1,draw clan")
    kept, lost = go(state.copy(), "p1@9,draw clan"), go(state, f"{last}@1,draw clan")
    assert lost.owners == kept.owners == "........."  # in expert it is claimed at the start of the next turn
    bot = Tactician()
    assert bot.act(kept.view(0, Rng(1)), kept.legal_moves()).kind == "place"
    assert str(bot.act(lost.view(0, Rng(1)), lost.legal_moves())) == defence
    if defence == "deserter":
        go(lost, defence)
        assert str(bot.act(lost.view(0, Rng(1)), lost.legal_moves())) in ("take g7@1", "take g8@1", "take g9@1")


def test_uct_takes_the_move_that_wins_at_once() -> None:
    state = go(set_up("base", "r7 r8 r9 k7 k8 k9", "g1 g2 b1 b2 y1 y2", deck="p7 g4 p8 b4 p9 y4"), "r7@1,g1@9")
    state = go(state, "r8@1,b1@9,r9@1,y1@9,k7@2,g2@8,k8@2,b2@8,k9@2,y2@8,p7@3,g4@7,p8@3,b4@7")
    assert state.owners == "aa......."
    moves = state.legal_moves()
    assert str(Uct(rollouts=3000, samples=3).act(state.view(0, Rng(1)), moves)) == "p9@3"
    with pytest.raises(ValueError, match="at least 1"):
        Uct(samples=0)


PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
FILES = dict(re.findall(r'```python title="(bots/[^"]+)"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rules", ["base", "expert"])
def test_bots_of_the_page_play(name: str, rules: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(FILES[name])
    bots = [load_bot(find_bot(f"a={path}")), load_bot(find_bot("b=random"))]
    table = Referee(GameSettings(load_rules(rules), 1), map(Player.of, bots))
    assert len(FILES) == 2
    for row in table.play_unit(PairTask(0, 0, "a", "b")):
        assert forfeit(row) == (None, None), detail(row)
