"""Bots with one defect each: the check finds it, names the location, and says nothing of the others."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from arena.bots.processes.limits import BotLimits
from arena.bots.processes.procfs import children
from arena.errors import ArenaError
from arena.game.record import parse_record, verify
from arena.league.check import findings
from arena.league.check.check import check_bot
from arena.league.check.report import (
    ERROR,
    NOTE,
    WARNING,
    Answer,
    CheckReport,
    Finding,
    Loading,
    Memory,
    OpponentScore,
    RulesReport,
    Speed,
)
from arena.league.check.source.model import Nature
from arena.league.check.text import report_text
from arena.tournament.config.tournament import Clock
from arena.tournament.match.results import GameResult
from tests.bots.isolation.inside import need_sandbox
from tests.league.check.checked import BOTS, LocalSessions, checked, checked_apart, found

TACTICS = ("base", "tactical")
FINE = "fine:boldness=0.25"


@pytest.mark.process
def test_a_bot_without_defects_is_accepted() -> None:
    report = checked_apart(FINE)
    text = report_text(report)
    assert report.accepted
    assert not report.findings, text
    assert report.loaded
    assert report.nature.entry == "class Fine"
    assert report.nature.hooks == ("begin", "act")
    assert report.nature.parameters == ("boldness: float = 0.5", "label: str = 'x'")
    assert (report.nature.auto_claim, report.nature.ask_forced) == (True, False)
    assert (report.repeats.yes, report.forgets.yes, report.attempts, report.printed) == (True, True, 0, 0)
    base = report.rules[0]
    assert (base.games, base.forfeits) == (12, {})
    assert base.speed is not None
    assert base.speed.decisions > 12 * 10
    assert 0 < base.speed.p50_ms <= base.speed.p90_ms <= base.speed.p99_ms <= base.speed.max_ms
    assert base.memory is not None
    assert 5 < base.memory.peak_mb < 500
    assert report.loading is not None
    assert report.loading.load_ms > 1
    assert text.startswith(f"{report.spec}: ready to submit (no findings)")


# ---------------------------------------------------------------- forfeits


def test_games_are_played_by_both_seats_against_both() -> None:
    report = checked("returns_text", games=8)
    assert report.rules[0].forfeits == {"illegal move": 6}  # then it is clear
    assert "base: 2 of 8 games, since the bot forfeits" in report.left_out


@pytest.mark.parametrize(
    ("bot", "kind", "line", "words"),
    [
        ("returns_text", "illegal move", None, "act returned the text 'r1@1', not one of the moves (6 of 6 games"),
        ("illegal", "illegal move", None, "act returns r1@1, which is not legal: r1 is not in the hand"),
        pytest.param(
            "crashes",
            "crash",
            None,
            "its process ends in act: it ended itself with exit code 3",
            marks=pytest.mark.process,
        ),
        ("raises_tactical", "exception", 11, "act raises ZeroDivisionError: integer division or modulo by zero"),
    ],
)
def test_forfeits(bot: str, kind: str, line: int | None, words: str) -> None:
    report = checked_apart(bot, rules=TACTICS, games=4) if bot == "crashes" else checked(bot, rules=TACTICS)
    assert not report.accepted
    one = found(report, f"forfeit {kind}")
    assert one.level == ERROR
    assert one.line == line
    assert words in one.text
    assert one.remedy
    assert one.record is not None
    verify(one.record)
    assert parse_record(one.record).is_forfeit
    assert "--seed 1 --games 2 --isolation process" in (one.again or "")
    assert report_text(report).startswith(f"{report.spec}: not ready to submit (1 error")


@pytest.mark.slow
@pytest.mark.process
def test_an_exception_in_one_rule_set_does_not_keep_the_others_from_being_checked() -> None:
    report = checked_apart("raises_tactical", rules=TACTICS, games=8)
    one = found(report, "forfeit exception")
    assert one.rules == ("tactical",)
    assert one.file == str(BOTS / "raises_tactical.py")
    assert any("return 10 // view.tactics_played" in line for line in one.details)
    assert "(6 of 6 games of tactical)" in one.text
    assert report.rules[0].forfeits == {}
    assert report.repeats.yes
    shown = report_text(report)
    assert f"{os.path.relpath(BOTS)}/raises_tactical.py:11: act raises" in shown
    assert "Traceback (most recent call last)" in shown
    assert "arena/bots" not in shown  # the author's frames only


def test_an_illegal_move_is_shown_with_its_position_and_what_was_legal() -> None:
    one = found(checked("illegal", rules=TACTICS), "forfeit illegal move")
    position = "\n".join(one.details)
    assert "First in base, deal 0 against random, it moves first:" in position
    assert "decision 3 of the game, turn 3, to decide: play, hand: b3" in position
    assert "1: r1 / r5" in position
    legal = one.details[-1]
    assert legal.startswith("legal: b3@1, k5@1, k6@1, ")  # those at the stone that was tried
    assert legal.endswith("more")


@pytest.mark.process
def test_a_bot_that_hangs_is_asked_once() -> None:
    report = checked_apart("hangs", rules=TACTICS, limits=BotLimits(decision_s=0.4))
    one = found(report, "forfeit timeout")
    assert "act takes too long: no answer within 0." in one.text
    assert [rules.games for rules in report.rules] == [1, 0]
    assert "base: 11 of 12 games, since the bot forfeits" in report.left_out
    assert "tactical: all games, since the bot does not answer in base" in report.left_out
    assert report.repeats.yes is None
    assert "not ready" in report_text(report)


def test_the_clock_is_the_referees() -> None:
    report = checked("slow:ms=60", clock=Clock(move_ms=25), games=4)
    one = found(report, "forfeit timeout")
    assert "decision 3 took" in one.text
    assert "25.0 ms were left" in one.text
    assert "--move-ms 25" in (one.again or "")


# ---------------------------------------------------------------- loading


@pytest.mark.parametrize(
    ("bot", "line", "words"),
    [
        ("no_act", None, "holds no bot: it needs one class with a method act(view, moves)"),
        ("two_bots", 9, "holds 2 bots: class One, class Two"),
        ("fails_to_load", 4, "raises an exception when it is loaded: KeyError: 'b'"),
        ("fails_to_start", 6, "__init__ raises FileNotFoundError"),
        ("fine:bold=1", None, "has no parameter 'bold'; did you mean 'boldness'?"),
    ],
)
@pytest.mark.process
def test_bots_that_cannot_be_loaded(bot: str, line: int | None, words: str) -> None:
    report = checked_apart(bot)
    assert not report.loaded
    assert not report.accepted
    one = found(report, "load")
    assert (one.level, one.line) == (ERROR, line)
    assert words in one.text
    assert report.rules == ()
    assert "loads    no" in report_text(report)


def test_what_is_not_python(tmp_path: Path) -> None:
    path = tmp_path / "syntax.py"
    path.write_text((BOTS / "syntax.txt").read_text())
    report = check_bot(str(path), level="process", rules=("base",), games=2, open_session=LocalSessions())
    one = found(report, "load")
    assert (one.file, one.line) == (str(path), 4)
    assert "is not valid Python: SyntaxError" in one.text


# ---------------------------------------------------------------- the same again


@pytest.mark.parametrize(
    ("bot", "line", "reason"),
    [
        ("by_time", 7, "time.perf_counter_ns() reads a clock"),
        ("by_unseeded", 5, "random.Random() differs between processes"),
    ],
)
def test_bots_that_do_not_repeat(bot: str, line: int, reason: str) -> None:
    report = checked(bot)
    assert report.accepted
    assert report.repeats.yes is False
    assert report.forgets.yes is None
    one = found(report, "not repeatable")
    assert (one.level, one.line) == (WARNING, line)
    assert "something other than the position and the seed" in one.text
    assert f"  line {line}: {reason}" in one.details
    assert one.details[0].startswith("First difference: base, deal ")
    assert "; replayed: " in one.details[0]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("bot", "line", "reason"),
    [
        ("by_set", 6, "the iteration order of the set texts"),
        pytest.param("by_hash", 5, "hash() differs between processes", marks=pytest.mark.soak),
    ],
)
def test_bots_that_depend_on_the_order_of_sets(bot: str, line: int, reason: str) -> None:
    report = checked_apart(bot, games=4)
    one = found(report, "not repeatable")
    assert "It depends on set iteration order (or on hash()), which differs between processes" in one.text
    assert one.line == line
    assert any(reason in detail for detail in one.details)
    assert report.forgets.yes  # as long as sets have one order


@pytest.mark.parametrize(
    ("bot", "line", "how", "reason"),
    [
        ("leak_global", 3, "in reverse order", "COUNTS belongs to the module"),
        ("leak_self", 6, "in reverse order", "self.lengths is set in __init__ and not in begin"),
        pytest.param(
            "leak_class",
            5,
            "with other games under way",
            "plan belongs to the class LeakClass",
            marks=[pytest.mark.process, pytest.mark.slow],
        ),
    ],
)
def test_bots_that_remember_other_games(bot: str, line: int, how: str, reason: str) -> None:
    report = checked_apart(bot) if bot == "leak_class" else checked(bot)
    assert report.repeats.yes
    assert report.forgets.yes is False
    one = found(report, "remembers games")
    assert (one.level, one.line) == (WARNING, line)
    assert how in one.text
    assert any(reason in detail for detail in one.details)
    assert f"; played {how}: " in one.details[0]


@pytest.mark.parametrize(("bot", "steady"), [("by_unseeded", False), ("leak_self", True)])
def test_chance_that_comes_late_is_not_taken_for_memory(bot: str, steady: bool) -> None:
    """Games that differ only when they are played in another way, and differ then each time."""
    trials = LocalSessions().trials(bot, games=4)
    trials.play("base")
    trials.again.games = 4  # as if nothing had been seen there
    trials.reorder("base")
    assert (trials.again.first is None) is steady
    assert (trials.order.first is not None) is steady
    assert bool(findings.forgets(trials).yes is None) is not steady


def test_the_first_difference_is_a_decision_of_the_game_shown() -> None:
    one = found(checked("leak_global"), "remembers games")
    assert one.record is not None
    words = one.details[0].split("decision ")[1]
    number, moves = words.split(": ", 1)
    before = moves.split(";")[0]
    assert str(parse_record(one.record).moves[int(number) - 1]) == before


# ---------------------------------------------------------------- time, memory, output


def test_a_slow_bot_is_held_against_the_default_clock() -> None:
    def retouched(game: GameResult) -> GameResult:
        return dataclasses.replace(game, max_ms=(1234.0, 1234.0))

    sessions = LocalSessions(retouch=retouched)
    one = found(checked("fine", open_session=sessions, games=2), "slow")
    assert one.level == WARNING
    assert "takes up to 1,234 ms for a decision (base)" in one.text
    assert "with the default clock of a league, 1000 ms a decision, it would forfeit by timeout" in one.text
    clocked = checked("fine", open_session=sessions, games=2, clock=Clock(move_ms=5000))
    assert not clocked.findings


def test_seconds_bound_the_number_of_games() -> None:
    report = checked("slow:ms=20", games=40, rules=TACTICS, seconds=1.0)
    assert all(one.games < 40 for one in report.rules)
    assert report.rules[0].games >= 2
    assert f"base: {40 - report.rules[0].games} of 40 games, out of time (--seconds)" in report.left_out
    assert report.seconds < 20
    assert "of 40" in report_text(report)


@pytest.mark.slow
@pytest.mark.process
def test_a_bot_that_grows() -> None:
    report = checked_apart("grows", games=24)
    one = found(report, "memory leak")
    assert (one.level, one.line) == (WARNING, 6)
    assert "grows by 0.5 MB with each game" in one.text
    memory = report.rules[0].memory
    assert memory is not None
    assert 0.4 < memory.growth_mb < 0.65


@pytest.mark.process
def test_a_bot_that_prints() -> None:
    report = checked_apart("prints", games=2)
    one = found(report, "prints")
    assert (one.level, one.line) == (NOTE, 5)
    assert report.printed > 2 * 100


# ---------------------------------------------------------------- what it tries


@pytest.mark.parametrize(
    "level", [pytest.param("process", marks=pytest.mark.process), pytest.param("sandbox", marks=pytest.mark.sandbox)]
)
def test_what_it_tries(level: str) -> None:
    if level == "sandbox":
        need_sandbox()
    report = checked_apart("tries", level=level, games=2)
    lines = {one.code: one.line for one in report.findings}
    own = {"reads own files": 39}
    assert lines == {"tries files": 26, "tries network": 30, "tries processes": 33, "tries reads": 36} | own
    assert report.attempts == 4
    assert all(one.level == (NOTE if one.code in own else WARNING) for one in report.findings)
    assert all(one.remedy for one in report.findings)
    assert found(report, "reads own files").text == "reads files beside it: fine.py"
    assert "arena submit tries.py --folder" in found(report, "reads own files").remedy
    assert report.accepted
    assert "open(/nowhere/log.txt, a)" in found(report, "tries files").text
    assert report.printed == 0  # the lines about it are not the bot's


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_sandbox_plays_the_same_games() -> None:
    need_sandbox()
    report = checked_apart(FINE, level="sandbox", games=6)
    assert not report.findings, report_text(report)
    assert report.forgets.yes
    memory = report.rules[0].memory
    assert memory is not None
    assert memory.peak_mb > 5  # of the bot, not of bubblewrap around it


@pytest.mark.process
def test_processes_that_are_left_behind() -> None:
    before = children(os.getpid())
    report = checked_apart("leaves", games=2)
    one = found(report, "leaves processes")
    assert "leaves processes running that it has started" in one.text
    assert children(os.getpid()) == before
    assert {one.line for one in report.findings if one.code == "tries processes"} == {9, 11}


def test_what_the_source_alone_tells() -> None:
    report = checked("pitfalls", games=4)
    lines = {one.code: (one.level, one.line) for one in report.findings}
    assert lines == {
        "relative path": (WARNING, 16),
        "imports": (NOTE, 7),
        "global random": (NOTE, 20),
        "threads": (NOTE, 4),
    }


# ---------------------------------------------------------------- other ways


@pytest.mark.process
@pytest.mark.slow
def test_a_bot_in_a_worker() -> None:
    report = checked_apart("leak_self", level="none", games=4)
    assert found(report, "remembers games").line == 6
    assert report.attempts is None
    broken = checked_apart("fails_to_load", level="none", games=2)
    assert found(broken, "load").line == 4


@pytest.mark.process
def test_a_command() -> None:
    report = check_bot(f"cmd:python3 {BOTS / 'wire_lazy.py'}", level="process", rules=("base",), games=2)
    assert report.accepted
    assert report.nature.entry == "command"
    assert report.repeats.yes
    assert report.forgets.yes
    assert report.attempts is None
    with pytest.raises(ArenaError, match="use process or sandbox"):
        check_bot(f"cmd:python3 {BOTS / 'wire_lazy.py'}", level="none")


def test_strength() -> None:
    report = checked(FINE, games=8, strength=True)
    assert [score.opponent for score in report.rules[0].scores] == ["random", "greedy"]
    assert all(one.wins + one.draws + one.losses == 4 for one in report.rules[0].scores)
    assert "against greedy" in report_text(report)


def test_a_bot_of_the_program_meets_itself_under_another_name() -> None:
    report = check_bot("random", level="process", rules=("base",), games=4, open_session=LocalSessions())
    assert report.accepted
    assert report.repeats.yes


@pytest.mark.process
def test_whoever_is_told_may_stop_it() -> None:
    class Stop(Exception):
        pass

    def stop(progress: object) -> None:
        if "repeating" in str(progress):
            raise Stop

    before = children(os.getpid())
    with pytest.raises(Stop):
        check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=2, report=stop)
    assert children(os.getpid()) == before


@pytest.mark.parametrize("bot", [FINE, "illegal", "no_act"])
def test_reports_are_plain_values(bot: str) -> None:
    report = checked(bot, rules=TACTICS) if bot == "illegal" else checked(bot)
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert values["accepted"] == report.accepted
    assert values["errors"] == len(report.errors)
    assert len(values["findings"]) == len(report.findings)


def test_the_page_names_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "check.md").read_text(encoding="utf-8")
    values = (CheckReport, Finding, RulesReport, Speed, Memory, OpponentScore, Loading, Nature, Answer)
    keys = {field.name for value in values for field in dataclasses.fields(value)}
    assert keys | {"accepted", "errors", "warnings"} >= set(checked("illegal", rules=TACTICS).to_dict())
    assert not sorted(key for key in keys if f"`{key}`" not in page)


@pytest.mark.parametrize(("level", "words"), [("sandbx", "did you mean 'sandbox'"), ("process", "unknown rule set")])
def test_wrong_use(level: str, words: str) -> None:
    with pytest.raises(ArenaError, match=words):
        check_bot(str(BOTS / "fine.py"), level=level, rules=("bsae",) if level == "process" else ("base",))
