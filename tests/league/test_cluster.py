"""A league whose games are played on a cluster: the same games, and nobody is refused for what machines do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.league import match_runner, versions
from arena.league.match_runner import open_session
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.tournament.runner.job import Failed
from tests.league.leagues import FIRST, RANDOM, enter, league, settle, skip_check, submission


@pytest.fixture(autouse=True)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_check(monkeypatch)


class Gone:
    """An executor whose scheduler has died."""

    slots = 1

    def moves_in_play(self) -> int:
        return 0

    def submit(self, chunk: object) -> None: ...
    def drain(self) -> None: ...
    def close(self) -> None: ...

    def events(self, timeout: float) -> list[Failed]:
        return [Failed("the scheduler is gone", ours=False, elsewhere=True)]


def test_whoever_submits_pays_nothing_for_a_scheduler_that_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def make(job: object, executor: str, scheduler: str, sink: object) -> Gone:
        asked.append((executor, scheduler))
        return Gone()

    monkeypatch.setattr(match_runner, "make_executor", make)
    with league(tmp_path / "cup") as made:
        enter(made, "one")
        with open_session(made, "submit", 1, executor="dask", scheduler="tcp://h:1") as session:
            for _ in range(versions.MAX_ATTEMPTS + 1):
                with pytest.raises(LeagueError, match="the scheduler is gone"):
                    settle(session, submission("new", RANDOM))
        assert set(asked) == {("dask", "tcp://h:1")}
        assert [one.state for one in versions.of_bot(made, "new")] == [versions.PENDING]


@pytest.mark.parametrize("command", [["serve"], ["league", "work"]])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--executor", "slurm"], "local and dask"),
        (["--executor", "local", "--scheduler", "tcp://h:1"], "--scheduler belongs to"),
    ],
)
def test_a_wrong_executor_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Sequence[str], words: Sequence[str], said: str
) -> None:
    with league(tmp_path / "cup", isolation="sandbox"):
        pass
    assert main([*command, str(tmp_path / "cup"), *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_league_plays_the_same_games_on_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the Dask executor needs the extra 'cluster'")
    found = []
    for place, options in (("here", {}), ("there", {"executor": "dask"})):
        with league(tmp_path / place) as made:
            enter(made, "one", source=FIRST)
            with open_session(made, "submit", 2, **options) as session:  # type: ignore[arg-type]
                assert settle(session, submission("new", RANDOM)).state == versions.ACTIVE
            found.append(games_of(made))
    assert len(found[0]) > 4
    assert found[0] == found[1]


def games_of(made: League) -> list[Any]:
    return made.query("SELECT deal, game, score, record FROM games ORDER BY deal, game")
