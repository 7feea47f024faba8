"""Generated runs, in the form that the reports read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.results.run_data import RunData, read_run
from arena.tournament.config import config_from_dict
from arena.tournament.games import GameResult, GameTask, deal_seed
from arena.tournament.store.reader import BotEntry
from arena.tournament.store.writer import open_store
from tests.tournament.runner.fake import chunks, fake_result, play_pairs
from tests.tournament.store.stored import bring_up

STRENGTH = {"greedy": 3.0, "random": 1.0, "counter": 5.0}


def strong(task: GameTask) -> GameResult:
    return fake_result(task, STRENGTH)


def store_run(
    folder: Path,
    values: Mapping[str, Any] | None = None,
    play: Callable[[GameTask], GameResult] = strong,
    units: int | None = None,
    chunk: int = 7,
) -> Path:
    """Fill a folder with the games of a tournament, or with its first `units` pairs.

    None among the `values` leaves a setting out.
    """
    settings = {"name": "syn", "bots": ["random", "greedy", "counter"], "games": 20, "seed": 3}
    settings |= dict(values or {})
    config = config_from_dict({key: value for key, value in settings.items() if value is not None})
    bots = [BotEntry(bot.name, bot.spec, f"hash of {bot.spec}") for bot in config.bots]
    schedule = config.schedule()
    store = open_store(folder)
    bring_up(store, config.canonical(), bots, config.to_dict(), schedule.deal_count)
    store.begin_session({"workers": 2})
    while tasks := list(schedule.tasks(store.progress()))[:units]:
        seeds = [deal_seed(config.seed or 0, config.deals_apart, task.a, task.b) for task in tasks]
        wave = [store.numbered(task, seed) for task, seed in zip(tasks, seeds)]
        for part in chunks(wave, chunk):
            store.add([(part, play_pairs(part, play))])
        if units is not None:
            break
    store.close()
    return folder


def synthetic(folder: Path, values: Mapping[str, Any] | None = None, **more: Any) -> RunData:
    return read_run(store_run(folder, values, **more))
