"""Bots whose files are edited while they play: it does not matter, for they run from a copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.bots.bundle import BUNDLES
from arena.tournament.runner.play_run import RunReport
from tests.tournament.runner import runs

pytestmark = pytest.mark.process

Games = list[tuple[Any, ...]]
COUNT = 24
BEN = """
import json
from pathlib import Path

import ben_helper


class Ben:
    def begin(self, setup):
        # read for every game, as few bots do
        self.at = json.loads(Path(__file__).with_name("ben.json").read_text())["at"] + 0

    def act(self, view, moves):
        return moves[(self.at + ben_helper.MORE) % len(moves)]
"""
HELPER = "MORE = 1\n"
DATA = '{"at": 0}'
EDITS = {"ben.py": BEN.replace('["at"] + 0', '["at"] + 1'), "ben_helper.py": "MORE = 2\n", "ben.json": '{"at": 3}'}
#: The opponent, who edits Ben's files in a worker's seventh game.
ANN = """
from pathlib import Path


class Ann:
    begun = 0

    def begin(self, setup):
        Ann.begun += 1
        if Ann.begun == 7:
            EDIT

    def act(self, view, moves):
        return view.rng.choice(moves)
"""


def make_home(place: Path) -> Path:
    """Write the files of Ben into a new folder."""
    home = place / "bots"
    home.mkdir()
    for name, text in (("ben.py", BEN), ("ben_helper.py", HELPER), ("ben.json", DATA)):
        (home / name).write_text(text)
    return home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of Ben."""
    return make_home(tmp_path)


def run_of(home: Path, edit: str, level: str = "none", **more: Any) -> dict[str, Any]:
    """Return the settings of a run of Ben against Ann, who does `edit` meanwhile, a statement about `home`."""
    ann = home.parent / "ann" / "ann.py"
    ann.parent.mkdir(exist_ok=True)
    ann.write_text(ANN.replace("EDIT", edit.replace("home", f"Path({str(home)!r})")))
    bots = [{"spec": str(home / "ben.py"), "name": "ben", "isolation": level}, {"spec": str(ann), "name": "ann"}]
    return {"name": "test", "bots": bots, "games": COUNT, "seed": 5, **more}


def play(home: Path, edit: str = "pass", level: str = "none", workers: int = 1, **more: Any) -> RunReport:
    """Play such a run in the folder `run` beside that of Ben."""
    return runs.play(home.parent / "run", run_of(home, edit, level), workers, **more)


def games(home: Path) -> Games:
    return runs.games(home.parent / "run")


def saving(name: str) -> str:
    """Return the statement that saves the edit of one of Ben's files."""
    return f"(home / {name!r}).write_text({EDITS[name]!r})"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """The games of Ben when nobody edits him."""
    home = make_home(tmp_path_factory.mktemp("plain"))
    play(home)
    return games(home)


SANDBOX = pytest.param("sandbox", saving("ben.json"), marks=[pytest.mark.sandbox, pytest.mark.slow])
MOVING = 'home.exists() and home.rename(home.with_name("elsewhere"))'


@pytest.mark.parametrize(
    ("level", "edit"),
    [*(("none", saving(name)) for name in EDITS), ("none", MOVING), ("process", saving("ben.json")), SANDBOX],
)
def test_the_version_that_was_hashed_plays_on(home: Path, expected: Games, level: str, edit: str) -> None:
    assert play(home, edit, level).workers_lost == 0
    assert games(home) == expected
    assert not (home.parent / "run" / BUNDLES).exists()


def test_the_next_run_plays_the_new_version(home: Path, expected: Games) -> None:
    play(home, saving("ben.json"), workers=2)
    assert games(home) == expected
    assert play(home, saving("ben.json")).played == COUNT
    assert games(home) != expected
    assert play(home, saving("ben.json")).played == 0


DIES = """

_begun = 0
_begin = Ben.begin


def begin(self, setup):
    global _begun
    _begun += 1
    home = Path("HOME")
    if _begun == 7 and not (home / "edited.log").exists():
        (home / "edited.log").touch()
        (home / "ben.py").write_text("import nothing")
        (home / "ben_helper.py").unlink()
        __import__("os")._exit(3)
    _begin(self, setup)


Ben.begin = begin
"""


def test_a_worker_that_is_replaced_loads_the_version_that_was_hashed(home: Path, expected: Games) -> None:
    (home / "ben.py").write_text(BEN + DIES.replace("HOME", str(home)))
    report = play(home)
    assert (home / "edited.log").exists()
    assert report.workers_lost == 1
    assert games(home) == expected


def test_a_relative_folder_of_results_is_as_good(home: Path, expected: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.parent)
    runs.play(Path("run"), run_of(home, saving("ben.json"), "process"))
    assert games(home) == expected


def test_a_bot_that_holds_the_name_of_its_results_is_not_changed_by_a_run(home: Path) -> None:
    (home / "ben.py").write_text(BEN + 'RESULTS = "results"\n')
    assert runs.play(home / "results" / "run", run_of(home, "pass")).played == COUNT
    assert runs.play(home / "results" / "run", run_of(home, "pass")).played == 0
