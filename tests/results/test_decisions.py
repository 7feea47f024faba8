"""A stored game decision by decision: positions, legal moves, who was asked, and what time it took."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path

import pytest

from arena.game.cards import card_name
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import Record, deal_text, parse_record, record_text, replay_steps, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.results.positions import Position, decisions, legend
from arena.results.records import game_of
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


def random_game(rules_name: str, number: int) -> Record:
    rules = load_rules(rules_name)
    state = State(rules, make_deal(rules, 5, number))
    rng, moves = Rng(number), []
    while not state.is_over:
        moves.append(rng.choice(state.legal_moves()))
        state.apply(moves[-1])
    return parse_record(record_text(rules, deal_text(5, number), (True, True), moves, result_text(state)))


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


@pytest.mark.parametrize("rules", ["base", "battle-line-tactical"])
def test_decisions_are_those_of_a_replay(rules: str) -> None:
    record = random_game(rules, 2)
    made = decisions(game_of(str(record)))
    assert [one.move for one in made] == list(record.moves)
    assert [one.number for one in made] == list(range(1, len(made) + 1))
    for one, (state, _) in zip(made, replay_steps(record)):
        assert (one.seat, one.phase, one.turn) == (state.to_move, state.phase, state.turns)
        assert list(one.legal) == state.legal_moves()
        assert one.before == Position.of(state)
        assert one.before.hands == (state.hand_of(0), state.hand_of(1))
        assert one.asked == (len(one.legal) > 1)
        assert one.ms is None
    for one, following in pairwise(made):
        assert one.after == following.before
    assert made[-1].after.outcome is not None
    assert made[0].turn == 1


def test_a_decision_stays_as_it_is() -> None:
    made = decisions(game_of(str(random_game("tactical", 1))))[10]
    before = made.before
    state = made.state()
    state.apply(made.move)
    assert Position.of(state) == made.after == Position.of(made.state_after())
    assert Position.of(made.state()) == before != made.after
    with pytest.raises(FrozenInstanceError):
        made.turn = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        before.turn = 3  # type: ignore[misc]


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
