"""The drawing of a table, from real games of every kind of rule set."""

from __future__ import annotations

import re

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.terminal.drawing import board_text

STONE = re.compile(r"\[\d\]|▼\d▼|▲\d▲")


def read_board(text: str) -> tuple[list[list[str]], list[list[str]], str]:
    """Cards above and below the stones, nearest first, and the owners, back from the text."""
    lines = text.splitlines()
    middle = next(at for at, line in enumerate(lines) if len(STONE.findall(line)) == 9)
    signs = list(STONE.finditer(lines[middle]))
    begins = [sign.start() for sign in signs]

    def sides(rows: list[str]) -> list[list[str]]:
        cells = [[row[begin:end].strip(" ·") for row in rows] for begin, end in zip(begins, [*begins[1:], None])]
        return [[cell for cell in column if cell] for column in cells]

    last = next(at for at, line in enumerate(lines) if re.match(r". a ann", line))
    first = next(at for at, line in enumerate(lines) if line.startswith("  hand"))
    while re.match(r" {7,8}\S", lines[first + 1]):  # a long hand
        first += 1
    below = [row for row in lines[middle + 1 : last] if not re.search(r"fog|mud", row)]
    owners = "".join({"[": ".", "▼": "a", "▲": "b"}[sign[0][0]] for sign in signs)
    return sides(lines[first + 1 : middle][::-1]), sides(below), owners


@pytest.mark.parametrize("rules", ["base", "battle-line-tactical", "bga-tactical"])
def test_every_board_shows_all_cards_where_they_lie(rules: str) -> None:
    loaded = load_rules(rules)
    for number in range(2):
        state, rng = State(loaded, make_deal(loaded, 5, number)), Rng(number)
        while not state.is_over:
            text = board_text(state, ("ann", "bob"))
            above, below, owners = read_board(text)
            assert owners == state.owners
            for seat, shown in ((1, above), (0, below)):
                for stone in range(1, 10):
                    cards = [card[:7] for card in state.side(seat, stone)]
                    assert [card[:7] for card in shown[stone - 1]] == cards, text
            assert text.count("hand") == 2
            state.apply(rng.choice(state.legal_moves()))
