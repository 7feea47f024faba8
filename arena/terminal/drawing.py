"""A scene as lines of styled text, for a terminal of any width. Suits differ by letter and by colour."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence

from rich.text import Text

from arena.game.cards import COLOURS
from arena.game.engine import State
from arena.game.rules import Rules
from arena.results.positions import STONES
from arena.terminal.scene import Scene, short_name
from arena.text import counted, one_line

WIDTH = 60
"""The least width of a terminal, in columns."""
_SUITS = {
    "r": "bold white on #b3261e",
    "g": "bold white on #1b7a3d",
    "b": "bold white on #1f5fbf",
    "y": "bold black on #f2c230",
    "p": "bold white on #7b3fa0",
    "k": "bold black on #f29ec4",
}
_TACTIC = "bold black on #8fd3d3"
_MINE, _THEIRS, _DIM, _LABEL = "bold green", "bold red", "dim", "bold"
_LEAST, _USUAL, _MOST = 6, 8, 11  # widths of a stone's column; a wild with its value, *123=g1, takes 7


_FREE, _POINT = "·", ("►", "◄")


def draw_board(scene: Scene, width: int | None = None) -> Text:
    """Draw the table: 13 to 18 lines, as wide as the terminal or `width` cells, but at least 60."""
    width = max(width or shutil.get_terminal_size().columns, WIDTH)
    column = min(max((width - 4) // 9, _LEAST), _MOST)
    indent = " " * (4 if width >= 9 * _USUAL + 4 else 1)
    modes = [scene.state.modes(stone) for stone in STONES]
    depth = max(map(scene.state.capacity, STONES))
    below, above = scene.seat, 1 - scene.seat
    lines = [_heading(scene), *_player(scene, above, width), *_hand(scene, above, width)]
    lines += [_row(scene, above, level, indent, column) for level in reversed(range(depth))]
    lines.append(_stones(scene, indent, column))
    if any(modes):
        lines.append(_modes(modes, indent, column))
    lines += [_row(scene, below, level, indent, column) for level in range(depth)]
    lines += [*_player(scene, below, width), *_hand(scene, below, width)]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(lines)


def board_text(state: State, names: Sequence[str] = ("", "")) -> str:
    """Draw the table of a state as plain text, both hands open and seat 0 below. `names` are by seat."""
    drawn = draw_board(Scene(state, names), 80)
    return "\n".join(line.rstrip() for line in drawn.plain.splitlines())


def _card_text(card: str) -> Text:
    """Return a card in its colour."""
    suit = card[0] if card[0] in COLOURS and card[1:].isdigit() else card.partition("=")[2][:1]
    return Text(f" {card} ", _SUITS.get(suit, _TACTIC))


def coloured(text: str) -> Text:
    """Return text with its clan cards in their colours."""
    shown = Text(text)
    for suit, style in _SUITS.items():
        shown.highlight_regex(rf"\b{suit}(?:10|[1-9])\b", style)
    return shown


def _heading(scene: Scene) -> Text:
    state = scene.state
    decks = f"decks {_piles(state.deck_counts, state.rules)}"
    return Text(f"{one_line(state.rules.short_name)}   turn {state.turns}   {decks}", _DIM)


def _piles(counts: tuple[int, int], rules: Rules) -> str:
    clan, tactic = counts
    return f"{clan} clan" + (f", {tactic} tactic" if rules.tactics else "")


def _player(scene: Scene, seat: int, width: int) -> list[Text]:
    """Name a player and the cards face up on that side, in as many lines as they need."""
    line = Text().append(f"{_POINT[0] if scene.is_to_move(seat) else ' '} ", _LABEL)
    line.append(f"{'ab'[seat]} {short_name(scene.names[seat])}".rstrip(), _MINE if seat == scene.seat else _THEIRS)
    stones = scene.state.stones_of(seat)
    line.append(f"   {counted(stones, 'stone')}", _LABEL if stones else _DIM)
    if not scene.shows_hand(seat):
        line.append(f"   hand {_piles(scene.state.hand_counts(seat), scene.state.rules)}", _DIM)
    beside = scene.state.row(seat)
    return _filled([line.append("   beside:", _DIM) if beside else line], beside, width, 5)


def _filled(lines: list[Text], cards: Iterable[str], width: int, indent: int) -> list[Text]:
    """Append cards to the last line, and to new lines where it is full."""
    for card in cards:
        shown = _card_text(card)
        if len(lines[-1]) + 1 + len(shown) > width:
            lines.append(Text(" " * indent))
        lines[-1].append(" ").append_text(shown)
    return lines


def _row(scene: Scene, seat: int, level: int, indent: str, column: int) -> Text:
    """Draw the cards at a distance from the stones; sides grow away from them."""
    line, state = Text(indent), scene.state
    for stone, owner in zip(STONES, state.owners):
        side = state.side(seat, stone)
        if level < len(side):
            card = _card_text(side[level])
        elif level < state.capacity(stone) and owner == ".":
            card = Text(f" {_FREE} ", _DIM)
        else:
            card = Text()
        if len(card) > column - 1:  # a wild that is bound, where there is little room
            card.right_crop(1)
        line.append_text(card).append(" " * (column - len(card)))
    return line


def _stones(scene: Scene, indent: str, column: int) -> Text:
    line = Text(indent)
    for stone, owner in enumerate(scene.state.owners, start=1):
        if owner == ".":
            text, style = f"[{stone}]", _LABEL if stone in scene.changed else ""
        else:
            text, style = (f"▼{stone}▼", _MINE) if owner == "ab"[scene.seat] else (f"▲{stone}▲", _THEIRS)
        if stone == scene.stone:
            text, style = f"{_POINT[0]}{stone}{_POINT[1]}", "bold reverse"
        elif stone in scene.changed:
            style = f"{style} underline"
        line.append(text, style).append(" " * (column - len(text)))
    line.rstrip()
    return line


def _modes(modes: Iterable[tuple[str, ...]], indent: str, column: int) -> Text:
    line = Text(indent)
    for each in modes:
        text = (" ".join(each) if column > 7 else "+".join(mode[0] for mode in each))[: column - 1]
        line.append(text, _TACTIC if text else None).append(" " * (column - len(text)))
    line.rstrip()
    return line


def _hand(scene: Scene, seat: int, width: int) -> list[Text]:
    """Draw a hand that is not hidden, in several lines if it is long, then the card that a ruse has taken."""
    if not scene.shows_hand(seat):
        return []
    held, pending = scene.state.hand_of(seat), scene.state.pending
    lines = _filled([Text().append("  hand" if held else "  hand -", _DIM)], held, width, 6)
    if seat == scene.seat and scene.card in held:
        sign = f" {scene.card} "
        for line in lines:
            begin = line.plain.find(sign)
            if begin >= 0:
                line.stylize("reverse", begin, begin + len(sign))
                line.plain = line.plain[:begin] + _POINT[0] + line.plain[begin + 1 :]
                break
    if scene.is_to_move(seat) and pending is not None:
        lines[-1].append("   taken: ", _DIM).append_text(_card_text(pending))
    return lines
