"""Leagues for the tests of `arena league` and `arena submit`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.cli.main import main
from tests.cli.conftest import Arena
from tests.league.conftest import no_check, real_check
from tests.league.leagues import BROKEN, FIRST, LAST, RAISES, RANDOM, skip_check, written

__all__ = ["no_check", "real_check"]  # fixtures

PLACED = ("error=100", "most_games=16", "sample=3", "games=4")
QUICK = ("--set", "isolation=none", "--move-ms", 0, *(f"--set=placement.{one}" for one in PLACED))
ONE = ("--workers", 1)


@pytest.fixture
def open_(arena: Arena) -> Arena:
    """Create a league called open, and the files of some bots."""
    arena("league", "create", "open", *QUICK)
    written(Path("bots"), first=FIRST, last=LAST, random=RANDOM, raises=RAISES, broken=BROKEN)
    return arena


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with a league of three bots, once."""
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        skip_check(patch)
        written(Path("bots"), first=FIRST, last=LAST, random=RANDOM, raises=RAISES, broken=BROKEN)
        assert main(["league", "create", "open", *map(str, QUICK)]) == 0
        for name in ("first", "last", "random"):
            assert main(["submit", f"bots/{name}.py", "--league", "open", "--workers", "1"]) == 0
    return folder


@pytest.fixture
def played(three: Path, arena: Arena) -> Arena:
    """Copy the league of three bots into the working directory."""
    shutil.copytree(three, ".", dirs_exist_ok=True)
    return arena
