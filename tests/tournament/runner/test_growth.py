"""A run that grows: the same bytes as of a run that had asked for so many at once."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.results.run_data import read_run, stored_config
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.results.until_error import UntilError
from arena.tournament.config import ConfigError, TournamentConfig, config_from_dict
from arena.tournament.growth import grown
from arena.tournament.runner.play_run import play_run
from arena.tournament.runner.progress import ProgressListener, RunStatus
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import StoreError
from tests.tournament.runner.runs import FIELD, games, settings

pytestmark = pytest.mark.process
FILES = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")
PAIR = FIELD[:2]


def own(*bots: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Settings of a format that has another word for the number of games."""
    return {key: value for key, value in settings(*bots, **more).items() if key != "games"}


SPRT = {"format": "sprt", "sprt": {"elo0": 0, "elo1": 1, "max_pairs": 5}}


class PressCtrlC(ProgressListener):
    """As soon as there is a sign of life: with the first games in hand."""

    pressed = False

    def update(self, status: RunStatus) -> None:
        if not self.pressed:
            self.pressed = True
            os.kill(os.getpid(), signal.SIGINT)


def play(folder: Path, config: TournamentConfig, workers: int = 2, **more: Any) -> None:
    play_run(replace(config, workers=workers), folder, **more)


def grow(
    folder: Path,
    workers: int = 1,
    progress: ProgressListener | None = None,
    until: UntilError | None = None,
    **asked: int,
) -> None:
    with Reader(folder) as reader:
        config = grown(stored_config(reader), asked, "stored")
    play(folder, config, workers, resume=True, progress=progress, more=until)


def whole(folder: Path) -> tuple[Any, ...]:
    """All that must be the same: settings, games with their records, files."""
    paths = write_run_files(standings(read_run(folder)), folder, games=True)
    with Reader(folder) as reader:
        kept = (reader.config(), {**reader.settings(), "workers": None})
    return *kept, games(folder), *(path.read_bytes() for path in paths if path.name in FILES)


FORMATS = [
    (settings(*FIELD, games=4), "games", [9, 14]),
    (settings(*FIELD, games=4, format="swiss", swiss={"rounds": 1}), "rounds", [2, 3]),
    (own(*FIELD, format="series", series={"target": 12}), "matches", [2, 5]),
    (own(*PAIR, **SPRT), "max_pairs", [6, 10]),
]


@pytest.mark.parametrize(("data", "key", "steps"), FORMATS)
def test_the_bytes_are_those_of_a_run_that_had_asked_at_once(
    tmp_path: Path, data: dict[str, Any], key: str, steps: list[int]
) -> None:
    config = config_from_dict(data)
    play(tmp_path / "grown", config)
    for workers, number in enumerate(steps, start=1):
        grow(tmp_path / "grown", workers, **{key: number})
    play(tmp_path / "once", grown(config, {key: steps[-1]}, "once"))
    assert whole(tmp_path / "grown") == whole(tmp_path / "once")


def test_an_interrupted_run_or_growth_goes_on(tmp_path: Path) -> None:
    config = config_from_dict(settings(*FIELD, games=200))
    folder = tmp_path / "grown"
    play(folder, config, 1, progress=PressCtrlC())
    assert 0 < (before := reader_count(folder)) < 300
    grow(folder, 1, PressCtrlC(), games=100)  # fewer than it was to have
    assert before <= reader_count(folder) < 300
    grow(folder, 2)
    play(tmp_path / "once", grown(config, {"games": 100}, "once"))
    assert whole(folder) == whole(tmp_path / "once")


def reader_count(folder: Path) -> int:
    with Reader(folder) as reader:
        return reader.count()


def test_less_than_was_played_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    play(tmp_path, config_from_dict(settings(*FIELD, games=10)))
    before = whole(tmp_path)
    with pytest.raises(StoreError, match=r"already has 10 games per pairing; --games must be at least 10"):
        grow(tmp_path, games=8)
    assert whole(tmp_path) == before
    grow(tmp_path, games=9)  # rounded up to whole pairs: as many as there are
    assert reader_count(tmp_path) == 30


@pytest.mark.parametrize(
    ("data", "key", "message"),
    [
        (settings(*FIELD, format="knockout"), "games", "knockout runs cannot be extended, because"),
        (settings(*FIELD, format="swiss"), "games", r"grows by --rounds .*: the games of a pairing decide who meets"),
        (own(*FIELD, format="series", series={"rounds": 2}), "games", "series, which grows by --matches"),
        (settings(*FIELD), "max_pairs", "--max-pairs does not go with round-robin, which grows by --games"),
        (settings(*FIELD), "games", "games: expected a whole number from 1"),
    ],
)
def test_what_a_format_cannot_grow_by_is_said(data: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        grown(config_from_dict(data), {key: 10**12}, "stored")


def test_games_of_a_sequential_test_are_whole_pairs() -> None:
    assert grown(config_from_dict(own(*PAIR, **SPRT)), {"games": 15}, "stored").format_settings.max_pairs == 8


def test_a_test_of_more_pairs_is_read_with_all_of_them(tmp_path: Path) -> None:
    config = config_from_dict(own(*PAIR, **SPRT))
    play(tmp_path, config)
    play(tmp_path, grown(config, {"max_pairs": 9}, "again"))  # the same command with another --max-pairs
    run = read_run(tmp_path)
    assert (len(run.games), run.complete) == (18, True)
    with Reader(tmp_path) as reader:
        test = stored_config(reader).verdict()
        assert test is not None
        test(reader)
        assert test.result().units == 9


def test_another_number_in_the_same_folder_names_the_command(tmp_path: Path) -> None:
    play(tmp_path, config_from_dict(settings(*FIELD, games=4)))
    with pytest.raises(StoreError, match=rf"arena resume {tmp_path} --games 8"):
        play(tmp_path, config_from_dict(settings(*FIELD, games=8)))
    with pytest.raises(StoreError, match="seed") as error:
        play(tmp_path, config_from_dict(settings(*FIELD, games=8) | {"seed": 12}))
    assert "arena resume" not in str(error.value)


# ---------------------------------------------------------------- until the errors are small


@pytest.fixture(scope="module")
def small_errors(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run that went on until all errors were small, and how many games of each pairing it took."""
    folder = tmp_path_factory.mktemp("error") / "run"
    play(folder, config_from_dict(settings(*FIELD, games=4)))
    until = UntilError(45.0)
    grow(folder, until=until)
    assert until.reached
    return folder, until.games


def test_it_stops_at_the_first_stop_where_all_errors_are_small(small_errors: tuple[Path, int]) -> None:
    folder, games = small_errors
    found = standings(read_run(folder))
    assert games > 40
    assert max(row["elo_error95"] for row in found.rows) <= 45
    with Reader(folder) as reader:
        config = stored_config(reader)
        assert (config.games, reader.count()) == (games, 3 * games)


def test_interrupted_anywhere_it_stops_at_the_same_games(tmp_path: Path, small_errors: tuple[Path, int]) -> None:
    play(tmp_path, config_from_dict(settings(*FIELD, games=4)))
    grow(tmp_path, until=UntilError(90.0))
    grow(tmp_path, 2, PressCtrlC(), until=UntilError(45.0))
    assert reader_count(tmp_path) < 3 * small_errors[1]
    grow(tmp_path)  # to the end of the step it was at
    grow(tmp_path, 2, until=UntilError(45.0))
    assert whole(tmp_path) == whole(small_errors[0])


def test_it_is_given_up_at_the_limit(tmp_path: Path) -> None:
    play(tmp_path, config_from_dict(settings(*FIELD, games=4)))
    until = UntilError(1.0, most=26)
    grow(tmp_path, until=until)
    assert (until.reached, until.games, reader_count(tmp_path)) == (False, 26, 78)
    assert "after 26 games of each pairing, ± 1 wanted" in until.state


def test_the_errors_of_some_bots_only(tmp_path: Path) -> None:
    config = config_from_dict(settings(*FIELD, games=40))
    play(tmp_path, config)
    best = min(standings(read_run(tmp_path)).rows, key=lambda row: row["elo_error95"])
    one = UntilError(best["elo_error95"], [best["bot"]])
    one.check(config)
    grow(tmp_path, until=one)
    assert (one.reached, one.games) == (True, 40)
    with pytest.raises(ArenaError, match="did you mean 'ann'"):
        UntilError(10, ["anne"]).check(config)


@pytest.mark.parametrize("error", [0, -1, float("nan"), float("inf")])
def test_an_error_is_a_number_above_0(error: float) -> None:
    with pytest.raises(ArenaError, match="above 0"):
        UntilError(error).check(config_from_dict(settings(*FIELD)))


def test_formats_without_games_of_each_pairing_have_no_such_end() -> None:
    with pytest.raises(ArenaError, match="swiss does not grow by games"):
        UntilError(10).check(config_from_dict(settings(*FIELD, format="swiss")))
