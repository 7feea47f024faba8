"""Bots whose files are edited while they play: the version that was read first plays on."""

from __future__ import annotations

import multiprocessing
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots import kept as kept_files
from arena.bots.kept import KEPT
from arena.cli.playing import tell_edited
from arena.errors import ArenaError
from arena.tournament.runner.logs import LOG
from arena.tournament.runner.play_run import RunReport
from arena.tournament.runner.progress import ProgressListener, RunStatus
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


def replaced(home: Path) -> int:
    """Return how many workers were replaced because of an edit."""
    log = home.parent / "run" / LOG
    return log.read_text().count("edited during play") if log.exists() else 0


def saving(name: str) -> str:
    """Return the statement that saves the edit of one of Ben's files."""
    return f"(home / {name!r}).write_text({EDITS[name]!r})"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """The games of Ben when nobody edits him."""
    home = make_home(tmp_path_factory.mktemp("plain"))
    assert play(home).edited == ()
    return games(home)


SANDBOX = pytest.param("sandbox", saving("ben.json"), marks=[pytest.mark.sandbox, pytest.mark.slow])
MOVING = 'home.exists() and home.rename(home.with_name("elsewhere"))'


@pytest.mark.parametrize(
    ("level", "edit"),
    [*(("none", saving(name)) for name in EDITS), ("none", MOVING), ("process", saving("ben.json")), SANDBOX],
)
def test_the_version_read_first_plays_on(home: Path, expected: Games, level: str, edit: str) -> None:
    report = play(home, edit, level)
    assert (report.edited, report.mixed, report.workers_lost) == (("ben",), (), 0)
    assert games(home) == expected
    assert replaced(home) == 1
    assert not (home.parent / "run" / KEPT).exists()


def test_the_next_run_plays_the_new_version(home: Path, expected: Games) -> None:
    report = play(home, saving("ben.json"), workers=2)
    assert report.edited == ("ben",)
    assert games(home) == expected
    assert 1 <= replaced(home) <= 2  # each worker once
    again = play(home, saving("ben.json"))
    assert (again.played, again.edited) == (COUNT, ())
    assert games(home) != expected


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


def test_a_worker_that_is_replaced_loads_the_version_read_first(home: Path, expected: Games) -> None:
    (home / "ben.py").write_text(BEN + DIES.replace("HOME", str(home)))
    report = play(home)
    assert (home / "edited.log").exists()
    assert (report.edited, report.workers_lost) == (("ben",), 1)
    assert games(home) == expected


def test_what_is_no_edit_disturbs_nobody(home: Path) -> None:
    report = play(home, f'(home / "other.py").write_text("X = 1"), (home / "ben.json").write_text({DATA!r})')
    assert (home / "other.py").exists()
    assert report.edited == report.mixed == ()
    assert replaced(home) == 0


def test_an_edit_before_the_copy_counts_as_the_version_that_plays(home: Path, expected: Games) -> None:
    # when it is loaded for the first time, it writes its tables
    first = 'if not Path(__file__).with_name("ben.npz").exists(): Path(__file__).with_name("ben.npz").write_text("1")\n'
    (home / "ben.py").write_text(BEN + first)
    report = play(home)
    assert report.edited == report.mixed == ()
    assert games(home) == expected
    assert play(home).played == 0


def test_a_file_that_is_being_saved_while_it_is_loaded(home: Path, expected: Games) -> None:
    """The first worker loads a helper of which half has been written."""
    (home / "ben.py").write_text(
        "from pathlib import Path\n"
        'if Path(__file__).with_name("saving.log").exists():\n'
        '    Path(__file__).with_name("ben_helper.py").write_text("MO=")\n' + BEN
    )

    class Saving(ProgressListener):
        def begin(self, name: str, seed: int, status: RunStatus) -> None:
            (home / "saving.log").touch()

    assert play(home, progress=Saving()).edited == ("ben",)
    assert (home / "ben_helper.py").read_text() == "MO="
    assert games(home) == expected


def test_copies_that_a_killed_run_has_left_are_removed(home: Path) -> None:
    dies = {"progress": runs.SendsSignal(1, signal.SIGKILL)}
    process = multiprocessing.get_context("spawn").Process(target=play, args=(home,), kwargs=dies)
    process.start()
    process.join()
    kept = home.parent / "run" / KEPT
    assert (kept / "0" / "ben_helper.py").is_file()
    play(home)
    assert not kept.exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_the_version_read_first_plays_on_in_a_cluster(home: Path, expected: Games) -> None:
    pytest.importorskip("distributed", reason="the Dask executor needs the extra 'cluster'")
    assert play(home, saving("ben.json"), executor="dask").edited == ("ben",)
    assert games(home) == expected


WRITES = 'Path(__file__).with_name("own.txt").open("a").write("1")\n'
WHEN_LOADED, IN_EACH_GAME = f"import ben_helper\n{WRITES}", f"setup):\n        {WRITES}"


@pytest.mark.parametrize(("when", "copied"), [(IN_EACH_GAME, True), (WHEN_LOADED, False)])
def test_a_bot_that_writes_its_own_data_plays_on(home: Path, expected: Games, when: str, copied: bool) -> None:
    (home / "ben.py").write_text(BEN.replace(when.removesuffix(WRITES).rstrip(" "), when))
    report = play(home)
    assert (report.edited, report.mixed) == ((("ben",), ()) if copied else ((), ("ben",)))
    assert games(home) == expected
    assert replaced(home) <= 1


def test_a_bot_that_is_too_large_has_no_copy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MOST_KEPT_BYTES", 10)
    report = play(home, saving("ben_helper.py"))
    assert (report.edited, report.mixed) == ((), ("ben",))
    (home / "ben.py").write_text(BEN + DIES.replace("HOME", str(home)))
    (home / "ben_helper.py").write_text(HELPER)
    with pytest.raises(ArenaError, match="has changed since it was named"):
        play(home)


def test_a_bot_that_needs_more_than_its_copy_is_told_so(home: Path) -> None:
    opens = 'open(Path(__file__).with_name("".join(["un", "named"])))\n'
    (home / "ben.py").write_text(BEN + opens + DIES.replace("HOME", str(home)))
    (home / "unnamed").touch()
    with pytest.raises(ArenaError, match=r"(?s)ben.py\", line 15.*unnamed'\nben was changed during play") as caught:
        play(home)
    assert "the files that it imports or names" in str(caught.value)


def test_the_command_says_at_the_end_which_bots_were_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = RunReport(tmp_path, 1, 2, 2, 2, 1.0, False, 0)
    tell_edited(replace(report, edited=("ben",)))
    assert capsys.readouterr().err == (
        "ben was changed during play: its games were played by the version read at the start. "
        "Bring the run up to date to play the new one.\n"
    )
    tell_edited(replace(report, edited=("ben", "ann"), mixed=("big one",)))
    assert capsys.readouterr().err == (
        "ben and ann were changed during play: their games were played by the versions read at the start. "
        "Bring the run up to date to play the new ones.\n"
        "big one was changed during play, and no copy of it was kept: some of its games may have been played by the new"
        " version. Play them again with --again 'big one'\n"
    )
