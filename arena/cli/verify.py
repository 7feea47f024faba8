"""`arena verify`: is a run what was stored, does it replay, and what can be saved if not?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.options import complete_runs
from arena.cli.output import counting
from arena.errors import ArenaError
from arena.text import printable

SHOWN_FAULTS = 20


@click.command()
@click.argument("source", metavar="FOLDER|FILE", shell_complete=complete_runs)
@click.option(
    "--salvage",
    "to",
    type=click.Path(path_type=Path),
    metavar="NEW",
    help="Write the sound games of a run to a new run in this folder, which 'arena resume' can continue.",
)
def verify(source: str, to: Path | None) -> int:
    """Check every row of a run, replay every game of it, or of a file of records, and compare with what is stored.

    The exit code is 1 if anything is damaged or any game differs.
    """
    from arena.results.reading.comparison import variant_folders
    from arena.results.reading.game import is_file, verify_file
    from arena.results.sources import LEAGUE, find
    from arena.tournament.store.folders import COMPARISON

    if is_file(source):
        if to is not None:
            raise click.UsageError("--salvage is for the folder of a run")
        return _tell(verify_file(Path(source)), None, "")
    kind, folder = find(source)
    if to is not None:
        if kind in (LEAGUE, COMPARISON):
            raise click.UsageError("--salvage is for the folder of a single run")
        return _salvage(folder, to)
    if kind == LEAGUE:
        from arena.cli.league.shared import verify as verify_league

        return verify_league(folder)
    if kind != COMPARISON:
        return _verify_run(folder)
    codes = []
    for rules, variant in variant_folders(folder).items():
        click.echo(f"{rules}: ", nl=False)
        codes.append(_verify_run(variant))
    return max(codes)


def _verify_run(folder: Path) -> int:
    from arena.results.reading.game import game_faults
    from arena.tournament.store.reader import Reader

    with Reader(folder) as reader:
        if not reader.has_checksums:
            click.echo("Stored by an older version, without checksums: not all damage can be noticed.", err=True)
        remedy = f"The others can be saved: arena verify {shlex.quote(str(folder))} --salvage NEW"
        return _tell(game_faults(reader), reader.count(), remedy)


def _tell(checked: Iterator[str | None], expected: int | None, remedy: str) -> int:
    """Say what was found. The exit code."""
    faults: list[str] = []
    count = bad = 0
    damage = ""
    with counting(expected, "Replaying") as seen:
        try:
            for fault in checked:
                count += 1
                seen()
                if fault is not None:
                    bad += 1
                    faults += [fault] * (len(faults) < SHOWN_FAULTS)
        except ArenaError as error:
            damage = str(error)
    for line in faults:
        click.echo(line)
    if bad > SHOWN_FAULTS:
        click.echo(f"... and {bad - SHOWN_FAULTS} more")
    if damage:
        click.echo(printable(damage), err=True)
    elif bad:
        click.echo(f"{bad:,} of {count:,} games do not replay to their stored results. {remedy}".rstrip(), err=True)
    else:
        click.echo(f"{count:,} games replayed, all with their stored results.")
    return 1 if bad or damage else 0


def _salvage(folder: Path, to: Path) -> int:
    from arena.results.reading.run import read_run
    from arena.tournament.match.verify import game_fault
    from arena.tournament.store.salvage import salvage

    found = salvage(folder, to, lambda result, config: game_fault(result, config.rules, config.seed or 0))
    of = "" if found.stored is None else f" of {found.stored:,}"
    click.echo(f"{found.games:,}{of} games of {folder} are in {to} now.")
    if found.left_out > 0:
        click.echo(f"Sound games left out, for the others of their pair, series or round are lost: {found.left_out}.")
    if read_run(to).complete:
        click.echo("Nothing is missing.")
    else:
        click.echo(f"What is missing is played again by: arena resume {shlex.quote(str(to))}")
    return 0
