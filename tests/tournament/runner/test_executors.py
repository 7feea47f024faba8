"""Bots that hang, die and leave things behind: each loses its own games, and no other game changes."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.bots.processes import children
from arena.bots.spec import BotSpec, find_bot
from arena.endings import forfeit_of
from arena.errors import ArenaError
from arena.tournament.config import Clock
from arena.tournament.games import Chunk, PairTask, Row
from arena.tournament.rows import game_faults
from arena.tournament.runner.executors import LocalExecutor
from arena.tournament.runner.job import Drained, Job, Lost, Played, WorkerEvent
from arena.tournament.runner.worker import scores_of
from arena.tournament.store.reader import Reader
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import BOTS, FIELD, Running, bot, forfeits, games, play, settings

pytestmark = pytest.mark.process

QUICK = Limits(decision_s=0.6, loading_s=5, memory_mb=700)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The games of the field without a hostile bot."""
    folder = tmp_path_factory.mktemp("undisturbed")
    play(folder, settings(*FIELD, games=2))
    return _by_names(games(folder))


def _by_names(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: row[1:5])


HOSTILE: dict[str, tuple[dict[str, Any], str | None]] = {
    "loop_c": ({}, "timeout"),
    "loop_uncatchable": ({}, "timeout"),
    "loop_begin": ({}, "timeout"),
    "segfault": ({}, "crash"),
    "memory": ({"mb": 40}, "exception"),
    "threads": ({}, None),
    "children": ({}, None),
}


@pytest.mark.slow
@linux
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_bot_loses_its_own_games_only(name: str, undisturbed: list[tuple[Any, ...]], tmp_path: Path) -> None:
    params, kind = HOSTILE[name]
    before = children(os.getpid())
    limits = replace(QUICK, decision_s=20) if name == "memory" else QUICK
    report = play(tmp_path, settings(*FIELD, bot(name, "foe", **params), games=2), limits=limits)
    assert report.done == report.total == 12
    assert _by_names(games(tmp_path, without=["foe"])) == undisturbed
    found = forfeits(tmp_path)
    assert set(found) == ({("foe", kind)} if kind else set())
    if kind in ("timeout", "crash"):
        assert found["foe", kind] == 6
    assert (report.workers_lost > 0) == (kind in ("timeout", "crash"))
    replaced = "replacing this process" in (tmp_path / "run.log").read_text()
    assert replaced or name not in ("threads", "children")
    assert wait_for(lambda: set(children(os.getpid())) <= set(before))


@pytest.mark.slow
def test_a_hang_is_the_same_forfeit_for_any_number_of_workers(tmp_path: Path) -> None:
    data = settings(bot("loop_c", "foe"), bot("exit_hard", "foe2"), FIELD[0], games=2)
    for workers in (1, 3):
        play(tmp_path / str(workers), data, workers, limits=QUICK)
    assert games(tmp_path / "1") == games(tmp_path / "3")


def test_a_clock_ends_a_sleeping_bot_and_a_hung_one(tmp_path: Path) -> None:
    clock = {"clock": {"move_ms": 400}}  # which no other bot overruns on a busy machine
    sleeper = bot("sleeper", "sleeper", ms=600.0, after=1)
    play(tmp_path, settings(sleeper, bot("loop_c", "stuck"), FIELD[1], games=2, **clock), 3)
    found = forfeits(tmp_path)
    assert found["sleeper", "timeout"] >= 2
    assert found["stuck", "timeout"] >= 2
    assert {kind for _, kind in found} == {"timeout"}
    assert ("bob", "timeout") not in found


@pytest.mark.slow
def test_a_bot_that_hangs_while_its_file_is_run_stops_the_run(tmp_path: Path) -> None:
    file = tmp_path / "stuck.py"
    file.write_text("while True:\n    pass\n\ndef act(view, moves):\n    return moves[0]\n")
    stuck = {"spec": str(file), "name": "stuck"}
    with pytest.raises(ArenaError, match=r"stuck\.py cannot be loaded: not finished within 5 s"):
        play(tmp_path / "run", settings(stuck, FIELD[0]), limits=QUICK)
    file.write_text("import os\nos._exit(3)\n\ndef act(view, moves):\n    return moves[0]\n")
    with pytest.raises(ArenaError, match=r"cannot be loaded: the process ended itself with exit code 3"):
        play(tmp_path / "run2", settings(stuck, FIELD[0]), limits=QUICK)


def test_a_bot_in_its_file_does_not_change_the_others_world(tmp_path: Path) -> None:
    where = tmp_path / "where.py"
    where.write_text(
        "import os, sys\n\n\ndef act(view, moves):\n"
        "    place = (os.getcwd(), sys.getrecursionlimit())\n"
        "    return moves[len(str(place)) % len(moves)]\n"
    )
    mover = tmp_path / "mover.py"
    mover.write_text(
        "import os, sys\nos.chdir('/')\nsys.setrecursionlimit(5000)\n\n\ndef act(view, moves):\n    return moves[0]\n"
    )
    watching = {"spec": str(where), "name": "where"}
    play(tmp_path / "alone", settings(watching, FIELD[0], games=4))
    play(tmp_path / "both", settings(watching, FIELD[0], {"spec": str(mover), "name": "mover"}, games=4))
    assert games(tmp_path / "both", without=["mover"]) == games(tmp_path / "alone")


@linux
def test_workers_do_not_hear_ctrl_c(tmp_path: Path) -> None:
    run = Running(tmp_path, settings(bot("sleeper", "slow", ms=3.0), FIELD[0], games=30))
    run.until(4)
    for worker in run.workers():
        os.kill(worker, signal.SIGINT)
    report = run.rest()
    assert (report["done"], report["workers_lost"], report["forfeits"]) == (30, 0, 0)


@pytest.mark.slow
@linux
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_bot_that_stops_its_own_process_forfeits_in_the_end(tmp_path: Path, isolation: str) -> None:
    """At the level `none` that is the worker, and might have been done from outside: a few times it is believed."""
    bots = (bot("stops", "stopper"), FIELD[1])
    run = Running(tmp_path, settings(*bots, games=2, isolation=isolation, clock={"move_ms": 400}), 1)
    try:
        report = run.rest()
    finally:
        run.kill()
    assert (report["done"], report["forfeits"]) == (2, 2)


# ---------------------------------------------------------------- the executor itself


def _job(*names: str, limits: Limits = QUICK, more_bots: tuple[BotSpec, ...] = (), **more: Any) -> Job:
    parts = (name.partition(":") for name in names)
    bots = tuple(find_bot(f"{BOTS / name}.py{colon}{params}", name=name) for name, colon, params in parts)
    return Job("base", 7, bots + more_bots, limits=limits, workers=2, **more)


def _finish(executor: LocalExecutor, chunks: list[Chunk]) -> tuple[list[Row], list[WorkerEvent]]:
    """Play chunks to their end: all rows in schedule order, and all events."""
    left = {chunk.number: len(chunk) for chunk in chunks}
    rows: list[Row] = []
    seen: list[WorkerEvent] = []
    until = time.monotonic() + 120  # only a guard: a loaded machine takes its time to start workers
    while any(left.values()):
        assert time.monotonic() < until
        for event in executor.events(0.1):
            seen.append(event)
            if isinstance(event, Played):
                left[event.chunk.number] -= len(event.chunk)
                rows += event.named_rows()
                assert len(event.rows) == sum(score[0] for score in event.scores.values())
    return sorted(rows), seen


def _chunks(a: str, b: str, *sizes: int) -> list[Chunk]:
    found, deal = [], 0
    for number, size in enumerate(sizes):
        found.append(Chunk(number, tuple(PairTask(0, deal + at, a, b) for at in range(size))))
        deal += size
    return found


@pytest.mark.slow
def test_chunking_and_start_method_change_nothing() -> None:
    results = []
    ways: list[tuple[str, tuple[int, ...]]] = [("spawn", (1,)), ("spawn", (1, 1))]
    if sys.platform == "linux":  # fork is used there only; spawned workers take long to start
        ways = [("spawn", (1,)), ("fork", (4,)), ("fork", (1, 3))]
    for method, sizes in ways:
        executor = LocalExecutor(_job("well_behaved", "exit_hard"), None, print, method)
        try:
            chunks = _chunks("well_behaved", "exit_hard", *sizes)
            for chunk in chunks:
                executor.submit(chunk)
            rows, events = _finish(executor, chunks)
        finally:
            executor.close()
        results.append([(*row[:11], row[18]) for row in rows])  # without what a clock has measured
        assert len(rows) == 2 * sum(sizes)
        assert all(forfeit_of(row[3]) == "crash" for row in rows)
        assert sum(isinstance(event, Lost) for event in events) == 2 * len(rows)
    longest = max(results, key=len)
    assert all(rows == longest[: len(rows)] for rows in results)


def test_after_drain_nothing_new_begins(tmp_path: Path) -> None:
    sign = tmp_path / "asked"
    sleeper = find_bot(str(BOTS / "sleeper.py"), {"ms": 20, "sign": str(sign)}, "sleeper")
    executor = LocalExecutor(_job("well_behaved", more_bots=(sleeper,), limits=Limits()), None, print)
    chunks = _chunks("well_behaved", "sleeper", 4, 4, 4)
    found: list[WorkerEvent] = []
    try:
        for chunk in chunks:
            executor.submit(chunk)
        assert wait_for(sign.exists, 60)
        executor.drain()
        assert wait_for(lambda: found.extend(executor.events(0.1)) or Drained() in found, 60)
        assert 1 <= sum(len(event.chunk) for event in found if isinstance(event, Played)) <= 2
    finally:
        executor.close()


@linux
@pytest.mark.parametrize("level", ["none", pytest.param("process", marks=pytest.mark.slow)])
def test_a_bot_that_never_answers_forfeits_the_rest_of_a_pairing(tmp_path: Path, level: str) -> None:
    """An endless loop took a minute a game, two a pair, for every pair."""
    data = settings(bot("sleeper", "foe", ms=600_000.0), *FIELD[:2], games=12, isolation=level)
    report = play(tmp_path, data, limits=QUICK, workers=1)
    assert report.done == report.total == 36
    assert forfeits(tmp_path) == {("foe", "timeout"): 24}
    with Reader(tmp_path) as reader:
        details = [row.detail or "" for row in reader.rows("forfeit > 0")]
        assert not any(fault for _, fault in game_faults(reader.results(), reader.config()))
    played = [detail for detail in details if not detail.startswith("not played: it gave no answer within 0.6 s in 3")]
    assert 6 <= len(played) <= 8  # a worker in whose processes bots hang delivers whole pairs
    log = (tmp_path / "run.log").read_text()
    assert log.count("foe gave no answer in time in 3 games against") == 2


def test_making_a_bot_may_take_as_long_as_loading_it(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(
        "import time\n\n\nclass Slow:\n    def __init__(self):\n        time.sleep(1.5)\n\n"
        "    def act(self, view, moves):\n        return moves[0]\n"
    )
    data = settings({"spec": str(file), "name": "slow"}, FIELD[0], games=2)
    play(tmp_path / "run", data, limits=Limits(decision_s=0.3, loading_s=60), workers=1)
    assert forfeits(tmp_path / "run") == {}


@linux
def test_a_game_that_hangs_is_stored_when_the_run_is_to_end() -> None:
    job = replace(_job("sleeper:ms=600000", "well_behaved"), workers=1)
    executor = LocalExecutor(job, None, print)
    found: list[WorkerEvent] = []
    try:
        executor.submit(_chunks("sleeper", "well_behaved", 3)[0])
        assert wait_for(lambda: executor.moves_in_play() > 0, 60)
        executor.drain()
        assert wait_for(lambda: found.extend(executor.events(0.1)) or Drained() in found, 60)
    finally:
        executor.close()
    rows = [row for event in found if isinstance(event, Played) for row in event.named_rows()]
    assert [(row.id, forfeit_of(row.forfeit)) for row in rows] == [(0, "timeout"), (1, "timeout")]


@linux
def test_close_stops_hung_workers_at_once() -> None:
    before = children(os.getpid())
    patience = Limits().decision_s
    executor = LocalExecutor(_job("loop_c", "well_behaved", limits=Limits()), None, print)
    for chunk in _chunks("loop_c", "well_behaved", 1, 1):
        executor.submit(chunk)
    assert wait_for(lambda: len(children(os.getpid())) == len(before) + 2)
    time.sleep(0.3)  # in the loop by now
    start = time.monotonic()
    executor.close()
    assert time.monotonic() - start < patience / 2
    assert children(os.getpid()) == before


@pytest.mark.slow
def test_growing_workers_are_replaced() -> None:
    job = _job("memory:mb=8", "well_behaved", limits=Limits(growth_mb=100))
    pids: set[int] = set()
    executor = LocalExecutor(replace(job, workers=1), None, lambda said: pids.add(said[4]))
    chunks = _chunks("memory", "well_behaved", 1, 1, 1)
    try:
        for chunk in chunks:
            executor.submit(chunk)
        rows, _ = _finish(executor, chunks)
    finally:
        executor.close()
    assert [row[3] for row in rows] == [0] * 6
    assert len(pids) == 3  # each says that it is replaced


def test_scores_are_those_of_the_pairings() -> None:
    def row(pairing: int, game: int, score: int, by: int = 0) -> Row:
        return Row(pairing << 1 | game, score, 0, by and 1, by, 0, 0, *[0] * 8, b"", b"", 0, "", None)

    rows = [row(0, 0, 2, by=2), row(0, 1, 2, by=2), row(0, 1, 1), row(2, 0, 0, by=1)]
    assert scores_of(rows) == {0: [3, 1, 1, 1, 1, 1], 2: [1, 0, 0, 1, 1, 0]}


def test_patience_is_the_clocks_and_a_little_more() -> None:
    assert _job(limits=Limits(decision_s=7)).patience_s == 7
    assert _job(clock=Clock(100, 2000)).patience_s == pytest.approx(3.1)
