"""Judge each move of a stored game by what its player knew: `arena judge`.

The judge is the net, or a search over it.
With a budget, the search chooses the move to compare with, and both moves are then tried in samples of the
hidden cards that were not used for the choice: the luck of those samples would count for the chosen move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.game.engine import View
from arena.game.moves import Move
from arena.game.record import parse_record
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.results.positions import Decision, decisions, result_line, shown_names
from arena.results.table import Column, Report, Table, TableRow, percent
from arena.text import one_line
from arena.tournament.games import GameResult

DEPTH = 10
"""Decisions looked ahead in each sample. Only two moves are compared, so there is time to look further than the search
does."""
BLUNDER = 0.1
"""A move that loses at least this much of the chance to win is a blunder."""
MOST_TURNING_POINTS = 3
_MOST_MARKED = 5
TURNING_POINT = 0.05
"""A turning point changes the chance by at least this much."""
BY_RULE = ("draw", "scout")
"""Decisions that the net makes by a rule: which deck to draw from. They are not judged."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The worth of a decision to its seat: chances to win from 0 to 1, each from what the seat knew.

    made     the decision, as stored
    chance   after the move made, before the draw; None for a decision that is not judged
    best     the move that the judge would have made
    loss     how much less the move made is worth than `best`. With a search it is an estimate, which may be a little
             below 0 if the move made proved better
    """

    made: Decision
    chance: float | None
    best: Move
    loss: float

    @property
    def is_lost(self) -> bool:
        """Whether another move was worth more."""
        return self.loss > 0 and self.best is not self.made.move


class Judge:
    """Judges decisions of one rule set. `nodes` are the decisions of the net spent on each; 0: the net alone."""

    def __init__(self, rules: Rules, nodes: int = 0) -> None:
        from arena.policy import Searcher, load_net

        self.net = load_net(rules)
        self.searcher = Searcher(self.net) if nodes else None
        self.nodes = nodes

    def judge(self, made: Decision) -> Judgement:
        """Return the worth of a decision."""
        if made.phase in BY_RULE:
            return Judgement(made, None, made.move, 0.0)
        moves = list(made.legal)
        state = made.before
        if self.searcher is None:
            values = self.net.values(state, moves)
            most = max(values)
            chance = values[moves.index(made.move)]
            best = made.move if chance == most else moves[values.index(most)]
            return Judgement(made, chance, best, most - chance)
        rng = Rng(derive_seed(0, "analysis", made.number))
        view = state.view(made.seat)
        best = self.searcher.choose(view, moves, rng, self.nodes) if len(moves) > 1 else made.move
        compared = [made.move] if best is made.move else [made.move, best]
        chances = self._chances(view, compared, rng)
        return Judgement(made, chances[0], best, chances[-1] - chances[0])

    def _chances(self, view: View, moves: Sequence[Move], rng: Rng) -> list[float]:
        """Return the chance to win after each of some legal moves: the mean over the same samples of hidden cards."""
        from arena.policy import Playout

        samples = max(self.nodes // (2 * DEPTH * len(moves)), 1)
        totals = [0.0] * len(moves)
        playout = Playout(self.net)
        for _ in range(samples):
            sample = view.sample(rng)
            for index, move in enumerate(moves):
                state = sample.copy()
                state.apply(move)
                totals[index] += playout.play(state, DEPTH, view.seat)
        return [total / samples for total in totals]


# ---------------------------------------------------------------- games


@dataclass(frozen=True)
class GameAnalysis:
    """A game judged. Decisions are numbered from 1, seats are 0 (a) and 1 (b).

    judged      a judgement for each decision
    chances     seat 0's chance to win, at the deal (0.5) and after each decision: the mean of both seats' estimates,
                each from its own last decision; the last one is the result
    nodes       the budget of each judgement; 0: the net alone
    """

    judged: tuple[Judgement, ...]
    chances: tuple[float, ...]
    nodes: int

    @property
    def turning_points(self) -> list[int]:
        """Numbers of the decisions that changed the chance most, in order."""
        change = {n: abs(self.chances[n] - self.chances[n - 1]) for n in range(1, len(self.chances))}
        large = sorted((n for n in change if change[n] >= TURNING_POINT), key=lambda n: (-change[n], n))
        return sorted(large[:MOST_TURNING_POINTS])


def analyse(game: GameResult, nodes: int = 0) -> GameAnalysis:
    """Judge the moves of a game. The same game and budget give the same numbers.

    Raise RecordError if it does not replay.
    """
    record = parse_record(game.record)
    judged = tuple(map(Judge(record.rules, nodes).judge, decisions(game)))
    return GameAnalysis(judged, _chances(judged), nodes)


def _chances(judged: Sequence[Judgement]) -> tuple[float, ...]:
    """Return seat 0's chance after each decision."""
    thinks = [0.5, 0.5]  # seat 0's chance, as either seat sees it
    chances = [0.5]
    for judgement in judged:
        if judgement.chance is not None:
            seat = judgement.made.seat
            thinks[seat] = 1.0 - judgement.chance if seat else judgement.chance
        chances.append((thinks[0] + thinks[1]) / 2)
    end = judged[-1].made.after.outcome if judged else None
    if end is not None:
        chances[-1] = 0.5 if end.winner is None else float(end.winner == 0)
    return tuple(chances)


# ---------------------------------------------------------------- reports

_MOVE_NAMES = ("number", "turn", "seat", "bot", "move", "chance", "chance_a", "best", "loss", "note")
_BARS = "▁▂▃▄▅▆▇█"
_BAR_LINES = 60


def judge_name(nodes: int) -> str:
    """Describe the judge in words."""
    return f"search over the net, {nodes} nodes per move" if nodes else "the net"


def game_report(game: GameResult, analysis: GameAnalysis, whole: bool = False) -> Report:
    """Report a judged game: both players, its turning points and blunders, or with `whole` every decision."""
    record = parse_record(game.record)
    names = [one_line(name) for name in game.seats]
    rows = [_move_row(analysis, judged, names) for judged in analysis.judged]
    shown = rows if whole else [row for row in rows if row["note"]]
    columns = (
        Column("move", key="number"),
        Column("turn"),
        Column("bot", "text"),
        Column("played", "text", "move"),
        Column(f"chance of {names[0]} %", "share", "exact_chance"),
        Column("loss %", cell=lambda row: percent(row["exact_loss"]) if row["is_lost"] else ""),
        Column("best", "text", cell=lambda row: row["best"] if row["is_lost"] else ""),
        Column("note", "text"),
    )
    title = "Every decision" if whole else "Turning points and blunders"
    note = f"Chances by {judge_name(analysis.nodes)}; a loss is how much more the best move was worth to its player."
    moves = Table("moves", title, shown, columns, note=note)
    stored = Table("moves", "", rows, files=_MOVE_NAMES)
    heading = f"{names[0]} (a) - {names[1]} (b), {record.rules.short_name}: {result_line(record, shown_names(game))}"
    about = {
        "names": names,
        "rules": record.rules.canonical,
        "judge": judge_name(analysis.nodes),
        "nodes": analysis.nodes,
        "chances": [_short(chance) for chance in analysis.chances],
    }
    remarks = [f"Chance of {names[0]} to win, from the deal to the end:", _bars(analysis.chances)]
    if not shown:
        remarks.append("No turning points, no blunders; --print wide shows every decision.")
    return Report(heading, [_players(analysis, names), moves, stored], remarks, about)


def _players(analysis: GameAnalysis, names: list[str]) -> Table:
    columns = (
        Column("bot", "text"),
        Column("decisions"),
        Column("average loss %", "share", "loss"),
        Column("blunders"),
    )
    rows = []
    for seat, name in enumerate(names):
        own = [judged for judged in analysis.judged if judged.made.seat == seat and len(judged.made.legal) > 1]
        losses = [judged.loss for judged in own if judged.chance is not None]
        mean = sum(losses) / len(losses) if losses else math.nan
        blunders = sum(loss >= BLUNDER for loss in losses)
        rows.append({"bot": name, "decisions": len(losses), "loss": mean, "blunders": blunders})
    return Table("players", "", rows, columns, ("bot", "decisions", "loss", "blunders"))


def _move_row(analysis: GameAnalysis, judged: Judgement, names: Sequence[str]) -> TableRow:
    """Return a decision with _MOVE_NAMES for files, and with exact figures and notes to be shown."""
    made = judged.made
    notes = ["turning point"] if made.number in analysis.turning_points else []
    notes += ["blunder"] if judged.loss >= BLUNDER else []
    chance = analysis.chances[made.number]
    return {
        "number": made.number,
        "turn": made.turn,
        "seat": made.seat,
        "bot": names[made.seat],
        "move": str(made.move),
        "chance": _short(judged.chance),
        "chance_a": _short(chance),
        "best": str(judged.best),
        "loss": _short(judged.loss),
        "exact_chance": chance,
        "exact_loss": judged.loss,
        "is_lost": judged.is_lost,
        "note": ", ".join(notes),
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0


def _bars(chances: tuple[float, ...]) -> str:
    """Draw the chances as a line of bars, at most _BAR_LINES of them."""
    step = max((len(chances) + _BAR_LINES - 1) // _BAR_LINES, 1)
    kept = [*chances[:-1:step], chances[-1]]
    return "".join(_BARS[min(int(chance * len(_BARS)), len(_BARS) - 1)] for chance in kept)


def page_notes(analysis: GameAnalysis) -> list[dict[str, Any]]:
    """Return the viewer's notes on each step, the deal first: `chance` of a, and after a loss `loss` and `best`.

    `mark` is set at turning points and at the largest blunders; more marks would hide each other.
    """
    turning = set(analysis.turning_points)
    worst = sorted(analysis.judged, key=lambda judged: -judged.loss)[:_MOST_MARKED]
    blunders = {judged.made.number for judged in worst if judged.loss >= BLUNDER}
    notes: list[dict[str, Any]] = [{"chance": _short(analysis.chances[0])}]
    for judged in analysis.judged:
        number = judged.made.number
        note: dict[str, Any] = {"chance": _short(analysis.chances[number])}
        if judged.is_lost:
            note |= {"loss": _short(judged.loss), "best": str(judged.best)}
        if number in blunders:
            note["mark"] = "blunder"
        elif number in turning:
            note["mark"] = "turning"
        notes.append(note)
    return notes
