"""`arena runs` and `arena verify`: list runs, and check that their games replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from arena.cli.printing import counting, print_report
from arena.errors import ArenaError
from arena.league.league_settings import LeagueError
from arena.league.store import open_league
from arena.league.verification import league_faults, verified_games
from arena.paths import RESULTS
from arena.results.records import verify_file
from arena.results.run_list import run_rows, runs_report
from arena.results.sources import RecordFile, Source, StoredLeague, find_source
from arena.results.table import Report, Table, by_variant
from arena.text import one_line
from arena.tournament.games import GameResult
from arena.tournament.rows import game_faults
from arena.tournament.store.reader import Reader


def runs_command(folder: Path | None, limit: int, form: str) -> None:
    """Run `arena runs`."""
    root = RESULTS if folder is None else folder
    if folder is not None and not folder.is_dir():
        raise ArenaError(f"there is no folder {folder}")
    lines = run_rows(root)
    if not lines and form == "table":
        click.echo(f"No runs in {root} yet. Play one: arena run quick")
        return
    print_report(runs_report(root, lines[:limit] if limit else lines, len(lines)), form)


# ---------------------------------------------------------------- arena verify

SHOWN_FAULTS = 20


def verify_command(source: str, as_json: bool) -> int:
    """Run `arena verify`."""
    reports = {
        rules: _verified(part, f"{rules}: " if rules else "") for rules, part in find_source(source).parts().items()
    }
    print_report(by_variant(reports), "json" if as_json else "table")
    return 0 if all(report.about["sound"] for report in reports.values()) else 1


def _verified(part: Source, variant: str) -> Report:
    """Verify a run, a league or a file of records."""
    path = part.path
    if isinstance(part, RecordFile):
        return _report(path, [], verify_file(path), None, variant)
    if isinstance(part, StoredLeague):
        try:
            with open_league(path, write=False) as league, league.snapshot():
                games = _named(verified_games(league))
                return _report(path, league_faults(league), games, league.count_games(), variant)
        except LeagueError as error:  # too damaged to be opened
            return _report(path, [one_line(str(error))], [], None, variant)
    with Reader(path) as reader:
        faults = reader.faults()
        if not faults and not reader.is_begun:
            raise ArenaError(f"there is no run in {one_line(str(path))} yet: it was never begun")
        return _report(path, faults, _named(_checked(reader)), reader.count(), variant)


def _checked(reader: Reader) -> Iterator[tuple[GameResult, str | None]]:
    """Yield each game of a run with what is wrong with it, or None; damaged settings raise with the first."""
    yield from game_faults(reader.results(), reader.config())


def _named(games: Iterable[tuple[GameResult, str | None]]) -> Iterator[str | None]:
    """Yield for each game what is wrong with it, after its name, or None."""
    for game, fault in games:
        yield fault and one_line(f"game {game.name}: {fault}")


def _report(path: Path, damage: Iterable[str], games: Iterable[str | None], total: int | None, variant: str) -> Report:
    """Report the faults of a database and of its games; `games` has None for a sound one."""
    faults = list(damage)
    count = bad = 0
    with counting(total, "Replaying") as tick:
        try:
            for fault in games:
                count += 1
                tick()
                if fault is not None:
                    bad += 1
                    faults.append(fault)
        except ArenaError as error:
            faults.append(str(error))
    verdict = f"{count:,} games replayed, all with their stored results."
    if bad:
        verdict = f"{bad:,} of {count:,} games do not replay to their stored results."
    elif faults:
        verdict = f"{path} is damaged."
    shown = [*faults[:SHOWN_FAULTS], *([f"... and {len(faults) - SHOWN_FAULTS} more"] if faults[SHOWN_FAULTS:] else [])]
    table = Table("faults", "", [{"fault": fault} for fault in faults], files=("fault",))
    about = {"name": str(path), "sound": not faults, "games": count, "bad": bad}
    return Report("\n".join(map(one_line, [f"{variant}{verdict}", *shown])), [table], about=about)
