"""A stored game decision by decision: which were asked, and how long they took."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.game.cards import card_name
from arena.game.record import parse_record
from arena.game.rules import load_rules
from arena.results.positions import decisions, legend
from arena.tournament.games import GameResult
from arena.tournament.store.reader import Reader
from tests.tournament.runner.runs import bot, play, settings

SLEEPER = """
import time

ask_forced = {forced}

def act(view, moves):
    time.sleep(0.003 if len(moves) > 20 else 0)
    return moves[0]
"""


def test_the_legend_has_the_names_of_the_edition() -> None:
    for name in ("tactical", "ps-2004-tactical", "battle-line-tactical"):
        rules = load_rules(name)
        for token in ("*J", f"*{rules.spy_value}", "fog", "scout", "traitor"):
            assert f"{token} {card_name(token, rules.edition)}" in legend(rules)
    assert "scout" not in legend(load_rules("base"))


def games_of(folder: Path, forced: bool, **more: object) -> list[GameResult]:
    source = folder / "sleeper.py"
    source.write_text(SLEEPER.format(forced=forced))
    field = {"spec": str(source), "name": "ann", "params": {}}, bot("random", "bob")
    play(folder / "run", settings(*field, games=2, rules="tactical", **more), workers=1)
    with Reader(folder / "run") as reader:
        return list(reader.results())


@pytest.mark.process
@pytest.mark.parametrize(("forced", "isolation"), [(False, "process"), (True, "none")])
def test_times_belong_to_the_decisions_they_were_taken_of(tmp_path: Path, forced: bool, isolation: str) -> None:
    found = games_of(tmp_path, forced, isolation=isolation, clock={"move_ms": 10_000})
    seen = 0
    for game in found:
        asked = [0, 0]
        for made in decisions(game):
            bot = game.first if made.seat == parse_record(game.record).deal.starter else game.second
            asked[bot == game.second] += made.asked
            assert made.asked == (len(made.legal) > 1 or (forced and bot == "ann"))
            assert (made.ms is not None) == made.asked
            if bot == "ann" and made.ms is not None and len(made.legal) > 20:
                assert made.ms > 2.5
                seen += 1
        assert tuple(asked) == game.decisions
    assert seen > 10


@pytest.mark.process
def test_the_decision_that_failed_is_not_in_the_record(tmp_path: Path) -> None:
    source = tmp_path / "evil.py"
    source.write_text("def act(view, moves):\n    return moves[0] if len(moves) > 40 or len(moves) == 2 else None\n")
    field = {"spec": str(source), "name": "evil", "params": {}}, bot("random", "bob")
    play(tmp_path / "run", settings(*field, games=4, clock={"move_ms": 10_000}), workers=1)
    with Reader(tmp_path / "run") as reader:
        for game in reader.results():
            assert game.forfeit_by == "evil"
            made = decisions(game)
            starter = parse_record(game.record).deal.starter
            evil = starter if game.first == "evil" else 1 - starter
            own = [one for one in made if one.seat == evil]
            assert own
            assert all(one.asked == (len(one.legal) > 1) for one in made)
            assert sum(one.asked for one in own) + 1 == game.decisions[game.second == "evil"]
            assert all(one.ms is not None for one in made if one.asked)
