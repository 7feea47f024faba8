"""Runs as a whole: the same games whatever the workers, wherever they were broken off."""

from __future__ import annotations

import errno
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation.sandbox import SandboxMissing
from arena.bots.limits import Limits
from arena.bots.processes import descendants, is_running
from arena.errors import ArenaError
from arena.tournament.runner.progress import ProgressListener, RunStatus
from arena.tournament.store.reader import Reader
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import FIELD, Running, SendsSignal, bot, forfeits, games, play, settings

pytestmark = pytest.mark.process
SLOW = (bot("sleeper", "slow", ms=2.0), bot("well_behaved", "bob"), bot("random", "cid"))

FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {},
    "swiss": {"swiss": {"rounds": 2}},
    "knockout": {"knockout": {"extra": 2}},
    "series": {"series": {"matches": 3, "target": 12}},
}


def of_format(name: str) -> dict[str, Any]:
    data = settings(*FIELD, format=name, **FORMATS[name])
    if name == "series":
        del data["games"]
    return data


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    """The games of each format, played by one worker without a break."""
    found = {}
    for name in FORMATS:
        folder = tmp_path_factory.mktemp(name)
        report = play(folder, of_format(name), workers=1)
        assert (report.done, report.interrupted) == (report.total, False)
        found[name] = games(folder)
        assert len(found[name]) == report.done > 0
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_interrupted_anywhere_the_result_is_the_same(
    name: str, whole: dict[str, list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    """Two workers, and one that plays without a break."""
    broken_off = 0
    for attempt in range(20):
        report = play(tmp_path, of_format(name), 2, progress=SendsSignal(4 * attempt))
        assert report.done == len(games(tmp_path))
        if not report.interrupted:
            break
        broken_off += 1
        assert report.done < report.total
    assert broken_off
    assert games(tmp_path) == whole[name]


@pytest.mark.parametrize("isolation", ["none", pytest.param("process", marks=pytest.mark.slow)])
def test_ctrl_c_finishes_the_games_in_hand(tmp_path: Path, isolation: str) -> None:
    data = settings(*SLOW, games=200, isolation=isolation)
    run = Running(tmp_path, data)
    run.until(8)
    family = descendants(run.process.pid)
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: to the whole group
    report = run.rest()
    assert report["interrupted"]
    assert 8 <= report["done"] < report["total"]
    assert report["done"] == run.reported == len(games(tmp_path))
    assert (forfeits(tmp_path), report["workers_lost"]) == ({}, 0)
    assert wait_for(lambda: not any(map(is_running, family)))


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    data = settings(bot("sleeper", "asleep", ms=30_000.0, after=1), bot("well_behaved", "bob"), games=4)
    run = Running(tmp_path, data)
    assert wait_for(lambda: len(run.workers()) == 2)
    run.process.send_signal(signal.SIGINT)
    assert not wait_for(lambda: run.process.poll() is not None, 0.5)  # games are in hand
    workers = run.workers()
    run.process.send_signal(signal.SIGINT)
    assert run.rest()["interrupted"]
    assert wait_for(lambda: not any(map(is_running, workers)))


@pytest.mark.slow
def test_workers_end_with_a_run_that_is_killed_and_what_was_reported_is_stored(tmp_path: Path) -> None:
    run = Running(tmp_path, settings(*SLOW, games=200_000))
    run.until(2)
    workers = run.workers()
    run.kill()
    run.rest()
    assert wait_for(lambda: not any(map(is_running, workers)))
    assert len(games(tmp_path)) >= run.reported >= 2


@pytest.mark.slow
def test_a_worker_killed_from_outside_costs_only_time(tmp_path: Path) -> None:
    data = settings(*SLOW, games=24)
    play(tmp_path / "whole", data)
    run = Running(tmp_path / "killed", data)
    for done in (4, 48):  # a worker that is killed twice while it loads a bot is that bot's fault
        run.until(done)
        for worker in run.workers():
            os.kill(worker, signal.SIGKILL)
    report = run.rest()
    assert report["done"] == report["total"] == 72
    assert report["workers_lost"] >= 2
    assert report["forfeits"] == 0
    assert games(tmp_path / "killed") == games(tmp_path / "whole")


def test_a_drawn_seed_is_kept_and_zero_is_a_seed(tmp_path: Path) -> None:
    data = settings(*FIELD, games=2)
    del data["seed"]
    first = play(tmp_path / "one", data)
    again = play(tmp_path / "one", data)
    assert (again.seed, again.played, again.done) == (first.seed, 0, first.done)
    assert play(tmp_path / "two", {**data, "seed": 0}).seed == 0 != first.seed
    assert play(tmp_path / "two", data).played == 0


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_ctrl_c_does_not_wait_for_a_bot_that_gives_no_answer(tmp_path: Path, isolation: str) -> None:
    class Interrupts(ProgressListener):
        def update(self, status: RunStatus) -> None:
            if not pressed and any(wait.seconds > 0.5 for wait in status.waits()):
                pressed.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

    pressed: list[float] = []
    field = bot("sleeper", "slow", ms=600_000) | {"isolation": isolation}, FIELD[0]
    report = play(tmp_path, settings(*field), 1, progress=Interrupts(), limits=Limits(decision_s=600))
    assert (report.interrupted, report.done) == (True, 0)
    assert time.monotonic() - pressed[0] < 20  # two seconds where nothing else runs


@pytest.mark.parametrize("isolation", ["none", "process"])
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("raise ValueError('no plan')", "raises an exception when it is made"),
        ("time.sleep(600)", "not finished within|no answer within"),
        ("os._exit(3)", "exit code 3"),
    ],
)
def test_a_bot_that_cannot_be_made_plays_no_game(tmp_path: Path, does: str, said: str, isolation: str) -> None:
    (tmp_path / "unmade.py").write_text(
        f"import os\nimport time\n\n\nclass Bot:\n    def __init__(self):\n        {does}\n\n"
        "    def act(self, view, moves):\n        return moves[0]\n"
    )
    unmade, limits = {"spec": str(tmp_path / "unmade.py"), "name": "unmade"}, Limits(loading_s=3)
    report = play(tmp_path / "run", settings(unmade, *FIELD[:2], isolation=isolation), limits=limits)
    assert re.search(said, report.left_out["unmade"])
    assert (report.done, report.forfeits) == (6, 0)
    with pytest.raises(ArenaError, match=said):
        play(tmp_path / "match", settings(unmade, FIELD[0], format="match", isolation=isolation), limits=limits)
    assert not (tmp_path / "match").exists()


def test_a_run_that_takes_no_other_bots_says_first_which_cannot_be_loaded(tmp_path: Path) -> None:
    """It was refused because the bot is new, or has changed."""
    broken, changing = tmp_path / "broken.py", tmp_path / "changing.py"
    broken.write_text("def act(view, moves:\n")
    changing.write_text("def act(view, moves):\n    return moves[0]\n")
    field = settings(*FIELD[:2], {"spec": str(broken)}, {"spec": str(changing)}, games=2, format="knockout")
    assert [*play(tmp_path / "run", field).left_out] == ["broken"]
    again = play(tmp_path / "run", field)
    assert (again.played, [*again.left_out]) == (0, ["broken"])
    changing.write_text("def act(view, moves:\n")
    with pytest.raises(ArenaError, match=r"changing\.py is not valid Python") as caught:
        play(tmp_path / "run", field)
    assert "StoreError" not in str(caught.value)


def test_a_worker_that_cannot_be_started_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left")

    play(tmp_path, settings(*FIELD[:2], games=2))  # the bots have been tried
    monkeypatch.setattr("arena.tournament.runner.supervisor.WorkerProcess", start)
    with pytest.raises(ArenaError, match=r"^cannot start a worker: No space left; make room in /dev/shm"):
        play(tmp_path, settings(*FIELD[:2], games=4), 2)


def test_a_fault_of_the_program_is_loud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("arena.tournament.referee.Referee.play", broken)  # forked workers have it, too
    with pytest.raises(RuntimeError, match="a fault of ours"):
        play(tmp_path, settings(*FIELD))
    with Reader(tmp_path) as reader:
        assert reader.progress().games == 0


def test_isolation_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxMissing, match="bubblewrap"):
        play(tmp_path / "run", settings(*FIELD, isolation="sandbox"))
    assert not (tmp_path / "run").exists()
