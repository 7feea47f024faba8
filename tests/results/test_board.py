"""The text board, from real games of every kind of rule set."""

from __future__ import annotations

import pytest

from arena.game.cards import card_name
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import Record, deal_text, parse_record, record_text, replay_steps, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.results.positions import board_text, legend


def played(rules_name: str, number: int) -> Record:
    rules = load_rules(rules_name)
    state = State(rules, make_deal(rules, 5, number))
    rng, moves = Rng(number), []
    while not state.is_over:
        moves.append(rng.choice(state.legal_moves()))
        state.apply(moves[-1])
    return parse_record(record_text(rules, deal_text(5, number), (True, True), moves, result_text(state)))


def read_board(text: str) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """Cards above and below the stones, and the stones, back from the text."""
    lines = text.splitlines()
    middle = next(at for at, line in enumerate(lines) if line.startswith("stones"))

    begins = [lines[0].index(str(stone)) for stone in range(1, 10)]

    def cells(line: str) -> list[str]:
        return [line[begin:end].strip() for begin, end in zip(begins, [*begins[1:], None])]

    end = lines.index("", middle)
    above = [cells(line) for line in reversed(lines[1:middle])]
    below = [cells(line) for line in lines[middle + 1 : end]]
    return above, below, cells(lines[middle])


@pytest.mark.parametrize("rules", ["base", "tactical", "expert", "battle-line-tactical", "bga-tactical"])
def test_every_board_shows_all_cards_where_they_lie(rules: str) -> None:
    for number in range(3):
        record = played(rules, number)
        for state, _ in replay_steps(record):
            text = board_text(state, ("ann", "bob"))
            above, below, stones = read_board(text)
            for seat, shown in ((1, above), (0, below)):
                for stone in range(1, 10):
                    cards = [row[stone - 1] for row in shown if row[stone - 1]]
                    assert list(state.side(seat, stone)) == cards
            assert [cell.strip("[]")[0] for cell in stones] == list(state.owners)
            for stone in range(1, 10):
                modes = "".join(mode[0] for mode in state.modes(stone))
                assert stones[stone - 1].strip("[]")[1:].strip() == modes
            for seat in (0, 1):
                hand = " ".join(state.hand_of(seat)) or "-"
                assert f"hand {'ab'[seat]}: {hand}" in text


@pytest.mark.parametrize("rules", ["tactical", "ps-2004-tactical", "battle-line-tactical"])
def test_legend_has_the_names_of_the_edition(rules: str) -> None:
    loaded = load_rules(rules)
    text = legend(loaded)
    for token in ("*J", f"*{loaded.spy_value}", "fog", "scout", "traitor"):
        assert f"{token} {card_name(token, loaded.edition)}" in text
    assert "scout" not in legend(load_rules("base"))
