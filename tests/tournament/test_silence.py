"""Bots that do not answer: who is left out follows from the stored games, whoever played them and when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.endings import FORFEITS, ForfeitKind
from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.tournament.formats.round_robin import round_robin
from arena.tournament.games import ScheduleProgress
from arena.tournament.plan import first_silent
from arena.tournament.runner.play_run import BotSilent
from arena.tournament.store.columns import GameColumns
from arena.tournament.store.reader import Reader
from tests.tournament.runner import runs

BOTS = ("ann", "bob", "cat")
SCHEDULE = round_robin(BOTS, 8)
NAMES = ("pairing", "deal", "first", "second", "score", "forfeit", "forfeit_by")


def stored(late: Sequence[str], missing: Sequence[int] = ()) -> GameColumns:
    """The first games of the schedule without `missing` units, lost by bots that did not answer ("": by nobody)."""
    rows = []
    tasks = SCHEDULE.tasks(ScheduleProgress())
    games = [(number, game) for number, task in enumerate(tasks) for game in task.game_tasks()]
    for (unit, game), bot in zip(games, late):
        by = BOTS.index(bot) if bot else -1
        kind = FORFEITS.index(ForfeitKind.TIMEOUT) if bot else -1
        if unit not in missing:
            rows.append((game.pairing, game.deal, BOTS.index(game.first), BOTS.index(game.second), 1, kind, by))
    columns = np.array(rows, np.int64).T
    values: dict[str, Any] = dict(zip(NAMES, columns)) | {"game": np.arange(len(rows)) % 2}
    values |= {name: np.zeros(len(rows), np.int64) for name in ("points_first", "points_second")}
    return GameColumns(BOTS, values)


def found(late: Sequence[str], missing: Sequence[int] = ()) -> tuple[str, int, int] | None:
    games = stored(late, missing)
    silence = first_silent(games, SCHEDULE, games.progress())
    return None if silence is None else silence[:3]


# the units of a deal: bob-cat, ann-cat, ann-bob, two games each
HANGS = ["bob", "bob", "", "", "bob", "bob"]


def test_a_bot_that_did_not_answer_in_most_of_its_games_is_left_out() -> None:
    assert found(HANGS) == ("bob", 3, 3)
    assert found(["bob", "bob", "", "", "", ""] * 2) == ("bob", 3, 5)
    assert found(["bob", "", "", "", "", ""] * 4) is None
    assert found(["bob", "", "", "", "bob", "bob"]) == ("bob", 3, 4)
    assert found(["", "", "", "", "bob", "", *HANGS, *HANGS]) == ("bob", 4, 7)
    assert found(["bob"] * 2) is None


def test_only_games_before_the_first_that_is_missing_count() -> None:
    assert found(HANGS, missing=[1]) is None
    assert found([*HANGS, "", ""], missing=[3]) == ("bob", 3, 3)


def test_the_first_in_the_order_of_the_schedule_is_left_out_first() -> None:
    late = ["bob", "cat", "cat", "cat", "bob", "bob"]
    assert found(late) == ("cat", 3, 4)
    late[2] = ""
    assert found([*late, "", "", "cat"]) == ("bob", 3, 4)


# ---------------------------------------------------------------- runs

HANG = "import time\n\n\ndef act(view, moves):\n    time.sleep(100)\n"
SOMETIMES = """
import time


def act(view, moves):
    if view.turns <= 2 and view.rng.random() < 0.1:
        time.sleep(100)
    return moves[0]
"""


@pytest.fixture
def bots(tmp_path: Path) -> dict[str, dict[str, Any]]:
    table = {name: runs.bot("random", name) for name in ("ann", "bob", "cat")}
    for name, text in (("hang", HANG), ("sometimes", SOMETIMES)):
        (tmp_path / f"{name}.py").write_text(text)
        table[name] = {"spec": str(tmp_path / f"{name}.py"), "name": name}
    return table


def files(folder: Path) -> list[bytes]:
    paths = write_run_files(standings(read_run(folder)), folder)
    return [path.read_bytes() for path in paths if path.name != "timing.csv"]


def play(folder: Path, *bots: dict[str, Any], workers: int = 2, **more: Any) -> Any:
    again = more.pop("again", ())
    settings = runs.settings(*bots, **more)
    if more.get("format") == "sprt":
        del settings["games"]
    return runs.play(folder, settings, workers, limits=runs.QUICK, again=again)


@pytest.mark.process
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_field_is_played_as_if_the_bot_were_not_there(
    tmp_path: Path, bots: dict[str, dict[str, Any]], isolation: str
) -> None:
    hang = bots["hang"] | {"isolation": isolation}
    report = play(tmp_path / "run", bots["ann"], hang, bots["bob"], bots["cat"])
    assert list(report.left_out) == ["hang"]
    assert "no answer within 0.4 s in 3 of its first" in report.left_out["hang"]
    play(tmp_path / "without", bots["ann"], bots["bob"], bots["cat"])
    assert runs.games(tmp_path / "run") == runs.games(tmp_path / "without")
    with Reader(tmp_path / "run") as reader:
        assert reader.count_all() - reader.count() <= 12  # of its eighteen games
        assert all(row.plies for row in reader.rows())
    assert "hang" in standings(read_run(tmp_path / "run")).run.left_out
    assert play(tmp_path / "run", bots["ann"], hang, bots["bob"], bots["cat"]).played == 0


@pytest.mark.process
def test_a_bot_that_hangs_now_and_then_stays(tmp_path: Path, bots: dict[str, dict[str, Any]]) -> None:
    for workers in (1, 3):
        report = play(tmp_path / str(workers), bots["ann"], bots["sometimes"], bots["bob"], workers=workers, games=12)
        assert not report.left_out
        assert runs.forfeits(tmp_path / str(workers))
    assert runs.games(tmp_path / "1") == runs.games(tmp_path / "3")


@pytest.mark.process
def test_it_plays_again_when_it_is_mended_or_on_request(tmp_path: Path, bots: dict[str, dict[str, Any]]) -> None:
    field = bots["ann"], bots["hang"], bots["bob"]
    play(tmp_path / "run", *field)
    again = play(tmp_path / "run", *field, again=["hang"])
    assert list(again.left_out) == ["hang"]
    assert again.played >= 3
    (tmp_path / "hang.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert not play(tmp_path / "run", *field).left_out


@pytest.mark.process
@pytest.mark.parametrize("form", ["match", "sprt", "gauntlet"])
def test_a_run_that_cannot_do_without_it_ends_without_a_result(
    tmp_path: Path, bots: dict[str, dict[str, Any]], form: str
) -> None:
    field = [bots["hang"], bots["ann"]] + [bots["bob"]] * (form == "gauntlet")
    size = {"sprt": {"max_pairs": 20}} if form == "sprt" else {"games": 12}
    for _ in range(2):  # the second time nothing is played
        with pytest.raises(BotSilent, match="without a result, because hang does not play"):
            play(tmp_path / "run", *field, format=form, **size)
    with Reader(tmp_path / "run") as reader:
        assert 3 <= reader.count() <= 8


@pytest.mark.process
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_opponents_win_by_walkovers(tmp_path: Path, bots: dict[str, dict[str, Any]], form: str) -> None:
    field = bots["ann"], bots["bob"], bots["hang"], bots["cat"]
    for workers in (1, 3):
        report = play(tmp_path / str(workers), *field, workers=workers, format=form, games=4)
        assert list(report.left_out) == ["hang"]
    data = read_run(tmp_path / "1")
    met = [meeting for meetings in data.rounds for meeting in meetings if "hang" in (meeting.a, meeting.b)]
    assert {meeting.decided_by for meeting in met} == {"walkover"}
    assert all(meeting.winner not in (None, "hang") for meeting in met)
    assert data.complete
    assert "hang" not in [bot for row in standings(data).rows if row["games"] for bot in [row["bot"]]]
    assert files(tmp_path / "1") == files(tmp_path / "3")
    assert play(tmp_path / "1", *field, format=form, games=4).played == 0
