"""Runs on a real Dask cluster of several processes: the same games, also when one of them is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.processes import children, is_running
from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.tournament.games import Chunk, PairTask, Row
from arena.tournament.runner.executors import Executor, make_executor
from arena.tournament.runner.job import Job, Played
from arena.tournament.runner.progress import ProgressListener, RunStatus
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import FIELD, bot, forfeits, games, play, settings

distributed = pytest.importorskip(
    "distributed", reason="the Dask executor needs the extra 'cluster': pip install '.[cluster]'"
)
pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

HERE = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """A scheduler and three workers as `dask scheduler` and `dask worker` start them: address, workers' pids."""
    folder = tmp_path_factory.mktemp("cluster")
    address = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    started = [_start([*command, "--host", "127.0.0.1", "--scheduler-file", str(address)], folder)]
    try:
        assert wait_for(address.is_file, 30)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address)]
        options = ["--nthreads", "1", "--no-dashboard", "--memory-limit", "0", "--no-nanny"]
        started += [_start([*worker, *options], folder) for _ in range(3)]
        import json

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


class _KillsAt(ProgressListener):
    """Kills a process once when so many games are stored."""

    def __init__(self, done: int, pid: int) -> None:
        self.done = done
        self.pid = pid
        self.orphans: list[int] = []

    def update(self, status: RunStatus) -> None:
        if status.done >= self.done >= 0:
            self.done = -1
            self.orphans = children(self.pid)
            os.kill(self.pid, signal.SIGKILL)


def test_a_cluster_gives_the_same_games_though_a_worker_dies(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    address, pids = cluster
    data = settings(bot("sleeper", "slow", ms=4.0), *FIELD[:2], games=16)
    play(tmp_path / "local", data)
    killer = _KillsAt(8, pids[0])
    report = play(tmp_path / "dask", data, executor="dask", scheduler=address, progress=killer)
    assert report.done == report.total == 48
    assert killer.done == -1
    assert games(tmp_path / "dask") == games(tmp_path / "local")
    assert forfeits(tmp_path / "dask") == {}
    assert killer.orphans
    assert wait_for(lambda: not any(map(is_running, killer.orphans)))


def test_ctrl_c_and_resume_on_a_cluster(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    address, _ = cluster
    data = settings(bot("sleeper", "slow", ms=3.0), *FIELD[:2], games=16)

    class Interrupts(_KillsAt):
        def update(self, status: RunStatus) -> None:
            if status.done >= self.done >= 0:
                self.done = -1
                os.kill(os.getpid(), signal.SIGINT)

    report = play(tmp_path / "dask", data, executor="dask", scheduler=address, progress=Interrupts(4, 0))
    assert report.interrupted
    assert 4 <= report.done < report.total
    play(tmp_path / "dask", data, executor="dask", scheduler=address)
    play(tmp_path / "local", data)
    assert games(tmp_path / "dask") == games(tmp_path / "local")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9"])  # there are no certificates
def test_a_scheduler_that_is_not_there(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.tournament.runner.dask._WAIT_S", 0.5)
    with pytest.raises(ArenaError, match=f"cannot reach the Dask scheduler {address}: "):
        play(tmp_path, settings(*FIELD), executor="dask", scheduler=address)
    assert threading.active_count() < 50


def test_without_distributed_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "arena.tournament.runner.dask", raising=False)
    with pytest.raises(ArenaError, match="needs the package distributed"):
        play(tmp_path, settings(*FIELD), executor="dask")


def test_bots_travel_to_workers_that_do_not_have_them(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    """The folder is gone when the first chunk is sent."""
    home = tmp_path / "mine"
    home.mkdir()
    (home / "helper.py").write_text("def choose(moves):\n    return moves[-1]\n")
    (home / "bot.py").write_text("import helper\n\ndef act(view, moves):\n    return helper.choose(moves)\n")
    job = Job("base", 1, (find_bot(str(home / "bot.py"), name="mine"), find_bot("random")))
    chunk = Chunk(1, (PairTask(0, 0, "mine", "random"),))
    rows = []
    for executor, scheduler in (("local", None), ("dask", cluster[0])):
        made = make_executor(job, executor, scheduler, lambda record: None)
        try:
            if executor == "dask":
                shutil.rmtree(home)
            made.submit(chunk)
            rows.append(_rows(made))
        finally:
            made.close()
    assert [row.record for row in rows[0]] == [row.record for row in rows[1]]


def _rows(made: Executor) -> list[Row]:
    found: list[Row] = []
    while len(found) < 2:
        for event in made.events(1.0):
            assert isinstance(event, Played), event
            found += event.named_rows()
    return found


def test_a_worker_with_another_version_is_refused(
    cluster: tuple[str, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.runner.dask.about", lambda: "9.9, sources abc")
    with pytest.raises(ArenaError, match=r"has another version of this program .* \(9\.9, sources abc\); install"):
        play(tmp_path / "run", settings(*FIELD[:2], games=4), executor="dask", scheduler=cluster[0])
