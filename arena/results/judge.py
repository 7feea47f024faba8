"""Judge each move of a stored game by what its player knew: `arena judge`.

The judge is the net, or a search over it.
With a budget, the search chooses the move to compare with, and both moves are then tried in samples of the
hidden cards that were not used for the choice: the luck of those samples would count for the chosen move.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ArenaError
from arena.game.engine import View
from arena.game.moves import Move
from arena.game.record import RecordError, parse_record
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.results.data_formats import json_text, records, table_values
from arena.results.positions import Decision, decisions, result_line, shown_names
from arena.results.table import Column, Report, Table, TableRow, column_of, percent
from arena.stats.distributions import t_width
from arena.stats.intervals import FEWEST_DEALS
from arena.text import one_line
from arena.tournament.games import GameResult
from arena.whole_file import write_whole

if TYPE_CHECKING:
    from arena.policy import Evaluator

LOSSES = "losses.json"
"""The file in a run's folder that `arena replay RUN --judge` writes."""
_FORMAT = 2
DEPTH = 10
"""Decisions looked ahead in each sample. Only two moves are compared, so there is time to look further than the search
does (see `benchmarks/judge_errors.py`)."""
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

    number   the decision's place in the record, from 1
    seat     the seat that decided
    chance   after the move made, before the draw; None for a decision that is not judged
    best     the move that the judge would have made
    loss     how much less the move made is worth than `best`. With a search it is an estimate, which may be a little
             below 0 if the move made proved better
    """

    number: int
    seat: int
    chance: float | None
    best: Move
    loss: float


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
            return Judgement(made.number, made.seat, None, made.move, 0.0)
        moves = list(made.legal)
        state = made.state()
        if self.searcher is None:
            values = self.net.values(state, moves)
            most = max(values)
            chance = values[moves.index(made.move)]
            best = made.move if chance == most else moves[values.index(most)]
            return Judgement(made.number, made.seat, chance, best, most - chance)
        rng = Rng(derive_seed(0, "analysis", made.number))
        view = state.view(made.seat)
        best = self.searcher.choose(view, moves, rng, self.nodes) if len(moves) > 1 else made.move
        compared = [made.move] if best is made.move else [made.move, best]
        chances = sampled_chances(self.net, view, compared, rng, max(self.nodes // (2 * DEPTH * len(compared)), 1))
        return Judgement(made.number, made.seat, chances[0], best, chances[-1] - chances[0])


def sampled_chances(
    net: Evaluator, view: View, moves: Sequence[Move], rng: Rng, samples: int, depth: int = DEPTH, tail: int = 1
) -> list[float]:
    """Return the chance to win after each of some legal moves: the mean over the same samples of the hidden cards.

    `depth`: decisions looked ahead; 0: to the end of the game. `tail`: the last of them, whose mean counts.
    """
    from arena.policy import Playout

    totals = [0.0] * len(moves)
    playout = Playout(net)
    for _ in range(samples):
        sample = view.sample(rng)
        for index, move in enumerate(moves):
            state = sample.copy()
            state.apply(move)
            totals[index] += playout.play(state, depth, view.seat, tail)
    return [total / samples for total in totals]


# ---------------------------------------------------------------- games


@dataclass(frozen=True)
class Losses:
    """The losses of a seat's moves in a game: decisions with a choice that were judged, the sum, blunders.

    A loss is a part of the chance to win, so 1 is a whole game.
    """

    judged: int = 0
    loss: float = 0.0
    blunders: int = 0

    @property
    def mean(self) -> float:
        """The average loss per move, nan without moves."""
        return self.loss / self.judged if self.judged else math.nan


@dataclass(frozen=True)
class GameAnalysis:
    """A game judged. Decisions are numbered from 1, seats are 0 (a) and 1 (b).

    made        the decisions, as stored
    judged      a judgement for each
    chances     seat 0's chance to win, at the deal (0.5) and after each decision: the mean of both seats' estimates,
                each from its own last decision; the last one is the result
    nodes       the budget of each judgement; 0: the net alone
    """

    made: tuple[Decision, ...]
    judged: tuple[Judgement, ...]
    chances: tuple[float, ...]
    nodes: int

    @property
    def turning_points(self) -> list[int]:
        """Numbers of the decisions that changed the chance most, in order."""
        change = {n: abs(self.chances[n] - self.chances[n - 1]) for n in range(1, len(self.chances))}
        large = sorted((n for n in change if change[n] >= TURNING_POINT), key=lambda n: (-change[n], n))
        return sorted(large[:MOST_TURNING_POINTS])

    @property
    def blunders(self) -> list[int]:
        """Numbers of the decisions that gave away BLUNDER or more, in order."""
        return [judged.number for judged in self.judged if judged.loss >= BLUNDER]

    def losses(self, seat: int) -> Losses:
        """Return the losses of a seat's moves, counting only those with a choice."""
        losses = [
            judged.loss
            for judged, made in zip(self.judged, self.made)
            if judged.seat == seat and judged.chance is not None and len(made.legal) > 1
        ]
        return Losses(len(losses), sum(losses), sum(loss >= BLUNDER for loss in losses))


def analyse(game: GameResult, nodes: int = 0, judge: Judge | None = None) -> GameAnalysis:
    """Judge the moves of a game. The same game and budget give the same numbers.

    `judge` is one for the rules of the game, for callers with many games. Raise RecordError if it does not replay.
    """
    record = parse_record(game.record)
    made = decisions(game)
    judged = tuple(map((judge or Judge(record.rules, nodes)).judge, made))
    return GameAnalysis(tuple(made), judged, _chances(made, judged), nodes)


def _chances(made: list[Decision], judged: tuple[Judgement, ...]) -> tuple[float, ...]:
    """Return seat 0's chance after each decision."""
    thinks = [0.5, 0.5]  # seat 0's chance, as either seat sees it
    chances = [0.5]
    for judgement in judged:
        if judgement.chance is not None:
            thinks[judgement.seat] = 1.0 - judgement.chance if judgement.seat else judgement.chance
        chances.append((thinks[0] + thinks[1]) / 2)
    end = made[-1].after.outcome if made else None
    if end is not None:
        chances[-1] = 0.5 if end.winner is None else float(end.winner == 0)
    return tuple(chances)


# ---------------------------------------------------------------- runs


@dataclass(frozen=True)
class BotLosses:
    """The losses of a bot's moves in the games of a run.

    `error95` is half the 95% interval of the mean, None for fewer than FEWEST_DEALS deals.
    """

    games: int
    deals: int
    decisions: int
    blunders: int
    mean: float
    error95: float | None


@dataclass(frozen=True)
class RunLosses:
    """The losses of the bots of a run that had a choice, the smallest first.

    `judge` describes the judge, `nodes` is its budget per move; games that do not replay are left out.
    """

    judge: str
    nodes: int
    games: int
    bots: dict[str, BotLosses]


def run_losses(games: Iterable[GameResult], nodes: int, seen: Callable[[], object] = lambda: None) -> RunLosses:
    """Return the losses of all bots in all games; call `seen` after each game."""
    judges: dict[str, Judge] = {}
    losses: dict[str, list[tuple[tuple[int, int], Losses]]] = {}
    number = 0
    for game in games:
        try:
            record = parse_record(game.record)
            judge = judges.setdefault(record.rules.canonical, Judge(record.rules, nodes))
            analysis = analyse(game, nodes, judge)
        except RecordError:
            continue
        finally:
            number += 1
            seen()
        for seat, bot in enumerate(game.seats):
            losses.setdefault(bot, []).append(((game.deal_seed, game.id.deal), analysis.losses(seat)))
    bots = {bot: bot_losses(own) for bot, own in losses.items() if any(lost.judged for _, lost in own)}
    best = sorted(bots.items(), key=lambda item: (item[1].mean, item[0]))
    return RunLosses(judge_name(nodes), nodes, number, dict(best))


def bot_losses(games: Sequence[tuple[object, Losses]]) -> BotLosses:
    """Return the mean, a ratio of sums, with its error by deal: Student's t with one degree less than deals.

    `games` holds what distinguishes the deal of a game, and its losses.
    """
    decisions = sum(lost.judged for _, lost in games)
    mean = sum(lost.loss for _, lost in games) / decisions
    residuals: dict[object, float] = {}
    for deal, lost in games:
        residuals[deal] = residuals.get(deal, 0.0) + lost.loss - mean * lost.judged
    deals = len(residuals)
    error = None
    if deals >= FEWEST_DEALS:
        variance = sum(residual**2 for residual in residuals.values()) * deals / (deals - 1)
        error = float(t_width(deals - 1)) * math.sqrt(variance) / decisions
    return BotLosses(len(games), deals, decisions, sum(lost.blunders for _, lost in games), mean, error)


def judge_name(nodes: int) -> str:
    """Describe the judge in words."""
    return f"search over the net, {nodes} nodes per move" if nodes else "the net"


def write_losses(losses: RunLosses, folder: Path) -> None:
    """Store losses in the folder of a run. Raise ExportError if the disk refuses."""
    bots = {bot: vars(own) for bot, own in losses.bots.items()}
    write_whole(folder / LOSSES, [json_text(vars(losses) | {"format": _FORMAT, "bots": bots})], follow=False)


def read_losses(folder: Path) -> RunLosses | None:
    """Read the losses stored in the folder of a run, None if there are none. Raise ArenaError for a damaged file."""
    path = folder / LOSSES
    if not path.is_file():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("format") != _FORMAT:
            raise ValueError("another format")
        bots = {bot: BotLosses(**own) for bot, own in values.pop("bots").items()}
        return RunLosses(**values, bots=bots)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArenaError(
            f"{path} is not as arena replay --judge wrote it ({error!r}); delete it, or judge the run again"
        ) from None


# ---------------------------------------------------------------- reports

_MOVE_NAMES = ("number", "turn", "seat", "bot", "move", "chance", "chance_a", "best", "loss")
_BARS = "▁▂▃▄▅▆▇█"
_BAR_LINES = 60


def game_report(game: GameResult, analysis: GameAnalysis, whole: bool = False) -> Report:
    """Report a judged game: both players, its turning points and blunders, or with `whole` every decision."""
    record = parse_record(game.record)
    names = [one_line(name) for name in game.seats]
    turning, blunders = analysis.turning_points, analysis.blunders
    rows = [_move_row(analysis, made, judged, names) for made, judged in zip(analysis.made, analysis.judged)]
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
    values = {
        "names": names,
        "rules": record.rules.canonical,
        "judge": judge_name(analysis.nodes),
        "nodes": analysis.nodes,
        "chances": [_short(chance) for chance in analysis.chances],
        "turning_points": turning,
        "blunders": blunders,
        "losses": [_values(analysis.losses(seat)) for seat in (0, 1)],
        "moves": records(stored),
    }
    remarks = [f"Chance of {names[0]} to win, from the deal to the end:", _bars(analysis.chances)]
    if not shown:
        remarks.append("No turning points, no blunders; --all shows every decision.")
    return Report(heading, [_players(analysis, names), moves, stored], remarks, values=lambda: values)


def _players(analysis: GameAnalysis, names: list[str]) -> Table:
    columns = (
        Column("bot", "text"),
        Column("decisions"),
        Column("average loss %", "share", "loss"),
        Column("blunders"),
    )
    losses = [analysis.losses(seat) for seat in (0, 1)]
    rows = [
        {"bot": name, "decisions": lost.judged, "loss": lost.mean, "blunders": lost.blunders}
        for name, lost in zip(names, losses)
    ]
    return Table("players", "", rows, columns)


def _move_row(analysis: GameAnalysis, made: Decision, judged: Judgement, names: Sequence[str]) -> TableRow:
    """Return a decision with _MOVE_NAMES for files, and with exact figures and notes to be shown."""
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
        "is_lost": _lost(judged, made),
        "note": ", ".join(notes),
    }


def _lost(judged: Judgement, made: Decision) -> bool:
    return judged.loss > 0 and judged.best is not made.move


def _values(lost: Losses) -> dict[str, Any]:
    mean = _short(lost.mean) if lost.judged else None
    return {"decisions": lost.judged, "loss": mean, "blunders": lost.blunders}


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
    blunders = {judged.number for judged in worst if judged.loss >= BLUNDER}
    notes: list[dict[str, Any]] = [{"chance": _short(analysis.chances[0])}]
    for judged, made in zip(analysis.judged, analysis.made):
        note: dict[str, Any] = {"chance": _short(analysis.chances[judged.number])}
        if _lost(judged, made):
            note |= {"loss": _short(judged.loss), "best": str(judged.best)}
        if judged.number in blunders:
            note["mark"] = "blunder"
        elif judged.number in turning:
            note["mark"] = "turning"
        notes.append(note)
    return notes


def losses_table(losses: RunLosses, games: int) -> Table:
    """Return the average losses of each bot as a table; `games` is the number of games in the run."""
    rows = [
        {
            "bot": bot,
            "games": own.games,
            "decisions": own.decisions,
            "loss_percent": 100 * own.mean,
            "loss_percent_error95": math.nan if own.error95 is None else 100 * own.error95,
            "blunders_a_game": own.blunders / own.games,
        }
        for bot, own in losses.bots.items()
    ]
    note = (
        f"How much of its chance to win a move gave away on average, in %, judged by {losses.judge}; a blunder gives"
        " away 10% or more."
    )
    if losses.games < games:
        note += f" From {losses.games:,} of {games:,} games: 'arena replay RUN --judge' judges the others."
    names = ("bot", "games", "decisions", "loss_percent", "loss_percent_error95", "blunders_a_game")
    return Table("losses", "Average loss per move", rows, list(map(column_of, names)), names, note=note)


def run_report(name: str, losses: RunLosses, games: int) -> Report:
    """Report the losses by bot; `games` is the number of games in the run."""
    table = losses_table(losses, games)
    values = {"name": name, "judge": losses.judge, "nodes": losses.nodes, "games": losses.games}
    return Report(f"{name}: {losses.games:,} games", [table], values=lambda: values | table_values([table]))
