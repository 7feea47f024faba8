"""docs/internals/how-to-add.md is true: a format, an executor and an output format are entries of a registry."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from arena import run_tournament
from arena.results import formats
from arena.results.table import Report, table_of
from arena.tournament.formats import FORMATS
from arena.tournament.formats.round_robin import fixed_schedule
from arena.tournament.formats.schedule import Format, FormatInput, Schedule
from arena.tournament.run_settings import EXECUTORS, FORMAT_SETTINGS, ExecutorEntry, FormatSettings
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.pool import WorkerPool

jobs: list[Job] = []


def neighbours(design: FormatInput, settings: object) -> Schedule:
    """Every bot meets the next one in the circle."""
    bots = design.bots
    return fixed_schedule(bots, zip(bots, (*bots[1:], bots[0])), design.games, design.paired)


def noting_executor(job: Job, scheduler: str | None, sink: Sink) -> WorkerPool:
    """Note what is played, and play it here."""
    jobs.append(job)
    return WorkerPool(job, scheduler, sink)


@pytest.mark.process
def test_a_format_and_an_executor_are_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "circle", Format("circle", "every bot meets the next one", neighbours))
    monkeypatch.setitem(FORMAT_SETTINGS, "circle", FormatSettings)
    monkeypatch.setitem(EXECUTORS, "noting", ExecutorEntry(f"{__name__}:noting_executor"))
    bots = ["first", "random", "greedy", "three=first"]
    run = run_tournament(bots, format="circle", games=2, seed=1, executor="noting", workers=1, out=tmp_path / "run")
    assert len(run.games) == 8
    assert len(jobs) == 1


def test_an_output_format_is_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        formats.REPORT_FORMATS, "titles", lambda report: "".join(table.title for table in report.tables)
    )
    report = Report("", [table_of("bots", "Bots", pd.DataFrame({"bot": ["a"]}))])
    assert formats.write_report(report, "titles") == "Bots"
