"""What `arena replay --judge` shows: for a game chances, turning points and blunders; for a run the losses by bot."""

from __future__ import annotations

from typing import Any

from arena.game.record import parse_record
from arena.results.board import result_line
from arena.results.decisions import Decision
from arena.results.judge import BLUNDER, GameAnalysis, Judgement, Losses, RunLosses, judge_name
from arena.results.records import StoredGame
from arena.results.table import Column, Report, Row, Table, percent, records, table_values
from arena.text import one_line

_BARS = "▁▂▃▄▅▆▇█"
_BAR_LINES = 60


def game_report(game: StoredGame, analysis: GameAnalysis, whole: bool = False) -> Report:
    """A game judged: both players, its turning points and blunders, or with `whole` every decision."""
    record = parse_record(game.record)
    names = [one_line(name) or sign for name, sign in zip(game.names, "ab")]
    turning, blunders = analysis.turning_points, analysis.blunders
    figures = _figures(analysis, names)
    rows = [_row(analysis, number, names) for number in range(1, len(analysis.made) + 1)]
    shown = rows if whole else [row for row in rows if row["note"]]
    columns = (
        Column("move", key="number"),
        Column("turn"),
        Column("bot", "text"),
        Column("played", "text"),
        Column(f"chance of {names[0]} %", "share", "chance"),
        Column("loss %", cell=lambda row: percent(row["loss"]) if row["best"] else ""),
        Column("best", "text"),
        Column("note", "text"),
    )
    title = "Every decision" if whole else "Turning points and blunders"
    note = f"Chances by {judge_name(analysis.nodes)}; a loss is how much more the best move was worth to its player."
    moves = Table("moves", title, columns, figures, note, shown=shown)
    heading = f"{names[0]} (a) - {names[1]} (b), {record.rules.name}: {one_line(result_line(record, game.names))}"
    values = {
        "names": names,
        "rules": record.rules.canonical,
        "judge": judge_name(analysis.nodes),
        "nodes": analysis.nodes,
        "chances": [_short(chance) for chance in analysis.chances],
        "turning_points": turning,
        "blunders": blunders,
        "losses": [_values(analysis.losses(seat)) for seat in (0, 1)],
        "moves": records(figures),
    }
    remarks = [f"Chance of {names[0]} to win, from the deal to the end:", _bars(analysis.chances)]
    if not shown:
        remarks.append("No turning points, no blunders; --all shows every decision.")
    return Report(heading, [_players(analysis, names), moves], remarks, values=lambda: values)


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
    return Table("players", "", columns, shown=rows)


def _row(analysis: GameAnalysis, number: int, names: list[str]) -> Row:
    """A decision as people see it; without a better move `best` is empty."""
    made, judged = analysis.made[number - 1], analysis.judged[number - 1]
    notes = []
    if number in analysis.turning_points:
        notes.append("turning point")
    if judged.loss >= BLUNDER:
        notes.append("blunder")
    return {
        "number": number,
        "turn": made.turn,
        "bot": names[made.seat],
        "played": str(made.move),
        "chance": analysis.chances[number],
        "loss": judged.loss,
        "best": str(judged.best) if _lost(judged, made) else "",
        "note": ", ".join(notes),
    }


def _lost(judged: Judgement, made: Decision) -> bool:
    return judged.loss > 0 and judged.best is not made.move


def _figures(analysis: GameAnalysis, names: list[str]) -> list[Row]:
    return [
        {
            "number": made.number,
            "turn": made.turn,
            "seat": made.seat,
            "bot": names[made.seat],
            "move": str(made.move),
            "chance": _short(judged.chance),
            "chance_a": _short(analysis.chances[made.number]),
            "best": str(judged.best),
            "loss": _short(judged.loss),
        }
        for made, judged in zip(analysis.made, analysis.judged)
    ]


def _values(lost: Losses) -> dict[str, Any]:
    mean = _short(lost.mean) if lost.judged else None
    return {"decisions": lost.judged, "loss": mean, "blunders": lost.blunders}


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0


def _bars(chances: tuple[float, ...]) -> str:
    """The chances as a line of bars, at most _BAR_LINES of them."""
    step = max((len(chances) + _BAR_LINES - 1) // _BAR_LINES, 1)
    kept = [*chances[:-1:step], chances[-1]]
    return "".join(_BARS[min(int(chance * len(_BARS)), len(_BARS) - 1)] for chance in kept)


def page_notes(analysis: GameAnalysis) -> list[dict[str, Any]]:
    """What the viewer adds to each step, the deal first: `chance` of a; `loss` and `best` if something was lost."""
    turning = set(analysis.turning_points)
    notes: list[dict[str, Any]] = [{"chance": _short(analysis.chances[0])}]
    for judged, made in zip(analysis.judged, analysis.made):
        note: dict[str, Any] = {"chance": _short(analysis.chances[judged.number])}
        if _lost(judged, made):
            note |= {"loss": _short(judged.loss), "best": str(judged.best)}
        if judged.loss >= BLUNDER:
            note["mark"] = "blunder"
        elif judged.number in turning:
            note["mark"] = "turning"
        notes.append(note)
    return notes


# ---------------------------------------------------------------- runs


def run_report(name: str, losses: RunLosses, games: int) -> Report:
    """The losses by bot; `games` are those that the run holds."""
    from arena.results.run_stats import losses_table  # pandas, which the page of a game does without

    table = losses_table(losses, games)
    values = {"name": name, "judge": losses.judge, "nodes": losses.nodes, "games": losses.games}
    return Report(f"{name}: {losses.games:,} games", [table], values=lambda: values | table_values([table]))
