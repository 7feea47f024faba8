"""What `arena analyse` shows: of a game its chances, turning points and blunders; of a run the losses by bot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pandas as pd

from arena.results.analysis.game import BLUNDER, GameAnalysis, Losses, analyse
from arena.results.analysis.judge import Judge
from arena.game.record import RecordError, parse_record
from arena.tournament.match.results import GameResult
from arena.results.board import result_line
from arena.results.reading.game import StoredGame
from arena.results.run_stats import losses_table
from arena.results.table import Column, Report, Table, figures, percent, records
from arena.tournament.store.losses import BotLosses, RunLosses
from arena.text import one_line

_BARS = "▁▂▃▄▅▆▇█"
_BAR_LINES = 60


def judge_name(nodes: int) -> str:
    """By what moves are judged, in words."""
    return f"search over the net, {nodes} nodes a move" if nodes else "the net"


def game_report(game: StoredGame, found: GameAnalysis, whole: bool = False) -> Report:
    """A game judged: both players, its turning points and blunders, or with `whole` every decision."""
    record = parse_record(game.record)
    names = [one_line(name) or sign for name, sign in zip(game.names, "ab")]
    turning, blunders = found.turning_points, found.blunders
    shown = range(1, len(found.made) + 1) if whole else sorted({*turning, *blunders})
    rows = [_row(found, number, names) for number in shown]
    columns = (
        Column("move"),
        Column("turn"),
        Column("bot", left=True),
        Column("played", left=True),
        Column(f"chance of {names[0]} %"),
        Column("loss %"),
        Column("best", left=True),
        Column("note", left=True),
    )
    title = "Every decision" if whole else "Turning points and blunders"
    note = f"Chances by {judge_name(found.nodes)}; a loss is what the best move was worth more, to its player."
    moves = Table("moves", title, columns, tuple(rows), note, frame=_frame(found, names))
    heading = f"{names[0]} (a) - {names[1]} (b), {record.rules.name}: {one_line(result_line(record, game.names))}"
    values = {
        "names": names,
        "rules": record.rules.canonical,
        "judge": judge_name(found.nodes),
        "nodes": found.nodes,
        "chances": [_short(one) for one in found.chances],
        "turning_points": turning,
        "blunders": blunders,
        "losses": [_values(found.losses(seat)) for seat in (0, 1)],
        "moves": records(_frame(found, names)),
    }
    remarks = [f"Chance of {names[0]} to win, from the deal to the end:", _bars(found.chances)]
    if not rows:
        remarks.append("No turning points, no blunders; --all shows every decision.")
    return Report(heading, [_players(found, names), moves], remarks, values=lambda: values)


def _players(found: GameAnalysis, names: list[str]) -> Table:
    columns = tuple(Column(head, left=head == "bot") for head in ("bot", "decisions", "average loss %", "blunders"))
    rows = []
    for seat in (0, 1):
        lost = found.losses(seat)
        rows.append((names[seat], str(lost.judged), percent(lost.mean), str(lost.blunders)))
    return Table("players", "", columns, tuple(rows))


def _row(found: GameAnalysis, number: int, names: list[str]) -> tuple[str, ...]:
    made, judged = found.made[number - 1], found.judged[number - 1]
    notes = ["turning point"] * (number in found.turning_points) + ["blunder"] * (judged.loss >= BLUNDER)
    lost = judged.loss > 0 and judged.best is not made.move
    return (
        str(number),
        str(made.turn),
        names[made.seat],
        str(made.move),
        percent(found.chances[number]),
        percent(judged.loss) if lost else "",
        str(judged.best) if lost else "",
        ", ".join(notes),
    )


def _frame(found: GameAnalysis, names: list[str]) -> pd.DataFrame:
    rows = [
        (
            made.number,
            made.turn,
            made.seat,
            names[made.seat],
            str(made.move),
            _short(judged.chance),
            _short(found.chances[made.number]),
            str(judged.best),
            _short(judged.loss),
        )
        for made, judged in zip(found.made, found.judged)
    ]
    heads = ["number", "turn", "seat", "bot", "move", "chance", "chance_a", "best", "loss"]
    return pd.DataFrame(rows, columns=heads)


def _values(lost: Losses) -> dict[str, Any]:
    mean = _short(lost.mean) if lost.judged else None
    return {"decisions": lost.judged, "loss": mean, "blunders": lost.blunders}


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0


def _bars(chances: tuple[float, ...]) -> str:
    """The chances as a line of bars, at most _BAR_LINES of them."""
    step = max((len(chances) + _BAR_LINES - 1) // _BAR_LINES, 1)
    kept = [*chances[:-1:step], chances[-1]]
    return "".join(_BARS[min(int(one * len(_BARS)), len(_BARS) - 1)] for one in kept)


def page_notes(found: GameAnalysis) -> list[dict[str, Any]]:
    """What the viewer adds to each step, the deal first: `chance` of a; `loss` and `best` where something was lost."""
    turning = set(found.turning_points)
    notes: list[dict[str, Any]] = [{"chance": _short(found.chances[0])}]
    for judged, made in zip(found.judged, found.made):
        note: dict[str, Any] = {"chance": _short(found.chances[judged.number])}
        if judged.loss > 0 and judged.best is not made.move:
            note |= {"loss": _short(judged.loss), "best": str(judged.best)}
        if judged.loss >= BLUNDER:
            note["mark"] = "blunder"
        elif judged.number in turning:
            note["mark"] = "turning"
        notes.append(note)
    return notes


# ---------------------------------------------------------------- runs


def run_losses(games: Iterable[GameResult], nodes: int, seen: Callable[[], object] = lambda: None) -> RunLosses:
    """The losses of all bots in all games; `seen` is called after each game. Games that do not replay are left out."""
    found = RunLosses(judge_name(nodes), nodes)
    judges: dict[str, Judge] = {}
    for game in games:
        for bot, lost in _losses(game, nodes, judges):
            found.bots.setdefault(bot, BotLosses()).add(lost.judged, lost.loss, lost.blunders)
        found.games += 1
        seen()
    return found


def _losses(game: GameResult, nodes: int, judges: dict[str, Judge]) -> Iterator[tuple[str, Losses]]:
    try:
        record = parse_record(game.record)
        rules = record.rules.canonical
        if rules not in judges:
            judges[rules] = Judge(record.rules, nodes)
        analysis = analyse(StoredGame.of(game), nodes, judges[rules])
    except RecordError:
        return
    seats = (game.second, game.first) if record.deal.starter else (game.first, game.second)
    for seat, bot in enumerate(seats):
        yield bot, analysis.losses(seat)


def run_report(name: str, found: RunLosses, there: int) -> Report:
    """The losses by bot; `there` are the games that the run holds."""
    table = losses_table(found, there)
    values = {"name": name, "judge": found.judge, "nodes": found.nodes, "games": found.games}
    return Report(f"{name}: {found.games:,} games", [table], values=lambda: values | figures([table]))
