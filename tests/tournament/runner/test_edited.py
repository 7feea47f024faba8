"""Bots whose files are edited while they play: the version that was read first plays on."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
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
from tests.tournament.runner.runs import bot, games, play

pytestmark = pytest.mark.process

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
EDITS = {
    "ben.py": BEN.replace('["at"] + 0', '["at"] + 1'),
    "ben_helper.py": "MORE = 2\n",
    "ben.json": '{"at": 3}',
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of Ben."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for name, text in (("ben.py", BEN), ("ben_helper.py", HELPER), ("ben.json", DATA)):
        (folder / name).write_text(text)
    return folder


def run_of(home: Path, count: int, level: str = "none", **more: Any) -> dict[str, Any]:
    ben = {"spec": str(home / "ben.py"), "name": "ben"}
    return {"name": "test", "bots": [ben, bot("random")], "games": count, "seed": 5, "isolation": level, **more}


def plain_games(home: Path, folder: Path, count: int) -> list[tuple[Any, ...]]:
    """Return the games of Ben when nobody edits him."""
    assert play(folder, run_of(home, count)).edited == ()
    return games(folder)


def replaced(folder: Path) -> int:
    """Return how many workers were replaced because of an edit."""
    log = folder / LOG
    return log.read_text().count("edited during play") if log.exists() else 0


class Editor(ProgressListener):
    """Does something once, when the first games are stored."""

    def __init__(self, edit: Callable[[], object]) -> None:
        self.edit = edit
        self.done_at = 0

    def update(self, status: RunStatus) -> None:
        if status.done and not self.done_at:
            self.edit()
            self.done_at = status.done


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize(
    ("level", "count"),
    [("none", 3000), ("process", 160), pytest.param("sandbox", 160, marks=[pytest.mark.sandbox, pytest.mark.slow])],
)
def test_the_version_read_first_plays_on(home: Path, tmp_path: Path, level: str, count: int, name: str) -> None:
    run = tmp_path / "run"
    expected = plain_games(home, tmp_path / "plain", count)
    editor = Editor(lambda: (home / name).write_text(EDITS[name]))
    report = play(run, run_of(home, count, level), progress=editor)
    assert 0 < editor.done_at < count
    assert (report.edited, report.mixed, report.workers_lost) == (("ben",), (), 0)
    assert games(run) == expected
    assert 1 <= replaced(run) <= 2  # each worker once
    assert not (run / KEPT).exists()
    again = play(run, run_of(home, count, level))
    assert (again.played, again.edited) == (count, ())
    assert games(run) != expected


DIES = """

_begun = 0
_begin = Ben.begin


def begin(self, setup):
    global _begun
    _begun += 1
    home = Path("HOME")
    if _begun == 20 and not (home / "edited.log").exists():
        (home / "edited.log").touch()
        (home / "ben.py").write_text("import nothing")
        (home / "ben_helper.py").unlink()
        __import__("os")._exit(3)
    _begin(self, setup)


Ben.begin = begin
"""


def test_a_worker_that_is_replaced_loads_the_version_read_first(home: Path, tmp_path: Path) -> None:
    (home / "ben.py").write_text(BEN + DIES.replace("HOME", str(home)))
    (home / "edited.log").touch()
    expected = plain_games(home, tmp_path / "plain", 100)
    (home / "edited.log").unlink()
    report = play(tmp_path / "run", run_of(home, 100), workers=1)
    assert (home / "edited.log").exists()
    assert (report.edited, report.workers_lost) == (("ben",), 1)
    assert games(tmp_path / "run") == expected


def test_a_bot_that_was_deleted_plays_on(home: Path, tmp_path: Path) -> None:
    expected = plain_games(home, tmp_path / "plain", 240)
    editor = Editor(lambda: home.rename(tmp_path / "elsewhere"))
    report = play(tmp_path / "run", run_of(home, 240, "process"), progress=editor)
    assert report.edited == ("ben",)
    assert games(tmp_path / "run") == expected


def test_what_is_no_edit_disturbs_nobody(home: Path, tmp_path: Path) -> None:
    def touch() -> None:
        (home / "other.py").write_text("def act(view, moves): return moves[0]")
        (home / "ben.json").write_text(DATA)

    run = tmp_path / "run"
    report = play(run, run_of(home, 3000), progress=Editor(touch))
    assert report.edited == report.mixed == ()
    assert replaced(run) == 0


def test_an_edit_before_the_copy_counts_as_the_version_that_plays(home: Path, tmp_path: Path) -> None:
    (home / "ben.py").write_text(EDITS["ben.py"])
    expected = plain_games(home, tmp_path / "plain", 100)
    # when it is loaded for the first time, it writes its tables
    first = 'if not Path(__file__).with_name("ben.npz").exists(): Path(__file__).with_name("ben.npz").write_text("1")\n'
    (home / "ben.py").write_text(EDITS["ben.py"] + first)
    report = play(tmp_path / "run", run_of(home, 100))
    assert report.edited == report.mixed == ()
    assert games(tmp_path / "run") == expected
    assert play(tmp_path / "run", run_of(home, 100)).played == 0


def test_a_file_that_is_being_saved_while_it_is_loaded(home: Path, tmp_path: Path) -> None:
    """The first worker loads a helper of which half has been written."""
    (home / "ben.py").write_text(
        "from pathlib import Path\n"
        'if Path(__file__).with_name("saving.log").exists():\n'
        '    Path(__file__).with_name("ben_helper.py").write_text("MO=")\n' + BEN
    )
    expected = plain_games(home, tmp_path / "plain", 100)

    class Saving(ProgressListener):
        def begin(self, name: str, seed: int, status: RunStatus) -> None:
            (home / "saving.log").touch()

    report = play(tmp_path / "run", run_of(home, 100), workers=1, progress=Saving())
    assert report.edited == ("ben",)
    assert (home / "ben_helper.py").read_text() == "MO="
    assert games(tmp_path / "run") == expected


def be_killed(folder: Path, run: dict[str, Any]) -> None:
    play(folder, run, progress=Editor(lambda: os.kill(os.getpid(), signal.SIGKILL)))


def test_copies_that_a_killed_run_has_left_are_removed(home: Path, tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=be_killed, args=(tmp_path / "run", run_of(home, 3000))
    )
    process.start()
    process.join()
    assert (tmp_path / "run" / KEPT / "0" / "ben_helper.py").is_file()
    play(tmp_path / "run", run_of(home, 2))
    assert not (tmp_path / "run" / KEPT).exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_the_version_read_first_plays_on_in_a_cluster(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the Dask executor needs the extra 'cluster'")
    expected = plain_games(home, tmp_path / "plain", 3000)
    editor = Editor(lambda: (home / "ben.json").write_text(EDITS["ben.json"]))
    report = play(tmp_path / "run", run_of(home, 3000, executor="dask"), progress=editor)
    assert 0 < editor.done_at < 3000
    assert report.edited == ("ben",)
    assert games(tmp_path / "run") == expected


# ---------------------------------------------------------------- bots that write their own files


def test_a_bot_that_writes_its_data_in_each_game_plays_on(home: Path, tmp_path: Path) -> None:
    expected = plain_games(home, tmp_path / "plain", 100)
    write = 'Path(__file__).with_name("games.txt").open("a").write("1")'
    (home / "ben.py").write_text(BEN.replace("setup):\n", f"setup):\n        {write}\n"))
    report = play(tmp_path / "run", run_of(home, 100))
    assert report.edited == ("ben",)
    assert games(tmp_path / "run") == expected
    assert replaced(tmp_path / "run") <= 2


def test_a_bot_that_changes_whenever_it_is_loaded_plays(home: Path, tmp_path: Path) -> None:
    expected = plain_games(home, tmp_path / "plain", 100)
    (home / "ben.py").write_text(BEN + '\n\nPath(__file__).with_name("loads.txt").open("a").write("1")\n')
    report = play(tmp_path / "run", run_of(home, 100))
    assert report.mixed == ("ben",)
    assert games(tmp_path / "run") == expected


# ---------------------------------------------------------------- bots without a copy


def test_a_bot_that_is_too_large_has_no_copy(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MOST_KEPT_BYTES", 10)
    editor = Editor(lambda: (home / "ben_helper.py").write_text(EDITS["ben_helper.py"]))
    report = play(tmp_path / "run", run_of(home, 3000), progress=editor)
    assert (report.edited, report.mixed) == ((), ("ben",))
    (home / "ben.py").write_text(BEN + DIES.replace("HOME", str(home)))
    (home / "ben_helper.py").write_text(HELPER)
    with pytest.raises(ArenaError, match="has changed since it was named"):
        play(tmp_path / "other", run_of(home, 100), workers=1)


def test_a_bot_that_needs_more_than_its_copy_is_told_so(home: Path, tmp_path: Path) -> None:
    (home / "ben.py").write_text(
        BEN + 'open(Path(__file__).with_name("".join(["un", "named"])))\n' + DIES.replace("HOME", str(home))
    )
    (home / "unnamed").touch()
    with pytest.raises(ArenaError, match=r"(?s)ben.py\", line 15.*unnamed'\nben was changed during play") as caught:
        play(tmp_path / "run", run_of(home, 100), workers=1)
    assert "the files that it imports or names" in str(caught.value)


# ---------------------------------------------------------------- what is said


def test_the_command_says_at_the_end_which_bots_were_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = RunReport(tmp_path, 1, 2, 2, 2, 1.0, False, 0)
    tell_edited(report)
    assert capsys.readouterr().err == ""
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
