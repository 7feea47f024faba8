"""Views as bytes: what arrives is what was sent, and nothing hidden is among the bytes."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.game import packing
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.packing import Desk, events_of, pack_view
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.game.play import KINDS, view_dump


def board_of(image: bytes) -> object:
    """What a packed view says of the board, without its place in the history."""
    if packing.__file__.endswith(".py"):
        return marshal.loads(image[4:])[3]
    return image[6:]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("auto", [(True, True), (False, False)])
def test_views_arrive_as_they_were_sent(name: str, auto: tuple[bool, bool]) -> None:
    rules = load_rules(name)
    for number in range(3):
        state = State(rules, make_deal(rules, 5, number), auto)
        desks = (Desk(rules), Desk(rules))
        heard = [0, 0]
        rng = Rng(number)
        while moves := state.legal_moves():
            seat = state.to_move
            view = state.view(seat)
            image = b"!" + pack_view(view, heard[seat])
            heard[seat] = events_of(view)
            seen, choice, stop = desks[seat].read(image, 1)
            assert stop == len(image)
            assert choice == moves
            assert view_dump(seen) == view_dump(view)
            assert desks[seat].events(2) == view.history[2:]
            if not rng.below(4):
                other = seen.sample(Rng(3))
                again = other.view(seat)
                assert (again.hand, again.mine, again.theirs) == (view.hand, view.mine, view.theirs)
            state.apply(rng.choice(moves))


@pytest.mark.parametrize("name", ["iello-base", "iello-expert", "battle-line-tactical"])
def test_no_byte_tells_what_the_seat_does_not_know(name: str) -> None:
    """Two states that a seat cannot tell apart have the same bytes."""
    rules = load_rules(name)
    compared = 0
    for number in range(8):
        state = State(rules, make_deal(rules, 9, number), (False, False))
        rng = Rng(number)
        while moves := state.legal_moves():
            for seat in (0, 1):
                view = state.view(seat)
                image = pack_view(view, events_of(view))
                other = view.sample(rng).view(seat)
                assert board_of(pack_view(other, 0)) == board_of(image), (number, seat)
                compared += 1
            state.apply(rng.choice(moves))
    assert compared > 400


def test_events_that_do_not_follow_are_refused() -> None:
    rules = load_rules("base")
    state = State(rules, make_deal(rules, 1, 1))
    state.apply(state.legal_moves()[0])
    view = state.view(state.to_move)
    desk = Desk(rules)
    with pytest.raises(ValueError, match="do not follow"):
        desk.read(pack_view(view, 1), 0)
    with pytest.raises(ValueError, match="cannot have been sent"):
        pack_view(view, 99)
    assert desk.read(pack_view(view, 0), 0)[0].history == view.history


@pytest.mark.skipif(bool(os.environ.get("ARENA_PURE")), reason="is uncompiled already")
@pytest.mark.slow
def test_packing_holds_uncompiled() -> None:
    files = map(str, sorted(Path(__file__).parent.glob("test_packing*.py")))
    environment = os.environ | {"ARENA_PURE": "1"}
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    left_out = "not byte_tells and not arrive_as"
    done = subprocess.run([*command, "-k", left_out], env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
