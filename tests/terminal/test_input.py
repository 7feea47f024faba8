"""What a person sees and may type at a decision, and what comes of it."""

from __future__ import annotations

import re

import pytest
from rich.console import Console
from rich.style import Style

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.terminal.drawing import Scene, board_text, draw_board
from arena.terminal.input import LINE_COMMANDS, DecisionInput, Left, Resigned


def desk(rules: str = "tactical", moves: int = 0) -> DecisionInput:
    state = State(load_rules(rules), make_deal(load_rules(rules), 5, 0))
    rng = Rng(5)
    for _ in range(moves):
        if state.is_over:
            break
        state.apply(rng.choice(state.legal_moves()))
    view = state.view(state.to_move)
    return DecisionInput(view, state.legal_moves(), ("ann", "bob"))


@pytest.mark.parametrize("text", ["y2@3", " Y2 @ 3 ", "y2 3", "3"])
def test_a_move_is_read_as_people_write_it(text: str) -> None:
    assert str(desk().enter(text)) == "y2@3"


def test_a_card_and_then_a_stone_is_a_move_and_can_be_taken_back() -> None:
    asked = desk()
    assert asked.enter("y2") is None
    assert asked.picked == "y2"
    assert asked.enter("undo") is None
    assert asked.picked is None
    assert asked.enter("y2") is None
    assert str(asked.enter("7")) == "y2@7"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "moves"),
        ("hnit", "did you mean 'hint'"),
        ("r9@9", "r9 is not in the hand"),
        ("claim 3", "a card must be played now"),
        ("9" * 5000, "there is no move 999999999;"),
        ("why", "why needs the number"),
        ("why 0", "no stone 0"),
        ("undo", "No card is picked"),
        ("\x1b[2J", "neither a move"),
        ("why 4", "Stone 4 is free"),
        ("log", "Nothing has happened"),
        ("cards", "r red"),
    ],
)
def test_whatever_is_no_move_is_answered(text: str, said: str) -> None:
    asked = desk()
    assert asked.enter(text) is None
    assert said in asked.notes


def test_every_command_is_answered_and_listed() -> None:
    asked = desk()
    asked.enter("help")
    listed = asked.notes
    for command in LINE_COMMANDS:
        assert command in listed
        if command not in ("quit", "resign"):
            asked.notes = ""
            assert asked.enter(command) is None
            assert asked.notes


def test_a_card_picked_and_a_stone_that_is_full() -> None:
    asked = desk("base", moves=30)
    head = next(head for head, stones in asked.heads.items() if len(stones) < 9)
    asked.enter(head)
    full = next(stone for stone in range(1, 10) if stone not in asked.heads[head])
    assert asked.enter(str(full)) is None
    assert f"cannot go to stone {full}" in asked.notes


def test_to_resign_takes_two_words() -> None:
    asked = desk()
    assert asked.enter("resign") is None
    assert asked.enter("hint") is None
    assert asked.enter("resign") is None
    with pytest.raises(Resigned):
        asked.enter("resign")
    with pytest.raises(Left):
        desk().enter("quit")


@pytest.mark.parametrize("rules", ["base", "bga-tactical"])
def test_all_moves_of_a_game_can_be_typed_and_completed(rules: str) -> None:
    for moves in range(0, 120, 7):
        asked = desk(rules, moves)
        if asked.view.is_over:
            break
        for at, move in enumerate(asked.moves, start=1):
            assert asked.enter(move.text) is move
            assert asked.enter(str(at)) is move
        for stone in range(1, 10):
            asked.enter(f"why {stone}")
            assert str(stone) in asked.notes
        asked.enter("hint")
        assert "The net would" in asked.notes


# ---------------------------------------------------------------- the drawing


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


def test_cards_alone_are_coloured_and_none_is_faint() -> None:
    """Blanks between cards had the colour of the card before, cards in the hand were dim."""
    console = Console(width=80, force_terminal=True, color_system="truecolor", _environ={})
    seen = 0
    for line in draw_board(Scene(desk("base", moves=30).view), 80).split("\n"):
        for part in line.render(console):
            style = part.style or Style()
            if part.text.strip() and style.bgcolor is not None:
                seen += 1
                assert part.text == f" {part.text.strip()} "
                assert not style.dim
            assert part.text.strip() or style.bgcolor is None
    assert seen > 10
