"""Saving what is sound of a damaged run: a new run that holds it, and that can go on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.tournament.config.tournament import TournamentConfig, config_from_dict
from arena.tournament.formats.schedule import Schedule
from arena.tournament.formats.series import is_over
from arena.tournament.match.results import COLUMNS, GameResult, Row, ScheduleProgress, points_of
from arena.tournament.match.tasks import GameId, SeriesTask, Task, game_key
from arena.tournament.store.carving import carved_rows
from arena.tournament.store.games import row_fault
from arena.tournament.store.ownership import MARK, is_marked, run_text
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.schema import DATABASE, RUN, StoreError
from arena.tournament.store.tables import Table, row_checksum
from arena.tournament.store.writer import open_store

Judge = Callable[[GameResult, TournamentConfig], str | None]
"""Says what is wrong with a game as it is stored, or None."""
_AT_ONCE = 5_000


@dataclass(frozen=True)
class Salvaged:
    """What was saved: games in the new run, sound ones that have no place in it, and games of the old one if known."""

    folder: Path
    games: int
    left_out: int
    stored: int | None


@dataclass(frozen=True)
class _Remains:
    """What is sound: the settings, the bots, and the games by identity."""

    meta: dict[str, str]
    bots: list[BotEntry]
    rows: dict[int, Row]
    stored: int | None


def salvage(folder: Path, to: Path, judge: Judge) -> Salvaged:
    """Write the sound games of the run in `folder` into a new run in `to`, as far as whole pairs and series are there.

    `judge` says whether a game is what its record says. What is left out is played again when the new run is resumed.
    StoreError if the settings or the bots are damaged too, or if there is something in `to`.
    """
    if (to / DATABASE).exists():
        raise StoreError(f"{to} already holds a run; choose another folder for what can be saved")
    RUN.check_files(folder)
    found = _read(folder) or _carve(folder)
    if found is None:
        raise StoreError(
            f"nothing of {folder / DATABASE} can be saved: its settings or its bots are damaged, too. Play the run"
            " afresh"
        )
    config = config_from_dict(_table(found.meta["settings"]), f"settings stored in {folder}")
    stored = _table(found.meta["config"])
    config = config.with_seed(stored["seed"]) if config.seed is None else config
    units = list(_whole_units(config.schedule(), found.rows, lambda result: judge(result, config)))
    ours = is_marked(found.meta.get(MARK), run_text(found.meta, found.bots))
    with open_store(to, stored, found.bots, _table(found.meta["settings"]), config.clocked, ours=ours) as new:
        new.begin_session({"salvaged_from": str(folder)})
        for at in range(0, len(units), _AT_ONCE):
            part = units[at : at + _AT_ONCE]
            new.adopt([task for task, _ in part], [row for _, rows in part for row in rows])
    games = sum(len(rows) for _, rows in units)
    return Salvaged(to, games, len(found.rows) - games, found.stored)


def _table(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError("the settings of the run cannot be read") from error


# ---------------------------------------------------------------- what is sound


def _read(folder: Path) -> _Remains | None:
    """What SQLite can still read, None if it cannot read all."""
    try:
        with Reader(folder) as reader:
            meta, bots = reader.meta(), reader.bots()
            stored = reader.count() if reader.has_checksums else None
            rows: dict[int, Row] = {}
            with contextlib.suppress(*[] if reader.has_checksums else [ArenaError]):
                for row, fault in reader.judged_rows():
                    if fault is None:
                        rows[row[0]] = row
    except ArenaError:
        return None
    return _Remains(meta, bots, rows, stored)


def _carve(folder: Path) -> _Remains | None:
    """What is in single pages, None if the settings or the bots are not. Only rows with a checksum are believed."""
    meta: dict[str, str] = {}
    bots: dict[int, BotEntry] = {}
    rows: dict[int, Row] = {}
    for values in carved_rows(folder / DATABASE):
        if len(values) == len(COLUMNS) + 2:
            if row_fault(tuple(values), True) is None:
                rows[values[0]] = tuple(values[: len(COLUMNS)])  # type: ignore[assignment, index]
        elif _is_row(RUN.by_name["meta"], values):
            meta[str(values[0])] = str(values[1])
        elif _is_row(RUN.by_name["bots"], values):
            number, name, spec, source, params, _ = values
            bots[number] = BotEntry(str(name), str(spec), str(source), json.loads(str(params)))  # type: ignore[index]
    try:
        names = [bot["name"] for bot in json.loads(meta["config"])["bots"]]
        settings = meta["settings"]
    except (KeyError, TypeError, ValueError):
        return None
    found = [bots[number] for number in sorted(bots)]
    return _Remains(meta, found, rows, None) if [bot.name for bot in found] == names and settings else None


def _is_row(table: Table, values: list[Any]) -> bool:
    return len(values) == len(table.columns) + 1 and values[-1] == row_checksum(table.name, *values[:-1])


# ---------------------------------------------------------------- whole units


def _whole_units(
    schedule: Schedule, rows: Mapping[int, Row], judge: Callable[[GameResult], str | None]
) -> Iterator[tuple[Task, list[Row]]]:
    """The units of a schedule that are there, with their rows.

    A format that is played in rounds goes no further than the first round that is not whole: who meets later
    depends on it.
    """
    done = ScheduleProgress()
    while True:
        missing = False
        fresh: list[Row] = []
        for task in schedule.tasks(done):
            unit = _unit(task, rows)
            if not unit or any(judge(_result(row, task)) for row in unit):
                missing = True
            else:
                fresh += unit
                yield task, unit
        for row in fresh:
            done.add_row(row[0], row[1], row[5], row[6])
        if missing or not fresh or not schedule.stepwise:
            return


def _result(row: Row, task: Task) -> GameResult:
    return GameResult.from_row(row, task.a, task.b, task.round)


def _unit(task: Task, rows: Mapping[int, Row]) -> list[Row]:
    """The rows of a pair or series, none if one is missing."""
    if not isinstance(task, SeriesTask):
        keys = [game_key(task.pairing, task.deal, game) for game in task.games]
        return [rows[key] for key in keys] if all(key in rows for key in keys) else []
    unit: list[Row] = []
    points = [0, 0]
    while not unit or not is_over(task.rule, len(unit), *points):
        found = [rows[key] for key in _keys(task, len(unit)) if key in rows]
        if len(found) != 1:
            return []
        game = GameId.from_key(found[0][0]).game
        for side, more in enumerate(points_of(found[0][1], found[0][5], found[0][6])):
            points[side ^ game] += more
        unit += found
    return unit


def _keys(task: SeriesTask, number: int) -> Iterable[int]:
    return (game_key(task.pairing, task.deal + number, game) for game in (0, 1))
