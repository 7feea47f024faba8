"""docs/internals/how-to-add.md is true: a format and an output format are entries of a registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import run_tournament
from arena.tournament.formats import FORMATS
from arena.tournament.formats.round_robin import fixed_schedule
from arena.tournament.formats.schedule import Format, FormatInput, Schedule
from arena.tournament.run_settings import FORMAT_SETTINGS, FormatSettings


def neighbours(design: FormatInput, settings: object) -> Schedule:
    """Every bot meets the next one in the circle."""
    bots = design.bots
    return fixed_schedule(bots, zip(bots, (*bots[1:], bots[0])), design.games, design.paired)


@pytest.mark.process
def test_a_format_is_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "circle", Format("circle", "every bot meets the next one", neighbours))
    monkeypatch.setitem(FORMAT_SETTINGS, "circle", FormatSettings)
    bots = ["first", "random", "greedy", "three=first"]
    run = run_tournament(bots, format="circle", games=2, seed=1, workers=1, out=tmp_path / "run")
    assert len(run.games) == 8
