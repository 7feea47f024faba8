"""Bots' files on their way to other machines."""

from __future__ import annotations

import io
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bots.kept import BotSources, copies_folder, copy_bots
from arena.bots.loading import load_bot
from arena.bots.source_files import current_hash
from arena.bots.spec import find_bot
from arena.tournament.runner.job import Job

pytest.importorskip("distributed", reason="the Dask executor needs the extra 'cluster'")
from arena.tournament.runner import dask as bot_files
from arena.tournament.runner.dask import BotFiles, pack


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "here" / "mine"
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text(
        "import helper\n\nclass Mine:\n    def act(self, view, moves):\n        return moves[helper.AT]\n"
    )
    (folder / "helper.py").write_text(
        "import os\nAT = int(open(os.path.join(os.path.dirname(__file__), 'data/at')).read())\n"
    )
    (folder / "data" / "at").write_text("3")
    (folder / ".env").write_text("secret")
    (folder / "run.sh").write_text("#!/bin/sh\nexec cat\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def job_of(*specs: str, folder: Path | None = None) -> Job:
    return Job("base", 1, tuple(find_bot(spec, folder=folder) for spec in specs))


def files_of(job: Job, below: Path) -> BotFiles:
    """The files of a job's bots, as a worker of a cluster gets them; unpacked in a folder."""
    files = BotFiles("run", pack(job), bot_files.about())
    files.setup(SimpleNamespace(local_directory=str(below)))
    return files


def names(archive: bytes) -> list[str]:
    return tarfile.open(fileobj=io.BytesIO(archive)).getnames()


def test_a_folder_travels(home: Path, tmp_path: Path) -> None:
    job = job_of(str(home / "bot.py"), "random")
    packed = pack(job)
    assert names(packed[str(home)]) == ["bot.py", "data/at", "helper.py", "run.sh"]
    assert len(packed) == 1  # every machine has the bots of the program
    there = files_of(job, tmp_path)
    assert there.placed(job) == job  # nothing is unpacked where the files are
    shutil.rmtree(home)
    mine, house = there.placed(job).bots
    assert (mine.name, mine.source_hash) == (job.bots[0].name, job.bots[0].source_hash)
    assert Path(mine.path).is_relative_to(tmp_path)
    assert load_bot(mine).spec == mine  # with its helper, and with what that reads
    assert house == job.bots[1]
    there.teardown(None)
    assert not Path(mine.path).exists()
    assert not list(tmp_path.glob("arena-bots-*"))


def test_another_file_at_the_same_place_is_not_used(home: Path, tmp_path: Path) -> None:
    job = job_of(str(home / "bot.py"))
    there = files_of(job, tmp_path)
    (home / "bot.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert there.placed(job).bots[0].path != str(home / "bot.py")


def test_a_bot_with_another_helper_at_the_same_place_is_not_used(home: Path, tmp_path: Path) -> None:
    job = job_of(str(home / "bot.py"))
    there = files_of(job, tmp_path)
    (home / "helper.py").write_text("AT = 0\n")
    assert there.placed(job).bots[0].path != str(home / "bot.py")


def test_a_bot_that_is_edited_during_play_travels_as_it_was(home: Path, tmp_path: Path) -> None:
    with copies_folder(tmp_path / "run") as copies:
        job = job_of(str(home / "bot.py"), "random")
        job = replace(job, kept=copy_bots(job.bots, copies))
        (home / "helper.py").write_text("AT = 0\n")
        (home / "bot.py").unlink()
        there = files_of(job, tmp_path)
        assert there.placed(job) == job  # the folder of the run is there as well
    mine = there.placed(job).bots[0]
    assert there.placed(job).kept[0] is None  # nobody edits what was sent
    assert current_hash(Path(mine.path)) == mine.source_hash
    assert load_bot(mine).spec == mine


def test_what_travels_is_the_copy_where_the_original_is_as_well(home: Path, tmp_path: Path) -> None:
    with copies_folder(tmp_path / "run") as copies:
        job = job_of(str(home / "bot.py"))
        job = replace(job, kept=copy_bots(job.bots, copies))
        there = files_of(job, tmp_path)
    placed = there.placed(job)
    assert placed.bots == job.bots
    (home / "helper.py").write_text("AT = 0\n")
    sources = BotSources(placed.bots, placed.kept)
    assert sources.changed(["bot"]) == ["bot"]
    assert current_hash(Path(sources.spec(0).path)) == job.bots[0].source_hash


def test_a_command_travels(home: Path, tmp_path: Path) -> None:
    job = job_of("cmd:./run.sh --fast", folder=home)
    there = files_of(job, tmp_path)
    shutil.rmtree(home)
    (bot,) = there.placed(job).bots
    assert bot.command == (bot.path, "--fast")
    assert Path(bot.path).stat().st_mode & 0o111


def test_of_a_large_folder_only_the_bot_travels(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_files, "_MOST_FILES", 2)
    assert names(pack(job_of(str(home / "bot.py")))[str(home)]) == ["bot.py"]
