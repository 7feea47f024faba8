"""The games of a check against a clock that only they move: how time is shared out, what is told between games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from arena.game.engine import View
from arena.game.moves import Move
from arena.league.check import findings
from arena.league.check.budget import CheckProgress, Phase, TimeBudget
from arena.league.check.check import check_bot
from arena.league.check.report import ERROR, CheckReport
from arena.league.check.source.model import Nature, Source
from arena.league.check.text import report_text
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import PairTask
from tests.league.check.checked import BOTS, LocalSession, LocalSessions, checked, found

SOURCE = Source(Nature("function act"))
OUT_OF_TIME = "out of time (--seconds)"


class First:
    """Always the first move; with another order of sets, and from a number of games on, the last."""

    def __init__(self, hash_seed: str, from_game: int = 0) -> None:
        self.other = hash_seed != "0"
        self.from_game = from_game
        self.games = 0

    def begin(self, setup: object) -> None:
        self.games += 1

    def act(self, view: View, moves: list[Move]) -> Move:
        return moves[-1 if self.other and self.games > self.from_game else 0]


# ---------------------------------------------------------------- time


def test_time_is_shared_out_and_what_is_left_over_is_passed_on() -> None:
    now = [100.0]
    told: list[CheckProgress] = []
    budget = TimeBudget(("base", "expert"), 10, 60.0, False, told.append, lambda: now[0])
    budget.begin(Phase.PLAY, "base")
    assert not budget.over()
    assert told[-1].seconds_left is None
    now[0] += 5
    budget.played(10, 10)
    assert not budget.over()  # a fourth of a half of them is 7.5
    now[0] += 5
    assert budget.over()
    budget.begin(Phase.PLAY, "expert")
    assert not budget.over()
    budget.begin(Phase.REPEAT, "base")
    left = told[-1].seconds_left
    assert left is not None
    assert 15 < left <= 50
    budget.begin(Phase.ORDER, "base")
    assert budget.room()
    budget.start_s = 1000
    assert not budget.room()
    now[0] += 100
    budget.begin(Phase.ALONE, "expert")
    assert budget.over()


def test_without_a_limit_nothing_is_over() -> None:
    budget = TimeBudget(("base",), 10, None, False, lambda progress: None)
    budget.begin(Phase.PLAY, "base")
    assert not budget.over()
    assert budget.room()


@pytest.mark.parametrize(("bot", "make"), [("by_unseeded", None), ("leak_self", None), ("fine", None), ("fine", First)])
def test_between_any_two_games_it_is_told(bot: str, make: Any) -> None:
    """And between most of them it is looked whether there is time left."""
    sessions = LocalSessions(make)
    trials = sessions.trials(bot, games=8, seconds=1000.0, strength=True)
    trials.play_all(strength=True)
    course = sessions.happened
    assert course.count("game") > 16
    games = [at for at, what in enumerate(course) if what == "game"]
    between = [course[one:two] for one, two in pairwise(games)]
    assert all("told" in one for one in between)
    assert sum(one[-1] == "clock" for one in between) > len(between) / 2  # read after it was told


@pytest.mark.parametrize("make", [None, First])
def test_when_time_is_up_each_part_plays_the_least(make: Any) -> None:
    sessions = LocalSessions(make, game_s=100.0)
    trials = sessions.trials(games=40, seconds=1.0)
    trials.play_all(strength=False)
    assert len(trials.rows["base"]) == 2
    assert sessions.happened.count("game") <= 2 + 2 + 2 + 2 + 1
    assert f"base: 38 of 40 games, {OUT_OF_TIME}" in trials.omissions.lines
    if make is None:
        assert f"base: games in reverse order, {OUT_OF_TIME}" in trials.omissions.lines
        assert findings.forgets(trials).text == "not checked: out of time"


def test_time_that_runs_out_while_many_games_are_played() -> None:
    sessions = LocalSessions(game_s=0.001)

    def tell(progress: CheckProgress) -> None:
        if progress.phase == Phase.TOGETHER and progress.games:
            sessions.now += 1000.0

    trials = sessions.trials(games=12, seconds=60.0, tell=tell)
    trials.play_all(strength=False)
    assert trials.omissions.lines == [f"base: many games at once, {OUT_OF_TIME}"]
    assert findings.forgets(trials).yes


@pytest.mark.parametrize(("from_game", "by_hash"), [(0, True), (3, None)])
def test_whether_there_was_time_to_tell_why(from_game: int, by_hash: bool | None) -> None:
    """The order of sets matters from some game on; there was time to play that again with the old order, or not."""
    sessions = LocalSessions(lambda hash_seed: First(hash_seed, from_game), game_s=1.0)

    def tell(progress: CheckProgress) -> None:
        if by_hash is None and progress.phase == Phase.REPEAT and progress.games == 12:
            sessions.now += 1000.0

    trials = sessions.trials(games=12, seconds=100.0, tell=tell)
    trials.play_all(strength=False)
    assert trials.by_hash is by_hash
    (one,) = findings.of_games(trials, SOURCE, None, 0)
    expected = "set iteration order (or on hash())" if by_hash else "set iteration order, or on something else"
    assert expected.replace("something else", "something other than the position") in one.text
    assert findings.forgets(trials).yes is by_hash


@pytest.mark.slow
@pytest.mark.process
def test_many_games_at_once_can_be_stopped() -> None:
    class Stop(Exception):
        pass

    told: list[CheckProgress] = []

    def stop(progress: CheckProgress) -> None:
        told.append(progress)
        if sum(one.phase == Phase.TOGETHER for one in told) > 6:
            raise Stop

    with pytest.raises(Stop):
        check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=12, report=stop)


def test_what_is_raised_when_it_is_told_ends_the_check() -> None:
    def tell(progress: CheckProgress) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        checked("fine", report=tell)


# ---------------------------------------------------------------- failures of ours


def failing(*args: object, **more: object) -> Any:
    raise KeyError("\x1bunthought of")


class FailsTogether(LocalSession):
    def together(self, tasks: Sequence[PairTask], look: object) -> list[list[GameResult]]:
        failing()
        return []


class FailsToStart(LocalSession):
    def start(self) -> Any:
        failing()


def afresh(bot: str, session: type[LocalSession] = LocalSession) -> CheckReport:
    return checked(bot, open_session=LocalSessions(session=session))


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("findings.speed", "the time it takes"),
        ("findings.tried", "what it tries"),
        ("findings.own_files", "the files that it reads"),
        ("findings.pitfalls", "pitfalls in the source"),
        ("trials.divergence", "a game that was played again"),
        ("trials.MemoryMeter", "further games"),
    ],
)
def test_a_failure_of_ours_does_not_end_the_check(monkeypatch: pytest.MonkeyPatch, place: str, what: str) -> None:
    monkeypatch.setattr(f"arena.league.check.{place}", failing)
    expect_failure(afresh("fine"), what)


@pytest.mark.parametrize(("session", "what"), [(FailsTogether, "further games"), (FailsToStart, "the time to load")])
def test_a_session_that_fails_does_not_end_the_check(session: type[LocalSession], what: str) -> None:
    expect_failure(afresh("fine", session), what)


def expect_failure(report: CheckReport, what: str) -> None:
    assert f"{what} could not be checked: KeyError: '\\x1bunthought of'" in report.left_out
    assert report.rules[0].games == 12
    assert report_text(report)


@pytest.mark.parametrize(
    ("place", "bot", "code"),
    [
        ("location_in", "illegal", "forfeit illegal move"),
        ("game_text", "illegal", "forfeit illegal move"),
        ("location_in", "no_act", "load"),
    ],
)
def test_a_failure_that_cannot_be_explained_is_an_error(
    monkeypatch: pytest.MonkeyPatch, place: str, bot: str, code: str
) -> None:
    monkeypatch.setattr(f"arena.league.check.failures.{place}", failing)
    report = afresh(bot)
    assert not report.accepted
    assert found(report, code).level == ERROR
    assert any("could not be checked: KeyError" in line for line in report.left_out)
    assert report.loaded is (code != "load")


def test_a_slow_bot_does_not_outlast_its_time() -> None:
    """`--seconds 60` took 165 s with a bot of 8 s a game: each part of each rule set played its least."""
    sessions = LocalSessions(game_s=8.0)
    trials = sessions.trials(games=40, seconds=60.0, rules=("base", "tactical", "expert"))
    trials.play_all(strength=False)
    assert sessions.now <= 60.0 + 4 * 8.0
    assert any(OUT_OF_TIME in line for line in trials.omissions.lines)


def test_what_was_hardly_looked_at_is_not_called_ready() -> None:
    """It said "nothing to remark" with 114 of 120 games not looked at."""
    report = checked("fine")
    few = replace(report.rules[0], games=2, wanted=40)
    head = report_text(replace(report, rules=(few,))).partition("\n")[0]
    assert head.endswith("only 2 of 40 games were looked at (no findings in these)")
    assert "ready to submit" in report_text(report)
