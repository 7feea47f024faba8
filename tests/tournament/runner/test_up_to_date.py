"""A run that is brought up to date: the same bytes as of a run that had asked for so many games at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.results.run_data import read_run, stored_config
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.results.until_error import UntilError
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.runner.play_run import play_run, prepare
from arena.tournament.runner.progress import ProgressListener, RunStatus
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import StoreError
from tests.tournament.runner.runs import FIELD, SendsSignal, games, settings

pytestmark = pytest.mark.process
FILES = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")


class PressesCtrlC(SendsSignal):
    """Presses Ctrl-C with the first games in hand, not before."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Do nothing."""


def field(games: int, **more: Any) -> TournamentConfig:
    return config_from_dict(settings(*FIELD, games=games, **more))


def play(folder: Path, config: TournamentConfig, workers: int = 2, **more: Any) -> None:
    play_run(replace(config, workers=workers), folder, **more)


def whole(folder: Path) -> tuple[Any, ...]:
    """Return all that must be the same: settings, games with their records, files."""
    paths = write_run_files(standings(read_run(folder)), folder, games=True)
    with Reader(folder) as reader:
        kept = (reader.config(), {**reader.settings(), "workers": None})
    return *kept, games(folder), *(path.read_bytes() for path in paths if path.name in FILES)


def count(folder: Path) -> int:
    with Reader(folder) as reader:
        return reader.count()


def test_the_bytes_are_those_of_a_run_that_had_asked_at_once(tmp_path: Path) -> None:
    """More games, then fewer: of a test, as test_make.py has the other formats."""
    data = {"name": "test", "format": "sprt", "bots": [*FIELD[:2]], "seed": 11}
    for number in (3, 5, 2):
        config = config_from_dict({**data, "sprt": {"elo0": 0, "elo1": 1, "max_pairs": number}})
        play(tmp_path / "run", config)
        if number != 3:
            play(tmp_path / f"{number}", config, workers=1)
            assert whole(tmp_path / "run") == whole(tmp_path / f"{number}")


def test_a_decided_test_plans_no_games(tmp_path: Path) -> None:
    data = {"name": "test", "format": "sprt", "bots": ["greedy", "random"], "seed": 11}
    config = config_from_dict({**data, "sprt": {"elo0": 0, "elo1": 10, "max_pairs": 300}})
    play(tmp_path, config)
    plan = prepare(config, tmp_path).plan
    assert (plan.missing, plan.stays) == (0, count(tmp_path))
    assert str(plan).startswith("Nothing is left to play.")


SWISS, KNOCKOUT = {"format": "swiss", "swiss": {"rounds": 2}}, {"format": "knockout"}
CHANGES: dict[str, dict[str, Any]] = {
    "seed: 11 there, 12 asked for": {"seed": 12},
    "rules: ": {"rules": "tactical"},
    "clock.move_ms: nothing there, 9000 asked for": {"clock": {"move_ms": 9000}},
}


@pytest.mark.parametrize(
    ("usual", "changes"),
    [
        ({}, CHANGES),
        (SWISS, {"games: 4 there, 6 asked for": {"games": 6}}),
        (KNOCKOUT, {"a knockout run takes no other bots or games, because the results": {"bots": [*FIELD[:2]]}}),
    ],
)
def test_games_of_another_shape_need_another_folder(
    tmp_path: Path, usual: dict[str, Any], changes: dict[str, dict[str, Any]]
) -> None:
    data = settings(*FIELD, games=4, **usual)
    play(tmp_path, config_from_dict(data), workers=1)
    before = whole(tmp_path)
    for message, change in changes.items():
        with pytest.raises(StoreError, match=f"(?s){message}"):
            play(tmp_path, config_from_dict(data | change))
    assert whole(tmp_path) == before


def test_a_swiss_run_takes_more_rounds(tmp_path: Path) -> None:
    for rounds in (1, 3):
        play(tmp_path / "run", field(4, format="swiss", swiss={"rounds": rounds}), workers=1)
    play(tmp_path / "once", field(4, format="swiss", swiss={"rounds": 3}))
    assert whole(tmp_path / "run") == whole(tmp_path / "once")


# ---------------------------------------------------------------- until the errors are small


def play_until(folder: Path, until: UntilError, workers: int = 1, progress: ProgressListener | None = None) -> None:
    play(folder, until.begin(field(4)), workers, progress=progress, more=until)


@pytest.fixture(scope="module")
def small_errors(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run that went on until all errors were small, and how many games of each pairing it took."""
    folder = tmp_path_factory.mktemp("error") / "run"
    until = UntilError(45.0)
    play_until(folder, until)
    assert until.reached
    assert until.games > 40
    assert max(row["elo_error95"] for row in standings(read_run(folder)).rows) <= 45
    with Reader(folder) as reader:
        assert (stored_config(reader).games, reader.count()) == (until.games, 3 * until.games)
    return folder, until.games


def test_wherever_it_begins_it_stops_at_the_same_games(tmp_path: Path, small_errors: tuple[Path, int]) -> None:
    play(tmp_path, field(4))
    play_until(tmp_path, UntilError(90.0))
    play_until(tmp_path, UntilError(45.0), 2, PressesCtrlC(0))
    assert count(tmp_path) <= 3 * small_errors[1]  # less, unless the machine was quicker than the signal
    play(tmp_path, field(2 * small_errors[1]))  # more than it takes
    play_until(tmp_path, UntilError(45.0), 2)
    assert whole(tmp_path) == whole(small_errors[0])


def test_it_is_given_up_at_the_limit(tmp_path: Path) -> None:
    until = UntilError(1.0, most=26)
    play_until(tmp_path, until)
    assert (until.reached, until.games, count(tmp_path)) == (False, 26, 78)
    assert "after 26 games of each pairing, ± 1 wanted" in until.state


def test_the_errors_of_some_bots_only(tmp_path: Path) -> None:
    play(tmp_path, field(40))
    best = min(standings(read_run(tmp_path)).rows, key=lambda row: row["elo_error95"])
    one = UntilError(best["elo_error95"], [best["bot"]])
    play_until(tmp_path, one)
    assert one.reached
    assert (one.worst[1], one.games <= 40) == (best["bot"], True)


def test_invalid_errors_are_rejected() -> None:
    for error in (0, float("nan")):
        with pytest.raises(ArenaError, match="above 0"):
            UntilError(error).begin(field(4))
    with pytest.raises(ArenaError, match="did you mean 'ann'"):
        UntilError(10, ["anne"]).begin(field(4))
    with pytest.raises(ArenaError, match="swiss does not grow by games"):
        UntilError(10).begin(field(4, format="swiss"))
