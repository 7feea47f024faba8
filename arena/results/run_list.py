"""List the runs in a folder, a line each: `arena runs`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from arena.errors import ArenaError
from arena.results.run_data import stored_config
from arena.results.table import WIDE, Column, Report, Table
from arena.text import counted, first_line, utc_iso, utc_text
from arena.tournament.folders import last_worked_on, runs_in, variant_runs
from arena.tournament.games import ScheduleProgress
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import is_in_use

RUNNING, FINISHED, STOPPED, UNREADABLE = "running", "finished", "stopped", "unreadable"
_SHOWN_BOTS = 4
_LONGEST = 80


@dataclass(frozen=True)
class RunLine:
    """A run or a comparison.

    name         of its folder, by which commands find it
    last_played  when a game was last stored in it, in seconds since 1970
    format       format of the tournament, or `compare`
    rules        rule set; of a comparison all of them, with blanks between
    games        games stored; `planned`: None if unknown
    state        `running` (a process is playing it), `finished`, `stopped` (its command continues it), `unreadable`
    note         why it cannot be read
    """

    name: str
    last_played: float
    format: str = ""
    rules: str = ""
    bots: tuple[str, ...] = ()
    games: int = 0
    planned: int | None = None
    state: str = UNREADABLE
    note: str = ""


def run_lines(root: Path) -> list[RunLine]:
    """Return the runs and comparisons in a folder, the last played first."""
    lines = [run_line(folder) for folder in runs_in(root)]
    return sorted(lines, key=lambda line: (-line.last_played, line.name))


def run_line(folder: Path) -> RunLine:
    """Describe a run or a comparison."""
    name, worked = folder.name, last_worked_on(folder)
    try:
        variants = variant_runs(folder)
        return _compared(name, worked, variants) if variants else _run(name, worked, folder)
    except ArenaError as error:
        return RunLine(name, worked, note=first_line(str(error)))


def _run(name: str, worked: float, folder: Path) -> RunLine:
    with Reader(folder) as reader:
        config = stored_config(reader)
        games = reader.count()
        schedule = config.schedule()
        if (verdict := config.verdict()) is not None:
            verdict(reader)
            planned = verdict.planned
        else:  # reading all games of a large run is slow
            done = ScheduleProgress() if schedule.fixed else reader.progress()
            planned = schedule.planned(done)
    state = RUNNING if is_in_use(folder) else FINISHED if planned is not None and games >= planned else STOPPED
    return RunLine(name, worked, config.format, config.rules, config.bot_names, games, planned, state)


def _compared(name: str, worked: float, variants: Mapping[str, Path]) -> RunLine:
    lines = [_run(folder.name, 0.0, folder) for folder in variants.values()]
    bots = tuple(dict.fromkeys(bot for line in lines for bot in line.bots))
    games = sum(line.games for line in lines)
    planned = [line.planned for line in lines]
    known = None if None in planned else sum(number or 0 for number in planned)
    states = {line.state for line in lines}
    state = RUNNING if RUNNING in states else FINISHED if states == {FINISHED} else STOPPED
    return RunLine(name, worked, "compare", " ".join(variants), bots, games, known, state)


# ---------------------------------------------------------------- showing


def runs_report(root: Path, lines: Sequence[RunLine], total: int) -> Report:
    """Return the lines as a table; `total` is the number of runs in the folder."""
    columns = (
        Column("run", "name", "name"),
        Column("last played (UTC)", "text", cell=lambda row: _date(row["line"].last_played)),
        Column("games", cell=lambda row: _games(row["line"])),
        Column("state", "text", cell=lambda row: _state(row["line"])),
        Column("bots", "text", cell=lambda row: _bots(row["line"].bots)),
        Column("rules", "text", cell=lambda row: row["rules"] or "-"),
        Column("format", "text", cell=lambda row: row["format"] or "-", where=WIDE),
    )
    rows = [
        asdict(line) | {"last_played": utc_iso(line.last_played), "bots": list(line.bots), "line": line}
        for line in lines
    ]
    table = Table("runs", "", rows, columns if lines else (), [field.name for field in fields(RunLine)])
    left = total - len(lines)
    remarks = [f"{left} more (--limit 0 lists all)."] if left > 0 else []
    heading = f"{counted(total, 'run')} in {root}" + (", most recently played first" if len(lines) > 1 else "")
    return Report(heading, [table], remarks, {"folder": str(root), "total": total})


def _date(seconds: float) -> str:
    return utc_text(seconds, "") if math.isfinite(seconds) and seconds > 0 else "-"


def _bots(names: Sequence[str]) -> str:
    shown = [first_line(name, 30) for name in names[:_SHOWN_BOTS]]
    if len(names) > _SHOWN_BOTS:
        shown.append(f"+{len(names) - _SHOWN_BOTS}")
    return " ".join(shown) or "-"


def _games(line: RunLine) -> str:
    is_whole = line.planned is None or line.games >= line.planned
    return str(line.games) if is_whole else f"{line.games} of {line.planned}"


def _state(line: RunLine) -> str:
    return f"{line.state}: {line.note[:_LONGEST]}" if line.note else line.state
