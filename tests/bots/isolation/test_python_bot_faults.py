"""What goes wrong with a Python bot in a process of its own is told as it is told inside, and ends with its process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.bots.bot import BotFault
from arena.bots.faults import BotError
from arena.bots.loading import load_bot
from arena.bots.processes.limits import BotLimits
from arena.bots.processes.procfs import is_running
from tests.bots.isolation.children import (
    ROOT,
    at_table,
    bot_file,
    bot_spec,
    both,
    games,
    inside,
    isolated,
)
from tests.bots.processes.waiting import wait_for
from tests.tournament.referee.games import detail, forfeit, timeless

pytestmark = pytest.mark.process


@pytest.mark.parametrize("hook", ["__init__", "begin", "act", "observe", "end"])
@pytest.mark.parametrize("what", ["ValueError", "SystemExit", "KeyboardInterrupt"])
def test_an_exception_is_told_as_inside(hook: str, what: str) -> None:
    bots = [f"raises:hook={hook},what={what}", "first"]
    with at_table(bots) as referee:
        rows = games(referee, range(2))
    within = games(inside(bots), range(2))
    assert timeless(rows) == timeless(within)
    assert [detail(row) for row in rows] == [detail(row) for row in within]
    assert {forfeit(row) for row in rows} == {(None if hook == "end" else "exception", "a")}
    text = detail(rows[0]).removeprefix("a failed after the game by exception: ")
    assert text.startswith(f"in {hook}: Traceback")
    assert text.count("raises.py") == 2
    assert not any(name in text for name in ("child.py", "packing.py", "python/bot.py", "referee.py"))


@pytest.mark.parametrize("bot", ["recursion", "bad_exception", "exits"])
def test_odd_exceptions_are_told_as_inside(bot: str) -> None:
    with at_table([bot, "first"]) as referee:
        rows = games(referee, [0])
    within = games(inside([bot, "first"]), [0])
    assert [forfeit(row) for row in rows] == [forfeit(row) for row in within] == [("exception", "a")] * 2
    assert len({re.sub(r"arena_bot_\d+_", "", detail(row).splitlines()[-1]) for row in (*rows, *within)}) == 1


NONSENSE = (
    "none",
    "text",
    "number",
    "list",
    "class",
    "other_phase",
    "elsewhere",
    "earlier",
    "forged",
    "beyond",
)


@pytest.mark.parametrize("what", NONSENSE)
def test_what_is_no_legal_move_is_told_as_inside(what: str) -> None:
    bots = [f"nonsense:what={what}", "first"]
    with at_table(bots) as referee:
        rows = games(referee, [0])
    within = games(inside(bots), [0])
    assert timeless(rows) == timeless(within)
    assert [detail(row) for row in rows] == [detail(row) for row in within]
    assert {forfeit(row) for row in rows} == {("illegal move", "a")}


def test_what_has_raised_plays_on_in_the_same_process() -> None:
    with at_table(["raises:after=3", "first"]) as referee:
        pids = []
        for deal in range(3):
            games(referee, [deal])
            process = referee.players["a"].remote.process
            assert process is not None
            pids.append(process.pid)
        assert len(set(pids)) == 1


@both
@pytest.mark.parametrize(
    ("bot", "how"),
    [
        ("exit_hard", "it ended itself with exit code"),
        ("kill_self", "it was killed by SIGKILL"),
        ("segfault", "it was killed by SIGSEGV"),
    ],
)
def test_the_end_of_a_process_is_a_crash_and_the_next_game_has_a_new_one(level: str, bot: str, how: str) -> None:
    with at_table([bot, "first", "random"], level=level) as referee:
        fine = timeless(games(referee, [5], "b", "c"))
        seen = set()
        for row in games(referee, range(2)):
            assert forfeit(row) == ("crash", "a")
            assert detail(row).startswith(f"in act: {how}")
            assert referee.players["a"].remote.process is None
            seen.add(detail(row))
        assert timeless(games(referee, [5], "b", "c")) == fine


@pytest.mark.parametrize(
    ("bot", "hook"), [("loop_python", "act"), ("loop_begin", "begin"), ("loop_end", "end"), ("loop_c", "act")]
)
def test_who_never_answers_runs_out_of_time(bot: str, hook: str) -> None:
    limits = BotLimits(decision_s=0.2, loading_s=20)
    with at_table([bot, "first"], limits=limits) as referee:
        row = games(referee, [0])[0]
        assert forfeit(row) == (None if hook == "end" else "timeout", "a")
        assert f"in {hook}: no answer within 0.2" in detail(row)
        assert referee.players["a"].remote.process is None


def test_who_is_never_made_forfeits_each_game_with_the_same_reason() -> None:
    with at_table(["loop_init", "first"], limits=BotLimits(loading_s=1.0)) as referee:
        rows = games(referee, range(3))
        assert {forfeit(row) for row in rows} == {("timeout", "a")}
        assert len({detail(row) for row in rows}) == 1
        assert detail(rows[0]).startswith("in __init__: no answer within 1")


def test_last_words_are_in_the_reason_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    code = """
import os
def act(view, moves):
    os.write(2, b"one\\ntwo\\n\\x1b[2J\\xff" + b"x" * 1000 + b"\\n" + b"\\n".join(b"line %d" % n for n in range(5)))
    os._exit(9)
"""
    with at_table([bot_file(tmp_path, code), "first"]) as referee:
        text = detail(games(referee, [0])[0])
    assert text.startswith("in act: it ended itself with exit code 9\n  ?[2J\ufffdxxx")
    assert text.endswith("\n  line 3\n  line 4")
    assert max(map(len, text.splitlines())) < 310


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\n",
        "def act(view, moves): retrun 1\n",
        "raise ValueError('early')\ndef act(view, moves): pass\n",
    ],
)
def test_a_file_that_cannot_be_loaded_is_refused_as_inside(tmp_path: Path, code: str) -> None:
    text = bot_file(tmp_path, code)
    with pytest.raises(BotError) as within:
        load_bot(bot_spec(text, "a"))
    bot = isolated(text)
    with pytest.raises(BotError) as outside:
        bot.load()
    assert str(outside.value) == str(within.value)
    assert bot.process is None


def test_a_bot_that_needs_other_parameters_is_refused_as_inside() -> None:
    with pytest.raises(BotError) as within:
        load_bot(bot_spec("greedy:depth=3", "a"))
    bot = isolated("greedy:depth=3")
    with pytest.raises(BotError) as outside:
        bot.load()
    assert str(outside.value) == str(within.value)


@pytest.mark.parametrize(
    ("deed", "how", "kind"),
    [("os._exit(4)", "exit code 4", "crash"), ("time.sleep(60)", "no answer within", "timeout")],
)
def test_a_file_that_never_ends_loading_is_refused(tmp_path: Path, deed: str, how: str, kind: str) -> None:
    bot = isolated(bot_file(tmp_path, f"import os, time\n{deed}\n"), limits=BotLimits(loading_s=1.0))
    with pytest.raises(BotError, match=rf"the bot .*bot\.py cannot be loaded: in loading: .*{how}"):
        bot.load()
    assert bot.process is None
    with pytest.raises(BotFault, match="cannot be loaded") as fault:
        bot.prepare()
    assert fault.value.kind == kind


def test_what_was_not_asked_for_is_found_before_the_next_question(tmp_path: Path) -> None:
    attacker = (ROOT / "tests/data/attacks/forges_in_import.py").read_text()
    (tmp_path / "how").write_text("loaded_and_made 0.3")
    bot = isolated(bot_file(tmp_path, attacker))
    bot.load()
    assert bot.process is not None
    assert wait_for(bot.process.pending)
    with pytest.raises(BotFault, match="sent something that was not asked for") as fault:
        bot.prepare()
    assert fault.value.kind == "protocol"
    assert bot.process is None


def test_a_file_that_changes_while_it_plays_is_not_loaded_again(tmp_path: Path) -> None:
    text = bot_file(tmp_path, "def act(view, moves): return moves[0]\n")
    with at_table([text, "first"]) as referee:
        assert [forfeit(row)[0] for row in games(referee, [0])] == [None, None]
        referee.players["a"].remote.close()
        bot_file(tmp_path, "def act(view, moves): return moves[-1]\n")
        rows = games(referee, [0])
        assert [forfeit(row) for row in rows] == [("exception", "a")] * 2
        assert "has changed since it was named" in detail(rows[0])


@both
def test_memory_is_bounded(level: str) -> None:
    with at_table(["memory:mb=100", "first"], level=level, limits=BotLimits(memory_mb=300)) as referee:
        rows = games(referee, [0])
    assert {forfeit(row) for row in rows} == {("exception", "a")}
    assert detail(rows[0]).endswith("MemoryError")


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


def test_all_that_a_bot_has_started_ends_with_its_process(tmp_path: Path) -> None:
    code = """
import subprocess, sys
class Bot:
    def __init__(self):
        command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(300)"]
        new = subprocess.Popen(command, start_new_session=True)
        print("pid", new.pid)
    def act(self, view, moves): return moves[0]
"""
    bot = isolated(bot_file(tmp_path, code))
    bot.prepare()
    assert bot.process is not None
    words: list[str] = []
    assert wait_for(lambda: bool(words.extend(bot.process.read_stderr().split()) or len(words) == 2))
    assert is_running(int(words[1]))
    bot.close()
    assert wait_for(lambda: not is_running(int(words[1])))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("answer * 2", "sent more than was asked for"),
        ("answer[:-1] + b'\\xff'", "answered with move number"),
        ("answer[:5] + b'\\0\\0\\0\\0' + answer[9:]", "answered a question that was not asked"),
        ("b'\\0' * 13", "sent something that is no answer"),
        ("b'\\x80\\x04K\\x01.' * 9", "sent something that is no answer"),
        ("answer + b'x' * 200_000", "sent more than was asked for"),
    ],
)
def test_forged_answers_are_recognised(tmp_path: Path, said: str, words: str) -> None:
    """A bot that writes into the pipe itself, in the place of its process."""
    code = f"""
import os, struct, sys, threading
class Bot:
    def begin(self, setup): self.asked = 0
    def act(self, view, moves):
        self.asked += 1
        if self.asked < 3: return moves[0]
        frame, number = sys._getframe(), None
        answer = struct.pack("<IBIH", 6, 13, self.question(), moves[0].index)
        data = {said}
        while data:
            data = data[os.write(4, data):]
        os._exit(0)
    def question(self): return 3
"""
    with at_table([bot_file(tmp_path, code), "first"]) as referee:
        row = games(referee, [0])[0]
        assert forfeit(row) == ("protocol", "a"), detail(row)
        assert words in detail(row)
        assert referee.players["a"].remote.process is None
