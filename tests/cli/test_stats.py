"""`arena standings --all`: the figures of a run against those counted by hand from its games."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.results.run_stats import STATISTICS
from tests.cli.conftest import Arena, json_of

pytestmark = pytest.mark.process

TITLES = {statistic.name: statistic.title for statistic in STATISTICS}
FIELD = ("tournament", "greedy", "random", "--games", 20, "--seed", 3, "--workers", 1)
BAD = """
def act(view, moves):
    view.note(value=0.5)
    if view.rng.random() < 0.02:
        raise ValueError("no")
    return moves[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field with a bot that fails, played once."""
    place = tmp_path_factory.mktemp("stats")
    (place / "bad.py").write_text(BAD)
    assert main([str(one) for one in (*FIELD, place / "bad.py", "--out", place / "run")]) == 0
    return place / "run"


@pytest.fixture
def run(arena: Arena, folder: Path) -> Path:
    """A copy in the working directory."""
    return Path(shutil.copytree(folder, "run"))


@pytest.fixture(scope="module")
def values(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json_of("standings", folder, "--all", "--json", "--error", 20)
    return found


def test_every_table_is_a_file_of_csv(arena: Arena, run: Path, values: dict[str, Any]) -> None:
    written = arena("standings", run, "--all", "--csv", "tables").err.splitlines()
    assert {Path(path).stem for path in written} == {*TITLES, "forfeits"} <= set(values)
    for name in TITLES:
        text = Path(f"tables/{name}.csv").read_text()
        rows = list(csv.DictReader(text.splitlines()))
        assert (len(rows), set(rows[0])) == (len(values[name]), set(values[name][0]))
        assert "nan" not in text.lower()
