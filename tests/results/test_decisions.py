"""A stored game decision by decision, and what is counted from its record by the literal engine's account."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.game.cards import card_name
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, parse_record, record_text, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.policy import load_net
from arena.results.decisions import plays
from arena.results.positions import decisions, legend
from arena.tournament.games import GameResult
from arena.tournament.store.reader import Reader
from tests.oracle import Options, Oracle
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


# ---------------------------------------------------------------- tactic cards


@pytest.mark.parametrize("name", ["iello-base", "battle-line-base", "bga-tactical", "battle-line-expert"])
def test_plays_are_those_of_the_literal_engine(name: str) -> None:
    rules, net = load_rules(name), load_net(name)
    found = 0
    for number in range(6):
        deal, auto = make_deal(rules, 11, number), (number % 3 > 0, number % 2 == 0)
        state, rng, moves = State(rules, deal, auto), Rng(number), []
        tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
        literal = Oracle(Options.like(rules), deal.clan, tactic, deal.starter, auto)
        while legal := state.legal_moves():
            move = net.choose(state, legal) if number % 2 else rng.choice(legal)
            moves.append(move)
            state.apply(move)
            literal.apply(str(move))
        record = record_text(rules, deal_text(11, number), auto, moves, result_text(state))
        order = (deal.starter, 1 - deal.starter)
        sides = [side for side, _ in plays(record)]
        assert [sides.count(0), sides.count(1)] == [literal.played_tactics[seat] for seat in order]
        found += len(sides)
    assert (found > 10) == rules.tactics
