"""Are two plays of one game the same? The first decision that differs, with its position."""

from __future__ import annotations

from dataclasses import dataclass

from arena.game.engine import State, View
from arena.game.record import parse_record
from arena.league.check.sessions import ITSELF, CheckSettings
from arena.tournament.match.results import GameResult


@dataclass(frozen=True)
class Divergence:
    """The first decision that differs between two plays of a game: `before` and `after` are its moves (or the
    results)."""

    rules: str
    game: str
    decision: int
    before: str
    after: str
    position: tuple[str, ...]
    record: str


def game_text(settings: CheckSettings, game: GameResult) -> str:
    """A game in words."""
    who = "itself" if game.id.pairing == ITSELF else settings.opponent(game.id.pairing)
    starts = "it moves first" if game.id.game == 0 else "the other moves first"
    return f"deal {game.id.deal} against {who}, {starts}"


def divergence(settings: CheckSettings, rules: str, before: GameResult, after: GameResult) -> Divergence | None:
    """What differs first between two plays of a game, None if nothing does."""
    if before.record == after.record:
        return None
    one, two = parse_record(before.record), parse_record(after.record)
    state = State(one.rules, one.deal, one.auto_claim)
    at = 0
    if one.auto_claim == two.auto_claim:
        while at < min(len(one.moves), len(two.moves)) and one.moves[at] is two.moves[at]:
            state.apply(one.moves[at])
            at += 1
    was, now = (str(found.moves[at]) if at < len(found.moves) else f"the end ({found.result})" for found in (one, two))
    where = position_lines(state.view(state.turn)) if state.outcome is None else ()
    return Divergence(rules, game_text(settings, before), at + 1, was, now, where, before.record)


def position_lines(view: View) -> tuple[str, ...]:
    """A position as its seat sees it, in a few lines."""
    lines = [f"turn {view.turns}, to decide: {view.phase}, hand: {' '.join(view.hand) or 'empty'}"]
    sides = []
    for stone, (mine, theirs, owner) in enumerate(zip(view.mine, view.theirs, view.owners), start=1):
        if mine or theirs or owner != ".":
            mark = "" if owner == "." else " (own)" if "ab"[view.seat] == owner else " (lost)"
            modes = f" {'+'.join(view.modes(stone))}" if view.modes(stone) else ""
            sides.append(f"{stone}{modes}: {' '.join(mine) or '-'} / {' '.join(theirs) or '-'}{mark}")
    for at in range(0, len(sides), 5):
        lines.append(("stones, own / theirs:  " if at == 0 else "    ") + ";  ".join(sides[at : at + 5]))
    return tuple(lines)
