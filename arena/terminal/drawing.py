"""A table, and a game that was played, as lines of styled text. Suits differ by letter and by colour."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from arena.game.cards import COLOURS
from arena.game.engine import State, View
from arena.game.record import parse_record
from arena.game.rules import Rules
from arena.results.positions import STONES, Decision, decisions, ending_text, legend, shown_names
from arena.terminal.input import short_name
from arena.text import counted, one_line, printable
from arena.tournament.games import GameResult

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


@dataclass(frozen=True)
class Scene:
    """What is drawn: a view, its seat below and the other hand hidden, or a state, with both hands and seat 0 below.

    names    the players by seat
    changed  stones at which something happened last
    card     the card in hand that the arrow keys point at
    stone    the stone that they point at
    """

    board: State | View
    names: Sequence[str] = ("", "")
    changed: frozenset[int] = frozenset()
    card: str | None = None
    stone: int | None = None

    @property
    def seat(self) -> int:
        """The seat below."""
        return self.board.seat if isinstance(self.board, View) else 0

    def hand(self, seat: int) -> tuple[str, ...] | None:
        """Return the cards of a hand, None if they are hidden."""
        if isinstance(self.board, View):
            return self.board.hand if seat == self.board.seat else None
        return self.board.hand_of(seat)

    def is_to_move(self, seat: int) -> bool:
        """Return whether the seat is to move."""
        return not self.board.is_over and seat == self.board.to_move


def console_for() -> Console:
    """Return a console for stdout that honours NO_COLOR and TERM=dumb and does not fold lines."""
    return Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=True)


def draw_board(scene: Scene, width: int | None = None) -> Text:
    """Draw the table: 13 to 18 lines, as wide as the terminal or `width` cells, but at least 60."""
    width = max(width or shutil.get_terminal_size().columns, WIDTH)
    column = min(max((width - 4) // 9, _LEAST), _MOST)
    indent = " " * (4 if width >= 9 * _USUAL + 4 else 1)
    modes = [scene.board.modes(stone) for stone in STONES]
    depth = max(map(scene.board.capacity, STONES))
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
    board = scene.board
    decks = f"decks {_piles(board.deck_counts, board.rules)}"
    return Text(f"{one_line(board.rules.short_name)}   turn {board.turns}   {decks}", _DIM)


def _piles(counts: tuple[int, int], rules: Rules) -> str:
    clan, tactic = counts
    return f"{clan} clan" + (f", {tactic} tactic" if rules.tactics else "")


def _player(scene: Scene, seat: int, width: int) -> list[Text]:
    """Name a player and the cards face up on that side, in as many lines as they need."""
    line = Text().append(f"{_POINT[0] if scene.is_to_move(seat) else ' '} ", _LABEL)
    line.append(f"{'ab'[seat]} {short_name(scene.names[seat])}".rstrip(), _MINE if seat == scene.seat else _THEIRS)
    stones = scene.board.stones_of(seat)
    line.append(f"   {counted(stones, 'stone')}", _LABEL if stones else _DIM)
    if scene.hand(seat) is None:
        line.append(f"   hand {_piles(scene.board.hand_counts(seat), scene.board.rules)}", _DIM)
    beside = scene.board.row(seat)
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
    line, board = Text(indent), scene.board
    for stone, owner in zip(STONES, board.owners):
        side = board.side(seat, stone)
        if level < len(side):
            card = _card_text(side[level])
        elif level < board.capacity(stone) and owner == ".":
            card = Text(f" {_FREE} ", _DIM)
        else:
            card = Text()
        if len(card) > column - 1:  # a wild that is bound, where there is little room
            card.right_crop(1)
        line.append_text(card).append(" " * (column - len(card)))
    return line


def _stones(scene: Scene, indent: str, column: int) -> Text:
    line = Text(indent)
    for stone, owner in enumerate(scene.board.owners, start=1):
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
    held, pending = scene.hand(seat), scene.board.pending
    if held is None:
        return []
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


# ---------------------------------------------------------------- a game that was played


def print_game(game: GameResult) -> None:
    """Print a game as text: the board after each move."""
    record, names, made = parse_record(game.record), shown_names(game), decisions(game)
    console = console_for()
    console.print(Text(f"{legend(record.rules)}\n"))

    def show(heading: str, state: State, changed: frozenset[int] = frozenset()) -> None:
        console.print(printable(heading), style="bold")
        console.print(draw_board(Scene(state, names, changed=changed)), end="\n\n")

    starter = record.deal.starter
    name = f"{short_name(names[starter])} (seat {'ab'[starter]})" if names[starter] else f"Seat {'ab'[starter]}"
    show(f"Cards dealt. {name} starts.", State(record.rules, record.deal, record.auto_claim))
    for decision in made:
        changed = frozenset(event.stone for event in decision.events if event.stone is not None)
        show(f"Move {decision.number} of {len(made)}: {_words(decision, names)}", decision.after, changed)
    console.print(Text(ending_text(game)))


def _words(made: Decision, names: Sequence[str]) -> str:
    """Word what happened at a decision, with the number of legal moves, the thinking time and the bot's note."""

    def who(seat: int) -> str:
        return f"{'ab'[seat]} {short_name(names[seat])}".rstrip()

    events = [event.text if event.seat == made.seat else f"{who(event.seat)} {event.text}" for event in made.events]
    text = f"{who(made.seat)}: {', '.join(events) or made.move.text}"
    if len(made.legal) > 1:
        text += f"  ({len(made.legal)} legal moves{'' if made.ms is None else f', {made.ms:.2g} ms'})"
    return text if made.note is None else f"{text}  says: {made.note}"
