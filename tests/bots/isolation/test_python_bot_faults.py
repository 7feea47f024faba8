"""What goes wrong with a Python bot in a process of its own is told as it is told inside, and ends with its process."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.faults import BotError
from arena.bots.limits import BotLimits
from arena.bots.loading import load_bot
from tests.bots.isolation.children import at_table, bot_file, bot_spec, both, games, inside, isolated
from tests.tournament.referee.games import detail, forfeit, timeless

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("hook", "what"),
    [("act", "ValueError"), ("end", "ValueError"), ("__init__", "SystemExit"), ("act", "KeyboardInterrupt")],
)
def test_an_exception_is_told_as_inside(hook: str, what: str) -> None:
    bots = [f"raises:hook={hook},what={what}", "first"]
    with at_table(bots) as referee:
        rows = games(referee, [0])
    within = games(inside(bots), [0])
    assert timeless(rows) == timeless(within)
    assert [detail(row) for row in rows] == [detail(row) for row in within]
    assert {forfeit(row) for row in rows} == {(None if hook == "end" else "exception", "a")}
    text = detail(rows[0]).removeprefix("a failed after the game by exception: ")
    assert text.startswith(f"in {hook}: Traceback")
    assert text.count("raises.py") == 2
    assert not any(name in text for name in ("child.py", "packing.py", "python/bot.py", "referee.py"))


def test_what_has_raised_plays_on_in_the_same_process() -> None:
    with at_table(["raises:after=3", "first"]) as referee:
        pids = []
        for deal in range(3):
            games(referee, [deal])
            process = referee.players["a"].remote.process
            assert process is not None
            pids.append(process.pid)
        assert len(set(pids)) == 1


@pytest.mark.parametrize(
    ("bot", "how", "level"),
    [
        ("exit_hard", "it ended itself with exit code", "process"),
        pytest.param("segfault", "it was killed by SIGSEGV", "sandbox", marks=pytest.mark.sandbox),
    ],
)
def test_the_end_of_a_process_is_a_crash_and_the_next_game_has_a_new_one(bot: str, how: str, level: str) -> None:
    with at_table([bot, "first", "random"], level=level) as referee:
        fine = timeless(games(referee, [5], "b", "c"))
        for row in games(referee, [0]):
            assert forfeit(row) == ("crash", "a")
            assert detail(row).startswith(f"in act: {how}")
            assert referee.players["a"].remote.process is None
        assert timeless(games(referee, [5], "b", "c")) == fine


@pytest.mark.parametrize(
    ("bot", "hook"),
    [
        ("loop_end", "end"),
        ("loop_c", "act"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("loop_python", "act"), ("loop_begin", "begin"))),
    ],
)
def test_who_never_answers_runs_out_of_time(bot: str, hook: str) -> None:
    limits = BotLimits(decision_s=0.5, loading_s=20)
    with at_table([bot, "first"], limits=limits) as referee:
        row = games(referee, [0])[0]
        assert forfeit(row) == (None if hook == "end" else "timeout", "a")
        assert f"in {hook}: no answer within 0.5" in detail(row)
        assert referee.players["a"].remote.process is None


@pytest.mark.parametrize("code", ["x = 1\n", "raise ValueError('early')\ndef act(view, moves): pass\n"])
def test_a_file_that_cannot_be_loaded_is_refused_as_inside(tmp_path: Path, code: str) -> None:
    text = bot_file(tmp_path, code)
    with pytest.raises(BotError) as within:
        load_bot(bot_spec(text, "a"))
    bot = isolated(text)
    with pytest.raises(BotError) as outside:
        bot.load()
    assert str(outside.value) == str(within.value)
    assert bot.process is None


@both
@pytest.mark.slow
def test_who_has_used_much_processor_time_gets_a_new_process_before_that_is_used_up(tmp_path: Path, level: str) -> None:
    code = """
import time
class Bot:
    def begin(self, setup):
        end = time.process_time() + 0.25
        while time.process_time() < end: pass
    def act(self, view, moves): return moves[0]
"""
    bots = [bot_file(tmp_path, code), "first"]
    with at_table(bots, level=level, limits=BotLimits(cpu_s=1)) as referee:
        pids = []
        for deal in range(3):
            rows = games(referee, [deal])
            assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])
            pids.append(referee.players["a"].remote.process.pid)
        assert len(set(pids)) > 1
