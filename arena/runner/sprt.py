"""The sequential test of a run: reads the stored pairs in schedule order, says when it is over, shows it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import cast

import click

from arena.formats.sprt import SprtSettings
from arena.report.export import write_whole
from arena.report.run import RunData
from arena.report.sprt import sprt_line, sprt_text, sprt_values
from arena.report.tables import json_text
from arena.runner.progress import RunStatus
from arena.stats.sprt import ScaleName, Sprt, SprtResult, SprtTest
from arena.store.reader import Reader

FILE = "sprt.json"


class Watch:
    """Called with a run, takes note of its new pairs; the number of pairs with which the test is over, or None.

    What it says depends only on the pairs from the first on, not on when it is asked.
    """

    def __init__(self, settings: SprtSettings) -> None:
        model = cast("ScaleName", settings.model)  # SprtTest looks whether it is one
        test = SprtTest(settings.elo0, settings.elo1, settings.alpha, settings.beta, model)
        self.limit = settings.max_pairs
        self._sprt = Sprt(test)
        self._read = 0

    def __call__(self, reader: Reader) -> int | None:
        cells = reader.cells_from(self._read)[: max(self.limit - self._read, 0)]
        self._read += len(cells)
        self._sprt.extend(cells)
        return self._sprt.units if self.decided else None

    @property
    def decided(self) -> bool:
        return self._sprt.verdict != "continue"

    @property
    def planned(self) -> int:
        """Games of the whole test as far as that is known."""
        return 2 * (self._sprt.units if self.decided else self.limit)

    def result(self) -> SprtResult:
        """The state of the test."""
        return self._sprt.result()

    def text(self, status: RunStatus) -> str:
        """Where the test stands, for a line of progress."""
        rate = f"{status.rate:,.0f}" if status.rate >= 10 else f"{status.rate:.2g}"
        return sprt_line(self.result()) + (f", {rate} games/s" if status.rate > 0 else "")


def watched(settings: SprtSettings, reader: Reader) -> Watch:
    """The test of a stored run, as far as it has come."""
    watch = Watch(settings)
    watch(reader)
    return watch


def show_run(run: RunData, test: Watch, folder: Path, as_json: bool) -> None:
    """Write sprt.json into the folder of a run and show where the test stands."""
    result = test.result()
    one, two = run.bots
    config = run.config
    values = {
        "bot": one,
        "opponent": two,
        **sprt_values(result),
        "pairs": result.units,
        "max_pairs": test.limit,
        "rules": config["rules"],
        "seed": config["seed"],
    }
    write_whole(folder / FILE, [json_text(values)])
    if as_json:
        click.echo(json_text(values | {"folder": str(folder)}), nl=False)
        return
    click.echo(err=True)  # an empty line after the progress
    click.echo(f"{run.name}: {one} against {two}, rules {config['rules']}, seed {config['seed']}\n")
    click.echo(sprt_text(result, one, two), nl=False)
    if not test.decided:
        click.echo(f"The test was given up after {result.units:,} pairs; --max-pairs allows more.")
    click.echo(f"\nStored in {folder}. The table: arena standings {shlex.quote(str(folder))}")
