"""List the runs in a folder, a line each: `arena runs`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.results.run_data import stored_config
from arena.results.table import WIDE, Column, Report, Rows, Table, TableRow
from arena.text import counted, first_line, utc_iso
from arena.tournament.folders import last_worked_on, runs_in, variant_runs
from arena.tournament.games import ScheduleProgress
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import is_in_use

RUNNING, FINISHED, STOPPED, UNREADABLE = "running", "finished", "stopped", "unreadable"
_SHOWN_BOTS = 4
_LONGEST = 80
FILES = ("name", "last_played", "format", "rules", "bots", "games", "planned", "state", "note")
"""What files and JSON have of a run or a comparison.

name         of its folder, by which commands find it
last_played  when a game was last stored in it, in UTC
format       format of the tournament, or `compare`
rules        rule set; of a comparison all of them, with blanks between
games        games stored; `planned`: None if unknown
state        `running` (a process is playing it), `finished`, `stopped` (its command continues it), `unreadable`
note         why it cannot be read
"""


def run_rows(root: Path) -> list[dict[str, Any]]:
    """Return a row for each run and comparison in a folder, the last played first."""
    played = {folder: last_worked_on(folder) for folder in runs_in(root)}
    folders = sorted(played, key=lambda folder: (-played[folder], folder.name))
    return [{"name": folder.name, "last_played": utc_iso(played[folder]), **_described(folder)} for folder in folders]


def _described(folder: Path) -> dict[str, Any]:
    """Describe a run or a comparison."""
    try:
        variants = variant_runs(folder)
        runs = [_run(part) for part in (variants.values() if variants else [folder])]
    except ArenaError as error:
        nothing = {"format": "", "rules": "", "bots": [], "games": 0, "planned": None}
        return nothing | {"state": UNREADABLE, "note": first_line(str(error))}
    planned = [run["planned"] for run in runs]
    states = {run["state"] for run in runs}
    return {
        "format": "compare" if variants else runs[0]["format"],
        "rules": " ".join(variants) if variants else runs[0]["rules"],
        "bots": list(dict.fromkeys(bot for run in runs for bot in run["bots"])),
        "games": sum(run["games"] for run in runs),
        "planned": None if None in planned else sum(planned),
        "state": next((state for state in (RUNNING, STOPPED) if state in states), FINISHED),
        "note": "",
    }


def _run(folder: Path) -> dict[str, Any]:
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
    found = {"format": config.format, "rules": config.rules, "bots": config.bot_names}
    return found | {"games": games, "planned": planned, "state": state}


# ---------------------------------------------------------------- showing


def runs_report(root: Path, rows: Rows, total: int) -> Report:
    """Return the rows as a table; `total` is the number of runs in the folder."""
    columns = (
        Column("run", "name", "name"),
        Column("last played (UTC)", "text", cell=lambda row: row["last_played"][:16].replace("T", " ")),
        Column("games", cell=_games),
        Column("state", "text", cell=_state),
        Column("bots", "text", cell=_bots),
        Column("rules", "text", cell=lambda row: row["rules"] or "-"),
        Column("format", "text", cell=lambda row: row["format"] or "-", where=WIDE),
    )
    left = total - len(rows)
    remarks = [f"{left} more (--limit 0 lists all)."] if left > 0 else []
    heading = f"{counted(total, 'run')} in {root}" + (", most recently played first" if len(rows) > 1 else "")
    table = Table("runs", "", rows, columns if rows else (), FILES)
    return Report(heading, [table], remarks, {"folder": str(root), "total": total})


def _bots(row: TableRow) -> str:
    shown = [first_line(name, 30) for name in row["bots"][:_SHOWN_BOTS]]
    if len(row["bots"]) > _SHOWN_BOTS:
        shown.append(f"+{len(row['bots']) - _SHOWN_BOTS}")
    return " ".join(shown) or "-"


def _games(row: TableRow) -> str:
    is_whole = row["planned"] is None or row["games"] >= row["planned"]
    return str(row["games"]) if is_whole else f"{row['games']} of {row['planned']}"


def _state(row: TableRow) -> str:
    return f"{row['state']}: {row['note'][:_LONGEST]}" if row["note"] else str(row["state"])
