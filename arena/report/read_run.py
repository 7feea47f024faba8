"""Read a stored run."""

from __future__ import annotations

from pathlib import Path

from arena.config.tournament import TournamentConfig, config_from_dict
from arena.formats.sprt import SprtSettings
from arena.match.results import time_quantile
from arena.report.run import BotTime, RunData
from arena.store.reader import Reader
from arena.store.sequential_test import sequential_test


def stored_config(reader: Reader) -> TournamentConfig:
    """The settings with which a run was started."""
    return config_from_dict(reader.settings(), source=f"settings stored in {reader.folder}")


def read_run(folder: Path) -> RunData:
    """All that reports show of a run, finished or in progress."""
    with Reader(folder) as reader:
        config = stored_config(reader)
        done = reader.progress()
        games = reader.frame()
        schedule = config.schedule()
        planned, places = schedule.planned(done), schedule.ranking(done, reader.results())
        if isinstance(config.format_settings, SprtSettings):
            planned = sequential_test(config.format_settings, reader).planned
        return RunData(
            name=config.name,
            config=reader.config(),
            games=games,
            sources={bot.name: bot.source for bot in reader.bots()},
            planned=planned,
            places=None if places is None else tuple(places),
            times=_times(reader),
            sessions=tuple(reader.sessions()),
            forfeits=tuple(reader.forfeit_reasons()),
            folder=str(folder),
        )


def _times(reader: Reader) -> tuple[BotTime, ...]:
    pairings = reader.pairings()
    sums = {bot.name: [0, 0, 0] for bot in reader.bots()}  # decisions, microseconds, the longest of them
    for cell in reader.pairing_sums():
        _, _, first, second = pairings[cell.pairing]
        if cell.game:
            first, second = second, first
        for bot, decisions, us, longest in (
            (first, cell.decisions_first, cell.us_first, cell.max_us_first),
            (second, cell.decisions_second, cell.us_second, cell.max_us_second),
        ):
            total = sums[bot]
            total[0] += decisions
            total[1] += us
            total[2] = max(total[2], longest)
    return tuple(
        BotTime(
            bot=bot,
            decisions=sums[bot][0],
            mean_ms=sums[bot][1] / 1000 / sums[bot][0] if sums[bot][0] else 0.0,
            p50_ms=time_quantile(counts, 0.5),
            p99_ms=time_quantile(counts, 0.99),
            max_ms=sums[bot][2] / 1000,
            total_ms=sums[bot][1] / 1000,
        )
        for bot, counts in reader.times().items()
    )
