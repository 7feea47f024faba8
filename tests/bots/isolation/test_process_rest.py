"""Bots' processes under a clock: stopped while others play, woken to be asked, ended or started between games."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.bots.bot import Setup, TimeLeft
from arena.bots.isolation.process import PONDERING_S, BotProcess
from arena.bots.isolation.remote_bot import RemoteBot
from tests.bots.isolation.children import at_table, bot_file, both, games, isolated, soon, started
from tests.bots.isolation.wire_fakes import RULES
from tests.bots.processes.waiting import wait_for
from tests.tournament.referee.games import detail, forfeit

pytestmark = [pytest.mark.process, pytest.mark.slow]
CLOCK = TimeLeft(20_000, None)

#: Two threads that work without end, started in a hook (or where the file is run).
BURNS = """
import hashlib, threading
def spin():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2000)  # without the lock of the interpreter
def burn():
    for _ in range(2):
        threading.Thread(target=spin, daemon=True).start()
class Bot:
    def act(self, view, moves): return moves[0]
"""
HOOKS = {
    "loading": "burn()\n",
    "begin": "    def begin(self, setup): burn()\n",
    "end": "    def end(self, result): burn()\n",
}


def worked(process: BotProcess | None, seconds: float = 0.4) -> float:
    """Processor time that a process uses meanwhile."""
    assert process is not None
    before = process.cpu_seconds()
    time.sleep(seconds)
    return process.cpu_seconds() - before


# ---------------------------------------------------------------- a process that is stopped

SPINS = "import threading\ndef f():\n    while True: sum(range(1000))\n"
TALKS = SPINS + "threading.Thread(target=f, daemon=True).start()\nwhile True: say(hear(1))\n"


@both
def test_one_that_is_halted_does_nothing_and_goes_on_when_it_is_woken(tmp_path: Path, level: str) -> None:
    with started(TALKS, tmp_path, level) as process:
        for letter in (b"a", b"b"):
            process.wake()
            process.send(letter, soon())
            assert process.receive(soon()) == letter
            process.suspend()
            process.suspend()
            assert wait_for(lambda: worked(process) == 0)  # a signal takes a moment
            assert not process.pending()
            assert not process.pending(0.1)
        process.wake()
        assert wait_for(lambda: worked(process, 0.1) > 0)


@pytest.mark.parametrize(
    ("level", "hook", "clock"),
    [
        ("process", "loading", CLOCK),
        ("process", "end", None),
        pytest.param("sandbox", "end", CLOCK, marks=pytest.mark.sandbox),
    ],
)
def test_threads_rest_while_others_play(tmp_path: Path, level: str, hook: str, clock: TimeLeft | None) -> None:
    texts = [bot_file(tmp_path, BURNS + HOOKS[hook]), "first", "random"]
    with at_table(texts, level=level, clock=clock) as referee:
        for deal in range(2):
            rows = games(referee, [deal])
            assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])
            for remote in referee.players["a"].remotes.values():
                assert wait_for(lambda one=remote: worked(one.process) == 0)  # a signal takes a moment
            assert [forfeit(row) for row in games(referee, [deal], "b", "c")] == [(None, None)] * 2


def test_one_that_works_after_begin_is_paused_before_its_first_decision(tmp_path: Path) -> None:
    bot = isolated(bot_file(tmp_path, BURNS + HOOKS["begin"]))
    bot.prepare()
    for _ in range(2):
        bot.begin(Setup(0, 0, RULES, 1, CLOCK))
        assert bot.process is not None
        enough = bot.process.cpu_seconds() + PONDERING_S
        assert wait_for(lambda enough=enough: bot.process.cpu_seconds() > enough or _resting(bot))
    assert _resting(bot)
    bot.close()


def _resting(bot: RemoteBot) -> bool:
    assert isinstance(bot.process, BotProcess)
    return _state(bot.process.bot_pid) == "T"


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_who_takes_long_for_the_end_under_a_clock_has_forfeited(tmp_path: Path) -> None:
    code = "import time\nclass Bot:\n def act(self, view, moves): return moves[0]\n"
    text = bot_file(tmp_path, code + " def end(self, result): time.sleep(60)\n")
    with at_table([text, "first", "raises:after=3"], clock=TimeLeft(500, 500)) as referee:
        row = games(referee, [0])[0]
        assert forfeit(row) == (None, "a")  # the result of the board stands, the failure is noted
        assert "in end: no answer within " in detail(row)
        assert referee.players["a"].remote.process is None
        row = games(referee, [0], "a", "c")[0]
        assert forfeit(row) == ("exception", "b")  # a game that is lost stays so
