"""Bots that hang, die and leave things behind: each loses its own games, and no other game changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.bots.processes import children
from arena.bots.spec import find_bot
from arena.endings import forfeit_of
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.tournament.games import PairTask, Row
from arena.tournament.rows import GameSettings
from arena.tournament.runner.job import Job
from arena.tournament.runner.job import Played as Delivery
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.pool import StopSignals, WorkerPool
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
    play(folder, settings(*FIELD[:2], games=2))
    return games(folder)


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
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.soak) if one == "loop_uncatchable" else one for one in HOSTILE]
)
def test_a_hostile_bot_loses_its_own_games_only(name: str, undisturbed: list[tuple[Any, ...]], tmp_path: Path) -> None:
    params, kind = HOSTILE[name]
    before = children(os.getpid())
    limits = replace(QUICK, decision_s=20) if name == "memory" else QUICK
    report = play(tmp_path, settings(*FIELD[:2], bot(name, "foe", **params), games=2), limits=limits)
    silent = kind == "timeout"
    assert report.done == report.total == (2 if silent else 6)
    assert report.left_out.keys() == ({"foe"} if silent else set())
    assert games(tmp_path, without=["foe"]) == undisturbed
    found = forfeits(tmp_path)
    assert set(found) == ({("foe", kind)} if kind and not silent else set())
    if kind == "crash":
        assert found["foe", kind] == 4
    assert (report.workers_lost > 0) == (kind in ("timeout", "crash"))
    replaced = "replacing this process" in (tmp_path / "run.log").read_text()
    assert replaced or name not in ("threads", "children")
    assert wait_for(lambda: set(children(os.getpid())) <= set(before))


@pytest.mark.slow
def test_a_hang_is_the_same_forfeit_for_any_number_of_workers(tmp_path: Path) -> None:
    data = settings(bot("sleeper", "foe", ms=600_000.0), bot("exit_hard", "foe2"), FIELD[0], games=2)
    for workers in (1, 3):
        play(tmp_path / str(workers), data, workers, limits=QUICK)
    assert games(tmp_path / "1") == games(tmp_path / "3")


def test_a_clock_ends_a_sleeping_bot_and_a_hung_one(tmp_path: Path) -> None:
    clock = {"clock": {"move_ms": 400}}  # which no other bot overruns on a busy machine
    sleeper = bot("sleeper", "sleeper", ms=600.0, after=1)
    play(tmp_path, settings(sleeper, bot("sleeper", "stuck", ms=600_000.0), FIELD[1], games=2, **clock), 3)
    found = forfeits(tmp_path)
    assert found["sleeper", "timeout"] >= 2
    assert found["stuck", "timeout"] >= 2
    assert {kind for _, kind in found} == {"timeout"}
    assert ("bob", "timeout") not in found


@pytest.mark.slow
def test_a_bot_that_hangs_while_its_file_is_run_stops_the_run(tmp_path: Path) -> None:
    file = tmp_path / "stuck.py"
    stuck = {"spec": str(file), "name": "stuck"}
    for does, reason in (
        ("import time\ntime.sleep(600)", "not finished within 2 s"),
        ("import os\nos._exit(3)", "the process ended itself with exit code 3"),
    ):
        file.write_text(f"{does}\n\ndef act(view, moves):\n    return moves[0]\n")
        with pytest.raises(ArenaError, match=rf"stuck\.py cannot be loaded: {reason}"):
            play(tmp_path / "run", settings(stuck, FIELD[0]), limits=replace(QUICK, loading_s=2))


def test_a_bot_in_its_file_does_not_change_the_others_world(tmp_path: Path) -> None:
    where, mover = tmp_path / "where.py", tmp_path / "mover.py"
    place = "len(str((os.getcwd(), sys.getrecursionlimit())))"
    where.write_text(f"import os, sys\ndef act(view, moves):\n    return moves[{place} % len(moves)]\n")
    moves = "os.chdir('/')\nsys.setrecursionlimit(5000)"
    mover.write_text(f"import os, sys\n{moves}\ndef act(view, moves):\n    return moves[0]\n")
    watching = {"spec": str(where), "name": "where"}
    play(tmp_path / "alone", settings(watching, FIELD[0], games=4))
    play(tmp_path / "both", settings(watching, FIELD[0], {"spec": str(mover), "name": "mover"}, games=4))
    assert games(tmp_path / "both", without=["mover"]) == games(tmp_path / "alone")


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


def test_making_a_bot_may_take_as_long_as_loading_it(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    make = "import time\n\nclass Slow:\n    def __init__(self):\n        time.sleep(1.2)\n\n"
    file.write_text(f"{make}    def act(self, view, moves):\n        return moves[0]\n")
    data = settings({"spec": str(file), "name": "slow"}, FIELD[0], games=2)
    play(tmp_path / "run", data, limits=replace(QUICK, loading_s=60), workers=1)
    assert forfeits(tmp_path / "run") == {}


# ---------------------------------------------------------------- the pool itself


def _job(*names: str, sign: Path | None = None, limits: Limits = QUICK, **more: Any) -> Job:
    """Return a job of bots of tests/data/bots, and of one that hangs and makes the file `sign` before."""
    parts = (name.partition(":") for name in names)
    bots = tuple(find_bot(f"{BOTS / name}.py{colon}{params}", name=name) for name, colon, params in parts)
    if sign is not None:
        bots += (find_bot(str(BOTS / "sleeper.py"), {"ms": 600_000, "sign": str(sign)}, "sleeper"),)
    return Job(GameSettings(load_rules("base"), 7), bots, limits=limits, workers=1, **more)


class Played(list[Row]):
    """Plays pairs of a bot and well_behaved in a pool: the rows in schedule order, and what workers were lost."""

    def __init__(self, job: Job, bot: str, units: int, sink: Sink = print, stop: Path | None = None) -> None:
        """`stop` is a file at whose appearance play is to stop, at once if its name is "now"."""
        super().__init__()
        self.lost: list[str] = []
        self.stop, self.signals = stop, StopSignals()
        with closing(WorkerPool(job, sink)) as pool:
            tasks = (PairTask(0, deal, "well_behaved", bot) for deal in range(units))
            pool.play(
                tasks, units, self.store, self.signals, lost=lambda one: self.lost.append(one.text), tick=self.look
            )
        self.sort()

    def store(self, deliveries: Sequence[Delivery]) -> bool:
        for one in deliveries:
            assert len(one.rows) == sum(score[0] for score in one.scores.values())
            self.extend(map(Row._make, one.rows))
        return False

    def look(self) -> None:
        if self.stop is not None and self.stop.exists():
            self.signals.count = 2 if self.stop.name == "now" else 1


@linux
def test_a_game_that_hangs_is_stored_when_the_run_is_to_end_and_nothing_new_begins(tmp_path: Path) -> None:
    rows = Played(_job("well_behaved", sign=tmp_path / "asked"), "sleeper", 4, stop=tmp_path / "asked")
    assert [(row.id, forfeit_of(row.forfeit)) for row in rows] == [(0, "timeout"), (1, "timeout")]


@linux
def test_close_stops_hung_workers_at_once(tmp_path: Path) -> None:
    before = children(os.getpid())
    assert not Played(_job("well_behaved", sign=tmp_path / "now", limits=Limits()), "sleeper", 1, stop=tmp_path / "now")
    assert children(os.getpid()) == before


@pytest.mark.slow
def test_growing_workers_are_replaced() -> None:
    pids: set[str] = set()
    job = _job("memory:mb=8", "well_behaved", limits=Limits(growth_mb=100))
    rows = Played(job, "memory", 3, sink=lambda line: pids.add(line.split()[3]))
    assert [row[3] for row in rows] == [0] * 6
    assert len(pids) == 3  # each says that it is replaced


@linux
@pytest.mark.parametrize("clock", [None, pytest.param({"bank_ms": 3000}, marks=pytest.mark.slow)])
def test_how_long_a_hang_may_last_follows_from_the_bot_alone(tmp_path: Path, clock: dict[str, int] | None) -> None:
    """A bot in a process of its own in the field made it a minute longer for all; a bank was waited for anew."""
    sleep = f"time.sleep({2 if clock else 0} if len(view.history) < 4 else 600)"
    (tmp_path / "hangs.py").write_text(f"import time\n\ndef act(view, moves):\n    {sleep}\n    return moves[0]\n")
    bots = {"spec": str(tmp_path / "hangs.py"), "name": "hangs"}, {**FIELD[0], "isolation": "process"}
    play(tmp_path / "run", settings(*bots, games=2, clock=clock or {}), limits=replace(QUICK, loading_s=15), workers=1)
    with Reader(tmp_path / "run") as reader:
        waits = [float(row.detail.split(" within ")[1].split()[0]) for row in reader.rows() if row.forfeit]
    assert len(waits) == 2
    assert all(1.0 < wait < 2.5 if clock else wait == QUICK.decision_s for wait in waits)
