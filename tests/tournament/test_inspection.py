"""Bots with one defect each: the check finds it, and nothing in the others."""

from __future__ import annotations

import functools
import os
import signal
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.errors import ArenaError
from arena.game.record import parse_record, verify
from arena.tournament.inspection import ERROR, WARNING, CheckReport, check_bot, check_text
from arena.tournament.run_settings import Clock
from arena.tournament.runner.pool import StopSignals
from tests.bots.isolation.inside import need_sandbox

BOTS = Path(__file__).parents[1] / "data" / "check"
FINE = "fine:boldness=0.25"

pytestmark = pytest.mark.process


@functools.cache
def checked(bot: str, **more: Any) -> CheckReport:
    """The report of a bot of tests/data/check, by default of a few games of the base rules."""
    stem, colon, params = bot.partition(":")
    settings: dict[str, Any] = {"level": "none", "rules": ("base",), "games": 4, "seed": 1}
    return check_bot(f"{BOTS / stem}.py{colon}{params}", **settings | more)


@pytest.mark.parametrize("level", ["none", "process", pytest.param("sandbox", marks=pytest.mark.sandbox)])
def test_a_bot_without_defects_is_ready(level: str) -> None:
    if level == "sandbox":
        need_sandbox()
    report = checked(FINE, level=level)
    assert (report.findings, report.left_out, report.loaded) == ((), (), True)
    assert (report.played_again, report.different) == (4, 0)
    base = report.rules[0]
    assert (base.games, base.wanted, base.forfeits) == (4, 4, {})
    assert base.speed is not None
    assert 0 < base.speed["p50_ms"] <= base.speed["p99_ms"]
    text = check_text(report)
    assert text.startswith(f"{report.spec}: ready to submit (no findings)\n\nForfeits: none in 4 games\n")
    assert "\nDeterminism: yes: all decisions are the same in 4 repeated games" in text


@pytest.mark.parametrize(
    ("bot", "kind", "words", "detail"),
    [
        ("illegal", "illegal move", "r1@1 is not legal: a card must be drawn now", ""),
        ("crashes", "crash", "in act: it ended itself with exit code 3", ""),
        (
            "raises_tactical",
            "exception",
            "ZeroDivisionError: integer division",
            'raises_tactical.py", line 11, in share',
        ),
    ],
)
def test_the_first_forfeit_is_shown_with_its_traceback(bot: str, kind: str, words: str, detail: str) -> None:
    report = checked(bot, rules=("tactical",), games=12, level="process" if bot == "crashes" else "none")
    (finding,) = report.findings
    assert (finding.level, finding.code, finding.rules) == (ERROR, f"forfeit {kind}", "tactical")
    assert words in finding.text
    assert "(tactical, deal 0 against " in finding.text
    assert detail in "\n".join(finding.details)
    assert finding.record is not None
    verify(finding.record)
    assert parse_record(finding.record).is_forfeit
    assert report.rules[0].forfeits == {kind: report.rules[0].games}
    text = check_text(report)
    assert text.startswith(f"{report.spec}: not ready to submit (1 error)\n\n")
    assert "Determinism: not checked" in text


def test_a_forfeit_in_one_rule_set_leaves_the_others() -> None:
    report = checked("raises_tactical", rules=("base", "tactical"))
    assert report.rules[0].forfeits == {}
    assert (report.played_again, report.different) == (4, 0)
    assert [finding.rules for finding in report.findings] == ["tactical"]


def test_a_bot_that_hangs_is_asked_once() -> None:
    report = checked("hangs", level="process", rules=("base", "tactical"), games=6, limits=Limits(decision_s=0.4))
    assert [part.games for part in report.rules] == [1, 0]
    assert report.findings[0].code == "forfeit timeout"
    assert report.left_out == (
        "base: 5 of 6 games, because the bot forfeits",
        "tactical: all games, because the bot was too slow in another rule set",
    )


def test_the_clock_is_the_referees() -> None:
    report = checked("slow:ms=60", clock=Clock(move_ms=25), games=2)
    assert report.findings[0].code == "forfeit timeout"
    assert "25.0 ms were left" in report.findings[0].text


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("no_act", "holds no bot: it needs one class with a method act(view, moves)"),
        ("fails_to_load", "raises an exception when it is loaded"),
    ],
)
def test_bots_that_cannot_be_loaded(bot: str, words: str) -> None:
    report = checked(bot)
    (finding,) = report.findings
    assert (report.loaded, report.rules, finding.level, finding.code) == (False, (), ERROR, "load")
    assert words in finding.text
    assert (bot != "fails_to_load") or "KeyError: 'b'" in finding.details[-1]


SELDOM = [pytest.param(bot, marks=pytest.mark.slow) for bot in ("by_time", "by_set", "by_unseeded", "leak_global")]


@pytest.mark.parametrize("bot", ["by_hash", "leak_self", *SELDOM])
def test_bots_that_do_not_repeat_their_decisions(bot: str) -> None:
    report = checked(bot, level="process", games=8)
    assert report.different
    (finding,) = report.findings
    assert (finding.level, finding.code) == (WARNING, "not repeatable")
    assert finding.details[0].startswith("first difference: base, deal ")
    assert "ready to submit (1 warning)" in check_text(report)


@pytest.mark.slow
def test_a_decision_that_a_league_would_not_wait_for() -> None:
    report = checked("slow:ms=1050,games=1", level="process", games=2)
    assert [finding.code for finding in report.findings] == ["slow"]
    assert not report.errors


def test_a_command() -> None:
    report = check_bot(f"cmd:python3 {BOTS / 'wire_lazy.py'}", level="process", rules=("base",), games=2)
    assert (report.findings, report.played_again, report.different) == ((), 2, 0)
    with pytest.raises(ArenaError, match="use process or sandbox"):
        check_bot(f"cmd:python3 {BOTS / 'wire_lazy.py'}", level="none")


def test_each_check_deals_other_cards() -> None:
    one, two = (check_bot(str(BOTS / "no_act.py"), level="none", rules=("base",), games=2) for _ in range(2))
    assert one.seed != two.seed


def test_a_slow_bot_keeps_to_the_time(tmp_path: Path) -> None:
    bot = tmp_path / "slow.py"
    bot.write_text("import time\n\ndef act(view, moves):\n    time.sleep(0.05)\n    return moves[0]\n")
    report = check_bot(str(bot), level="none", rules=("base", "tactical", "expert"), seconds=1.0)
    assert [part.games for part in report.rules] == [1, 0, 0]
    assert [line.partition(", because time ran out")[0] for line in report.left_out] == [
        "base: 39 of 40 games",
        "base: determinism in 1 of 1 games",
        "tactical: all games",
        "expert: all games",
    ]


def test_a_quick_bot_plays_whatever_its_process_needs_to_start(tmp_path: Path) -> None:
    bot = tmp_path / "quick.py"
    bot.write_text("import time\n\ntime.sleep(0.7)\n\ndef act(view, moves):\n    return moves[0]\n")
    report = check_bot(str(bot), level="none", rules=("base",), games=10, seconds=1.0)
    assert (report.games, report.left_out, report.played_again, report.different) == (10, (), 10, 0)


@pytest.mark.parametrize("in_session", [False, True])
def test_ctrl_c_ends_a_check_and_the_session_that_makes_it(in_session: bool) -> None:
    """A league checks submissions within a session of its own, which must hear of the signal."""

    class Stop(Exception):
        pass

    def press(text: str) -> None:
        if in_session and session.stopping:
            raise Stop
        if not text.startswith("base: 0 of"):  # play is under way
            os.kill(os.getpid(), signal.SIGINT)

    outer = StopSignals() if in_session else nullcontext(StopSignals())
    with outer as session, pytest.raises(Stop if in_session else KeyboardInterrupt):
        check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=400, report=press)
    assert session.count == in_session


@pytest.mark.parametrize(("level", "words"), [("sandbx", "did you mean 'sandbox'"), ("process", "unknown rule set")])
def test_wrong_use(level: str, words: str) -> None:
    with pytest.raises(ArenaError, match=words):
        check_bot(str(BOTS / "fine.py"), level=level, rules=("bsae",) if level == "process" else ("base",))
