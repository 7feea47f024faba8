"""Nothing that a bot calls in the engine ends the process: wild values and objects without content are errors."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.game.deals import Deal, DealError, make_deal
from arena.game.engine import State, View
from arena.game.moves import MOVES, Move, moves_by_number, parse_move
from arena.game.packing import Desk, Line
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules

RULES = load_rules("tactical")
GOOD = make_deal(RULES, 1, 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_wild_values_end_no_process(seed: int, tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_bytes(bytes(4096))
    done = subprocess.run(
        [sys.executable, "-m", "tools.wild_values", str(seed), "3000", str(note)],
        capture_output=True,
        timeout=240,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert (done.returncode, note.read_bytes().strip().decode()) == (0, "done"), done.stderr[-2000:]


def test_a_state_without_a_game_says_so() -> None:
    state = State.__new__(State)
    calls: list[Any] = [state.legal_moves, state.copy, lambda: state.rollout(Rng(1)), lambda: state.view(0)]
    calls += [lambda: state.apply(parse_move("pass")), lambda: state.perft(3)]
    calls += [lambda: View.__new__(View).sample(Rng(1))]
    for call in calls:
        with pytest.raises(TypeError, match="no game"):
            call()


@pytest.mark.parametrize(
    ("clan", "tactic", "starter"),
    [
        (GOOD.clan_numbers, GOOD.tactic_numbers, 7),
        (GOOD.clan_numbers, GOOD.tactic_numbers, -1),
        (bytes([200] * 54), GOOD.tactic_numbers, 0),
        (GOOD.clan_numbers, bytes([250] * 10), 0),
        (list(GOOD.clan_numbers), GOOD.tactic_numbers, 0),
    ],
)
def test_a_deal_that_there_cannot_be(clan: Any, tactic: Any, starter: int) -> None:
    with pytest.raises(DealError):
        Deal(clan, tactic, starter)
    forged = object.__new__(Deal)
    for name, value in (("clan_numbers", clan), ("tactic_numbers", tactic), ("starter", starter)):
        object.__setattr__(forged, name, value)
    with pytest.raises(DealError):
        State(RULES, forged)


def test_a_card_twice_in_a_deck() -> None:
    twice = GOOD.clan_numbers[:-1] + GOOD.clan_numbers[:1]
    jokers = bytes([60] * 10)
    for deal in (Deal(twice, GOOD.tactic_numbers, 0), Deal(GOOD.clan_numbers, jokers, 0)):
        with pytest.raises(DealError, match="each card once"):
            State(RULES, deal)


def test_a_failed_beginning_leaves_no_game_behind() -> None:
    state = State(RULES, GOOD)
    with pytest.raises(DealError):
        state.__init__(RULES, Deal(GOOD.clan_numbers, b"", 0))  # type: ignore[misc]
    with pytest.raises(TypeError, match="no game"):
        state.legal_moves()


@pytest.mark.parametrize(("key", "value"), [("values", 200), ("hand_size", 99), ("spy", 9), ("with_tactics", 7)])
def test_rules_that_there_cannot_be(key: str, value: int) -> None:
    rules = Rules("wild", tactics=True)
    rules.numbers[key] = value
    with pytest.raises(ValueError, match="no rules"):
        State(rules, GOOD)


def test_a_move_is_made_once() -> None:
    move = parse_move("r7@3")
    with pytest.raises(TypeError, match="twice"):
        move.__init__(0, "pass", "pass", None, None, None)  # type: ignore[misc]
    for name in ("index", "text", "card", "stone"):
        with pytest.raises(AttributeError):
            setattr(move, name, 5)
    assert (move.index, move.text, move is parse_move("r7@3")) == (moves_by_number(7).index(move), "r7@3", True)
    assert str(Move.__new__(Move))


def test_the_tables_of_moves_cannot_be_exchanged() -> None:
    with pytest.raises(TypeError):
        MOVES[7] = ()  # type: ignore[index]
    with pytest.raises(ValueError, match="7 or 8"):
        moves_by_number(9)


def test_events_are_shared_and_stay_as_they_are() -> None:
    state = State(RULES, GOOD)
    state.apply(state.legal_moves()[0])
    event = state.events(0)[0]
    with pytest.raises(AttributeError):
        object.__setattr__(event, "card", "k9")
    event.__init__()  # type: ignore[misc]
    assert state.events(0)[0] == event == copy.copy(event)


def test_desks_and_lines_without_content() -> None:
    for call in (
        lambda: Desk.__new__(Desk).read(bytes(5000), 0),
        lambda: Desk(RULES).read(None, 0),  # type: ignore[arg-type]
        lambda: Line.__new__(Line).tell(State(RULES, GOOD).view(0)),
        lambda: Line(-1, -1).ask(None, 0, 0.0, 0.0),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            call()


def test_a_generator_travels() -> None:
    rng = Rng(5)
    rng.next64()
    for other in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert other.copy().next64() == rng.copy().next64()


def test_who_completed_first_is_known_after_the_claim() -> None:
    """It was None for claimed stones, against its docstring."""
    rules = load_rules("base")
    for number in range(20):
        state, rng, known = State(rules, make_deal(rules, 4, number)), Rng(number), dict[int, int | None]()
        while moves := state.legal_moves():
            state.apply(rng.choice(moves))
            for stone in range(1, 10):
                sides = [len(state.side(seat, stone)) == state.capacity(stone) for seat in (0, 1)]
                first = state.completed_first(stone)
                assert (first is None) == (not any(sides))
                if known.get(stone) is not None:
                    assert first == known[stone]
                known[stone] = first
        assert any(owner != "." for owner in state.owners)
