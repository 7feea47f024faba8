"""What a bot prints stands in the log with game, seat and decision, wherever the bot runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from tests.tournament.runner.runs import bot, play, settings

LOUD = """
def act(view, moves):
    print("turn", view.turns, view.phase)
    breakpoint()
    return moves[0]
"""
WIRE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    answer = {"id": message["id"]}
    if message["type"] == "hello": answer["protocol"] = 3
    if message["type"] == "act":
        print("turn", message["turns"], message["phase"], file=sys.stderr)
        answer["move"] = message["moves"][0]
    print(json.dumps(answer), flush=True)
"""
LINE = re.compile(r"loud \(game (\w+/\w+/\d+), seat ([ab]), decision (\d+)\): turn (\d+) (\w+)$")


@pytest.mark.parametrize("how", ["none", "process", "wire"])
def test_a_printed_line_names_game_seat_and_decision(tmp_path: Path, how: str) -> None:
    file = tmp_path / "loud.py"
    file.write_text(WIRE if how == "wire" else LOUD)
    spec = f"cmd:{sys.executable} {file}" if how == "wire" else str(file)
    loud = {"name": "loud", "spec": spec, "params": {}}
    level = "process" if how == "process" else "none"
    play(tmp_path / "run", settings(loud, bot("first"), games=4, rules="base", isolation=level, own_deals=False))
    lines = (tmp_path / "run" / "run.log").read_text().splitlines()
    found = [LINE.search(line) for line in lines if ": turn " in line]
    assert found
    places = {}
    for one in found:
        assert one, lines[:5]
        game, seat, decision, turn, phase = one.groups()
        places[game, seat, decision] = int(turn), phase
    assert len(places) == len(found)
    for game in ("loud/first/0", "first/loud/0", "loud/first/1", "first/loud/1"):
        assert expected(game) == {key[1:]: value for key, value in places.items() if key[0] == game}
    if how != "wire":
        assert sum("breakpoint() does not stop in a run" in line for line in lines) == len(found)


def expected(text: str) -> dict[tuple[str, str], tuple[int, str]]:
    """By seat and decision, the turn and phase of each decision of `loud`."""
    starter, _, number = text.split("/")
    rules = load_rules("base")
    deal = make_deal(rules, 11, int(number))
    seat = deal.starter if starter == "loud" else 1 - deal.starter
    state, found, count = State(rules, deal), {}, 0
    while moves := state.legal_moves():
        if state.to_move == seat and len(moves) > 1:
            count += 1
            found["ab"[seat], str(count)] = (state.turns, state.phase)
        state.apply(moves[0])
    return found
