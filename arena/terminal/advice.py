"""Answers for a person at the table: why a claim holds, what the engine would play, what is wrong with an input."""

from __future__ import annotations

import re
from dataclasses import dataclass

from arena.errors import ArenaError, did_you_mean
from arena.game.engine import View
from arena.game.explain import PositionError, Verdict, evaluate, judge_claim, read_side
from arena.game.moves import Move, parse_move
from arena.game.rng import Rng
from arena.policy import load_net
from arena.results.formats.text import shortened
from arena.terminal.scene import Scene
from arena.text import one_line

_STONES = range(1, 10)
_HINTS = 3
_AT = re.compile(r" ?@ ?| (?=[0-9]+$)(?<!claim )(?<!why )")  # `r7 3` is as good as `r7@3`


@dataclass(frozen=True)
class Hint:
    """A move and the chance to win after it, as the packaged net judges."""

    move: Move
    chance: float


def hints(view: View, moves: list[Move]) -> list[Hint]:
    """The moves after which a win is most likely, the best first; from what this seat knows and nothing else."""
    values = load_net(view.rules).values(view, moves)
    ranked = sorted(zip(moves, values), key=lambda one: -one[1])
    return [Hint(move, value) for move, value in ranked[:_HINTS]]


def hint_text(view: View, moves: list[Move]) -> str:
    """The best moves in a line."""
    found = hints(view, moves)
    if view.phase in ("draw", "scout"):  # judged by a rule, not by a chance
        return f"The net would say {found[0].move}."
    others = ", ".join(f"{one.move} ({one.chance:.0%})" for one in found[1:])
    best = f"The net would play {found[0].move}: {found[0].chance:.0%} to win by its own judgement"
    return best + (f"; then {others}." if others else ".")


def why(scene: Scene, stone: int) -> str:
    """What stands at a stone and whether either player could claim it: the proof in words, or what refutes it."""
    if stone not in _STONES:
        raise ArenaError(f"the stones are numbered 1 to 9; there is no stone {stone}")
    lines = []
    owner = scene.owners[stone - 1]
    modes = f" ({' and '.join(scene.modes[stone - 1])})" if scene.modes[stone - 1] else ""
    if owner is not None:
        lines.append(f"Stone {stone}{modes} belongs to {_name(scene, owner)}: {_verdict(scene, stone, owner).reason}.")
    else:
        lines.append(f"Stone {stone}{modes} is free.")
        for at in (0, 1):
            verdict = _verdict(scene, stone, at)
            can = "can claim it" if verdict.holds else "cannot claim it"
            reason = verdict.reason.replace("your side", "the side")
            lines.append(f"{'You' if (name := _name(scene, at)) == 'you' else name} {can}: {reason}.")
    worth = [_worth(scene, stone, at) for at in (0, 1)]
    return "\n".join([*lines, *filter(None, worth)])


def _name(scene: Scene, at: int) -> str:
    return shortened(one_line(scene.names[at]), 24)


def _worth(scene: Scene, stone: int, at: int) -> str:
    side, modes = scene.sides[at][stone - 1], scene.modes[stone - 1]
    if len(side) != (4 if "mud" in modes else 3):
        return ""
    return f"{' '.join(side)} is worth: {evaluate(scene.rules, read_side(scene.rules, side), modes)}."


def _verdict(scene: Scene, stone: int, at: int) -> Verdict:
    rules = scene.rules
    rows = [side for sides in scene.sides for other, side in enumerate(sides, start=1) if other != stone]
    seen = [card for row in (*rows, *scene.beside) for card in row if card[0] in "rgbypk" and card[1:].isdigit()]
    sides = [read_side(rules, scene.sides[one][stone - 1]) for one in (at, 1 - at)]
    older = scene.older[stone - 1]
    first = None if older is None else "mine" if older == at else "theirs"
    try:
        return judge_claim(rules, sides[0], sides[1], seen, scene.modes[stone - 1], first)
    except PositionError as error:
        return Verdict(False, str(error))


def read_move(text: str, view: View, moves: list[Move]) -> Move:
    """The legal move of a text; ArenaError says what is wrong with another: no move at all, or why not now."""
    cleaned = _AT.sub("@", " ".join(text.split()))
    by_text = {move.text.lower(): move for move in moves}
    found = by_text.get(cleaned.lower())
    if found is not None:
        return found
    try:
        move = parse_move(cleaned.lower().replace("*j", "*J"))
    except ArenaError:
        near = did_you_mean(cleaned, by_text)
        raise ArenaError(
            f"'{cleaned[:40]}' is neither a move nor a command{near} ('moves' and 'help' list them)"
        ) from None
    state = view.sample(Rng(0))  # agrees with all that this seat knows, so the reason is the same
    try:
        state.apply(move)
    except ArenaError as error:
        raise ArenaError(str(error)) from None
    raise ArenaError(f"{move} is not one of the moves")
