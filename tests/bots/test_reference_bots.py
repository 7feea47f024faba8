"""The bots that come along play every rule set without a fault, repeatably, and as well as they claim.

Those of docs/bots.md play as well; tests/test_docs.py follows the page.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena import paths
from arena.bots.spec import find_bot
from arena.game.rules import preset_names
from arena.tournament.games import PairTask
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
