"""The desk of a bot's process: what it was told, and an end of the runner while it answers."""

from __future__ import annotations

import os

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.packing import Desk, Line, answer_line, pack_view
from arena.game.rules import load_rules

RULES = load_rules("base")


def test_a_desk_knows_the_events_it_was_told() -> None:
    state = State(RULES, make_deal(RULES, 1, 1))
    desk = Desk(RULES)
    for _ in range(4):
        state.apply(state.legal_moves()[0])
    seat = state.turn
    view, _, _ = desk.read(pack_view(state.view(seat), 0), 0)
    assert desk.events(0) == view.history == state.events(seat)
    assert desk.events(2) == view.history[2:]
    assert view.history


def test_it_ends_when_nobody_takes_its_answer() -> None:
    state = State(RULES, make_deal(RULES, 1, 1))
    (back, ask), (take, out) = os.pipe(), os.pipe()
    os.set_blocking(take, False)
    try:
        line = Line(ask, take)
        assert line.ask(state.view(state.turn), 0, 0.0, 0.0) == -1
        os.close(take)
        desk = Desk(RULES)
        found = answer_line(back, out, desk, lambda view, moves: moves[0], None)
        assert found == (None, 0, None)
    finally:
        for end in (back, ask, out):
            os.close(end)
