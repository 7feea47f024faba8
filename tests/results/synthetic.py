"""Generated runs, in the form that the reports read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.bots.spec import BotSpec
from arena.results.run_data import RunData, read_run
from arena.tournament.config import config_from_dict
from arena.tournament.games import GameResult, GameTask
from arena.tournament.plan import plan_run, shown_pairings
from arena.tournament.store.writer import open_store
from tests.tournament.runner.fake import chunks, fake_result, play_pairs

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
    bots = [BotSpec(bot.name, bot.spec, bot.spec, bot.spec, f"hash of {bot.spec}") for bot in config.bots]
    schedule = config.schedule()
    store = open_store(folder)
    wanted = plan_run(config, bots, None).wanted
    store.bring_up(wanted)
    store.begin_session({"workers": 2})
    while tasks := list(schedule.tasks(store.progress()))[:units]:
        store.show_pairings(shown_pairings(schedule, store.progress(), wanted))
        wave = [store.numbered(task) for task in tasks]
        for part in chunks(wave, chunk):
            store.add([play_pairs(part, play)])
        if units is not None:
            break
    store.close()
    return folder


def synthetic(folder: Path, values: Mapping[str, Any] | None = None, **more: Any) -> RunData:
    return read_run(store_run(folder, values, **more))
