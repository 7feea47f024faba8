"""The store: every game once, nothing lost that was reported."""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.formats.round_robin import round_robin
from arena.tournament.formats.series import series
from arena.tournament.games import (
    Chunk,
    GameResult,
    GameTask,
    Row,
    ScheduleProgress,
    bucket_ms,
    pack_times,
    time_bucket,
    time_quantile,
    times_in_order,
)
from arena.tournament.referee import play_unit
from arena.tournament.store.columns import CLOCK_COLUMNS, GAME_COLUMNS
from arena.tournament.store.writer import Store
from tests.tournament.runner.fake import CONFIG, Progress, chunks, fake_result, pair_tasks, play_pairs, row_of
from tests.tournament.store.stored import BOTS, ENTRIES, chunk_of, query

# ---------------------------------------------------------------- writing and reading


def test_what_goes_in_comes_out_in_schedule_order(store: Store) -> None:
    parts = list(chunks(pair_tasks(BOTS, range(40)), 7))
    random.Random(3).shuffle(parts)
    for part in parts:
        assert store.add([play_pairs(part)]) == 2 * len(part)
    again = [row._replace(record="other") for row in play_pairs(parts[0])]
    assert store.add([again]) == 0  # of two plays of one game the first counts
    results = [fake_result(task) for pair in pair_tasks(BOTS, range(40)) for task in pair.game_tasks()]
    assert list(store.rows()) == [row_of(result) for result in results]
    assert list(store.results()) == results
    assert store.result(results[17].first, results[17].second, results[17].id.deal) == results[17]
    assert store.count() == len(results) == 240
    assert store.bots() == ENTRIES
    assert store.config().items() >= CONFIG.items()


def test_progress_is_what_the_schedule_needs(store: Store) -> None:
    schedule = round_robin(BOTS, 20)
    tasks = list(schedule.tasks(ScheduleProgress()))
    stored = [store.numbered(task) for task in tasks]
    for part in list(chunks(stored, 4))[1:4]:
        store.add([play_pairs(part)])
    assert list(schedule.tasks(store.progress())) == tasks[:4] + tasks[16:]
    by_hand = Progress(store.results())
    assert store.progress().games == by_hand.games == 24
    assert all(by_hand.score(p) == store.progress().score(p) for p in range(3))


def test_sums_against_counting_by_hand(store: Store) -> None:
    store.add([play_pairs(chunk_of(range(60)))])
    results = list(store.results())
    for thinking in store.columns().thinking:
        seats = [(r, (r.first, r.second).index(thinking.bot)) for r in results if thinking.bot in (r.first, r.second)]
        assert thinking.decisions == sum(r.decisions[seat] for r, seat in seats)
        assert thinking.us == round(sum(r.ms[seat] for r, seat in seats) * 1000)
        assert thinking.max_us == max(r.max_ms[seat] for r, seat in seats) * 1000
        counts = Counter(bucket for r, seat in seats for bucket in times_in_order(r.times[seat]))
        assert thinking.counts == [counts[bucket] for bucket in range(256)]


def test_frame_and_view_agree_with_the_results(store: Store) -> None:
    store.add([play_pairs(chunk_of(range(40)))])
    results = list(store.results())
    lines = []
    for r in results:
        line = (CONFIG["seed"], *r.id, r.round, r.first, r.second, r.score, *r.stones, *r.points, r.turns, r.plies)
        lines.append((*line, r.ending, r.forfeit, r.forfeit_by, *r.decisions, *r.ms))
    frame = store.columns().frame()
    assert tuple(frame.columns) == GAME_COLUMNS + CLOCK_COLUMNS
    plain = frame.astype(object).where(frame.notna(), None)
    assert [tuple(line) for line in plain.itertuples(index=False)] == lines
    view = query(store, f"SELECT {', '.join(GAME_COLUMNS + CLOCK_COLUMNS)} FROM game_list")
    assert view == lines


# ---------------------------------------------------------------- series


SERIES = series(BOTS, 5, matches=3, target=15)


def series_chunk() -> Chunk:
    return Chunk(0, tuple(SERIES.tasks(ScheduleProgress())))


def play_series(chunk: Chunk, one: Callable[[GameTask], GameResult]) -> list[Row]:
    return [row for task in chunk.tasks for row in play_unit(task, lambda g: row_of(one(g)))]


def test_series_are_stored_and_resumed_whole(store: Store) -> None:
    chunk = series_chunk()
    rows = play_series(chunk, fake_result)
    part = Chunk(1, chunk.tasks[2:5])
    few = play_series(part, fake_result)
    assert store.add([few]) == len(few)
    assert list(SERIES.tasks(store.progress())) == [*chunk.tasks[:2], *chunk.tasks[5:]]
    assert store.add([rows]) == len(rows) - len(few)
    assert list(store.rows()) == sorted(rows)
    assert list(SERIES.tasks(store.progress())) == []


# ---------------------------------------------------------------- times


@given(st.integers(0, 2**63))
def test_buckets_hold_times_within_ten_percent(ns: int) -> None:
    bucket = time_bucket(ns)
    assert 0 <= bucket <= 255
    assert abs(bucket_ms(bucket) * 1e6 - ns) <= 0.125 * ns
    assert time_bucket(ns + 1) >= bucket


@given(st.lists(st.one_of(st.just(1000), st.integers(0, 2**63)), max_size=600))
def test_times_survive_packing_in_order(times: list[int]) -> None:
    assert times_in_order(pack_times(times)) == [time_bucket(ns) for ns in times]


@given(st.lists(st.integers(0, 10**10), min_size=1), st.sampled_from([0.0, 0.5, 0.99, 1.0]))
def test_quantiles(times: list[int], share: float) -> None:
    counts = [0] * 256
    for ns in times:
        counts[time_bucket(ns)] += 1
    exact = sorted(times)[max(0, -(-round(share * 1e9) * len(times) // 10**9) - 1)]
    assert time_quantile(counts, share) == bucket_ms(time_bucket(exact))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody is forked here")
def test_nobody_is_forked_while_the_database_is_at_work(store: Store) -> None:
    """A child that is would wait for SQLite's own locks, which nobody in it will ever release."""
    inside, go = threading.Event(), threading.Event()

    class Rows(list[Row]):
        """Stops SQLite while it reads them."""

        def __iter__(self) -> Iterator[Row]:
            inside.set()
            go.wait(10)
            return super().__iter__()

    storing = threading.Thread(target=store.add, args=([Rows(play_pairs(chunk_of(range(1))))],))
    storing.start()
    assert inside.wait(10)
    forked: list[int] = []

    def fork() -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        forked.append(pid)

    forking = threading.Thread(target=fork)
    forking.start()
    time.sleep(0.2)
    assert not forked
    go.set()
    storing.join(10)
    forking.join(10)
    assert store.count() == 3 * 2
    assert os.waitpid(forked[0], 0)[1] == 0
