"""Runs on a real Dask cluster of several processes: the same games, also when one of them is killed.

Also the files of bots on their way to other machines.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots import bundle
from arena.bots.processes import children, is_running
from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.tournament.rows import GameSettings
from arena.tournament.runner.job import Job
from arena.tournament.runner.progress import ProgressListener, RunStatus
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import FIELD, SendsSignal, bot, forfeits, games, play, settings

pytest.importorskip("distributed", reason="a cluster needs the extra 'cluster': pip install '.[cluster]'")
from arena.tournament.runner.dask import placed, with_commands

pytestmark = [
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

HERE = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """A scheduler and two workers as `dask scheduler` and `dask worker` start them: address, workers' pids."""
    folder = tmp_path_factory.mktemp("cluster")
    address = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    started = [_start([*command, "--host", "127.0.0.1", "--scheduler-file", str(address)], folder)]
    try:
        assert wait_for(address.is_file, 30)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address)]
        options = ["--nthreads", "1", "--no-dashboard", "--memory-limit", "0", "--no-nanny"]
        started += [_start([*worker, *options], folder) for _ in range(2)]
        yield json.loads(address.read_text())["address"], [process.pid for process in started[1:]]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    silent = subprocess.DEVNULL
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=silent, stderr=silent)


@pytest.mark.slow
def test_a_cluster_gives_the_same_games_though_it_is_stopped_and_a_worker_dies(
    cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, pids = cluster
    data = settings(bot("sleeper", "slow", ms=4.0), *FIELD[:2], games=16)
    play(tmp_path / "local", data)
    report = play(tmp_path / "dask", data, scheduler=address, progress=SendsSignal(4))
    assert report.interrupted
    assert 4 <= report.done < report.total
    orphans: list[int] = []

    class Kills(SendsSignal):
        def update(self, status: RunStatus) -> None:
            orphans[:] = orphans or children(pids[0])
            super().update(status)

    kills = Kills(report.done + 1, signal.SIGKILL, pids[0])
    report = play(tmp_path / "dask", data, scheduler=address, progress=kills)
    assert report.done == report.total == 48
    assert kills.sent
    assert games(tmp_path / "dask") == games(tmp_path / "local")
    assert forfeits(tmp_path / "dask") == {}
    assert orphans
    assert wait_for(lambda: not any(map(is_running, orphans)))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9"])  # there are no certificates
def test_a_scheduler_that_is_not_there(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.tournament.runner.dask._WAIT_S", 0.5)
    with pytest.raises(ArenaError, match=f"cannot reach the Dask scheduler {address}: "):
        play(tmp_path, settings(*FIELD), scheduler=address)
    assert threading.active_count() < 50


def test_without_distributed_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "arena.tournament.runner.dask", raising=False)
    with pytest.raises(ArenaError, match="needs the package distributed"):
        play(tmp_path, settings(*FIELD), scheduler="tcp://x:1")


@pytest.mark.slow
def test_bots_travel_to_workers_that_do_not_have_them(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    """The folder is gone when the first chunk is sent."""
    home = tmp_path / "mine"
    home.mkdir()
    (home / "helper.py").write_text("def choose(moves):\n    return moves[-1]\n")
    (home / "bot.py").write_text("import helper\n\ndef act(view, moves):\n    return helper.choose(moves)\n")
    data = settings({"spec": str(home / "bot.py"), "name": "mine"}, FIELD[0], games=2)
    play(tmp_path / "local", data)

    class Removes(ProgressListener):
        def begin(self, name: str, seed: int, status: RunStatus) -> None:
            shutil.rmtree(home)

    play(tmp_path / "dask", data, scheduler=cluster[0], progress=Removes())
    assert games(tmp_path / "dask") == games(tmp_path / "local")


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused(
    cluster: tuple[str, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.runner.dask.about", lambda: "sources abc")
    with pytest.raises(ArenaError, match=r"has another version of this program .* \(sources abc\); install"):
        play(tmp_path / "run", settings(*FIELD[:2], games=4), scheduler=cluster[0])


# ---------------------------------------------------------------- files of bots


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
    return Job(GameSettings(load_rules("base"), 1), tuple(find_bot(spec, folder=folder) for spec in specs))


def test_commands_travel(home: Path, tmp_path: Path) -> None:
    job = job_of("cmd:mine/run.sh --fast", "cmd:python3 mine/bot.py", folder=home.parent)
    sent = with_commands(job)
    shutil.rmtree(home)
    file, script = placed(sent, tmp_path).bots
    assert file.command == (file.path, "--fast")
    assert Path(file.path).stat().st_mode & 0o111
    assert Path(script.path).is_file()


def test_of_a_large_folder_only_what_the_command_names_travels(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of("cmd:./run.sh --fast", folder=home)
    assert len(_files_of(with_commands(job))) == 4
    monkeypatch.setattr(bundle, "MAX_BOT_FILES", 2)
    assert _files_of(with_commands(job)) == ["run.sh"]


def _files_of(job: Job) -> list[str]:
    bundle = job.bots[0].bundle
    assert bundle is not None
    return [*bundle.files]
