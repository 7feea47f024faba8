"""Draw small pictures for pages as SVG: a board, the final board of a game, the trend of a rating."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from arena.game.engine import State
from arena.game.record import parse_record, replay_steps
from arena.results.positions import is_clan

_COLUMN, _CARD = 30, 20  # of the board: the width of a stone with its cards, and the height of a card
_WIDTH, _HEIGHT = 90, 18  # of trends


@lru_cache(1000)
def final_board(record: str) -> tuple[Markup, int]:
    """Draw the final board of a game, seat a below; return it and the seat that began.

    Raise RecordError if the game does not replay.
    """
    game = parse_record(record)
    state = State(game.rules, game.deal, game.auto_claim)
    for _ in replay_steps(game, state):
        pass
    above, below = ([state.side(seat, stone) for stone in range(1, 10)] for seat in (1, 0))
    label = "Final board: {} stones above, {} below".format(*(state.owners.count(seat) for seat in "ba"))
    return board(above, below, state.owners, label), game.deal.starter


def board(above: Sequence[Sequence[str]], below: Sequence[Sequence[str]], owners: str, label: str) -> Markup:
    """Draw the sides of nine stones and their owners (`a` below, `b` above, `.`); `label` describes it in words."""
    middle = _CARD * max(3, *map(len, above)) + 4
    parts = []
    for column, owner in enumerate(owners):
        x = _COLUMN * column
        lift = {"a": 4, "b": -4}.get(owner, 0)
        stone = Markup('<g class="stone-{}"><rect x="{}" y="{}"/><text x="{}" y="{}">{}</text></g>')
        name = "none" if owner == "." else owner
        parts.append(stone.format(name, x + 2, middle + 4 + lift, x + 15, middle + 16 + lift, column + 1))
        parts += [_card(card, x, middle - 2 - _CARD * (depth + 1)) for depth, card in enumerate(above[column])]
        parts += [_card(card, x, middle + 28 + _CARD * depth) for depth, card in enumerate(below[column])]
    height = middle + 28 + _CARD * max(3, *map(len, below))
    frame = Markup('<svg class="small-board" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>')
    return frame.format(9 * _COLUMN, height, label, Markup("").join(parts))


def _card(card: str, x: float, y: float) -> Markup:
    text = card.partition("=")[0]
    suit = card[0] if is_clan(card) else "t"
    frame = Markup('<g class="c-{}{}"><rect x="{}" y="{}"/><text x="{}" y="{}">{}</text></g>')
    return frame.format(suit, " long" if len(text) > 3 else "", x + 1, y + 1, x + 15, y + 14, text)


def trend(values: Sequence[float]) -> Markup:
    """Draw a rating over time as a line with a dot at its end; return "" for fewer than two values."""
    if len(values) < 2:
        return Markup("")
    low, step = min(values), (_WIDTH - 10) / (len(values) - 1)
    scale = (_HEIGHT - 8) / max(max(values) - low, 30)  # noise of a few Elo is not a slope
    points = [(5 + step * i, _HEIGHT - 4 - scale * (value - low)) for i, value in enumerate(values)]
    line = Markup('<polyline class="line l0" points="{}"/>').format(" ".join(f"{x:.0f},{y:.1f}" for x, y in points))
    dot = Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(*points[-1])
    frame = Markup('<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{:+z.0f} Elo">{}</svg>')
    return frame.format(_WIDTH, _HEIGHT, values[-1] - values[0], line + dot)
