"""The output of bots: whole lines in the log, in their names, in measure."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from arena.bots import output
from arena.bots.output import BotOutput, redirected


class _Table:
    bot, game = "a", 1

    def who(self) -> tuple[str, int]:
        return self.bot, self.game


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "arena.bots")


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "arena.bots"]


@pytest.mark.usefixtures("lines")
def test_lines_are_logged_whole_and_by_bot(caplog: pytest.LogCaptureFixture) -> None:
    table = _Table()
    with redirected(BotOutput(table.who)):
        print("one", end=" ")
        table.bot = "b"
        print("other")
        table.bot = "a"
        print("line\nand another")
        print("unfinished", file=sys.stderr, end="")
        sys.stdout.buffer.write("bytes ü \x1b[31m\n".encode())
        assert sys.stdout.encoding == "utf-8"
        assert not sys.stdout.isatty()
    assert logged(caplog) == ["b: other", "a: one line", "a: and another", "a: unfinishedbytes ü ?[31m"]


@pytest.mark.usefixtures("lines")
def test_nothing_is_logged_that_changes_how_the_log_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """Controls, overrides of the direction of writing, separators of lines, marks without width, half a sign."""
    with redirected(BotOutput(_Table().who)):
        for sign in "\x00\x08\x1b\x7f\x9b\u200b\u2028\u202e\u2066\ufeff\ud800":
            print(f"a{sign}b\tü")
    assert logged(caplog) == ["a: a?b\tü"] * 11


@pytest.mark.usefixtures("lines")
def test_what_is_too_much_is_dropped_and_said_once_a_game(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PER_GAME", 10)
    monkeypatch.setattr(output, "PER_PROCESS", 25)
    table = _Table()
    with redirected(BotOutput(table.who)):
        for table.game in (1, 2, 3, 4):
            for _ in range(3):
                print("12345678")
    assert logged(caplog) == [
        "a: 12345678",
        "a: 1",
        "a: [more output in this game is dropped]",
        "a: 12345678",
        "a: 1",
        "a: [more output in this game is dropped]",
        "a: 12345",
        "a: [more output in this process is dropped]",
    ]


@pytest.mark.usefixtures("lines")
def test_one_endless_line_is_cut_into_pieces(caplog: pytest.LogCaptureFixture) -> None:
    with redirected(BotOutput(_Table().who)):
        sys.stdout.write("x" * 5000)
    assert [len(line) for line in logged(caplog)] == [2003, 2003, 1003]


def test_there_is_nothing_to_read_and_nothing_to_close() -> None:
    before = sys.stdin, sys.stdout, sys.stderr
    with redirected(BotOutput(_Table().who)):
        sys.stdout.close()
        print("still open")
        with pytest.raises(EOFError):
            input("? ")
        assert sys.stdin.readlines() == []
    assert (sys.stdin, sys.stdout, sys.stderr) == before


def test_the_streams_have_what_real_ones_have() -> None:
    """They lacked `reconfigure` and `fileno`, so `faulthandler.enable()` failed."""
    code = (
        "import codecs, faulthandler, io, logging, os, subprocess, sys\n"
        "from arena.bots.output import BotOutput, redirected\n"
        "said, log, handler = [], logging.getLogger('arena.bots'), logging.Handler()\n"
        "handler.emit = lambda record: said.append(record.getMessage())\n"
        "log.addHandler(handler); log.setLevel(logging.INFO)\n"
        "with redirected(BotOutput(lambda: ('a', 1)), descriptors=True):\n"
        "    os.write(1, b'direct'); os.write(2, b'direct')\n"
        "    assert b'typed' not in os.read(0, 10)\n"
        "    for stream, real in ((sys.stdout, sys.__stdout__), (sys.stdin, sys.__stdin__)):\n"
        "        said += [name for name in dir(real) if name[0] != '_' and not hasattr(stream, name)]\n"
        "    sys.stdout.reconfigure(line_buffering=True)\n"
        "    faulthandler.enable()\n"
        "    subprocess.run(['echo', 'child'], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr.buffer)\n"
        "    assert sys.stdin.buffer.read() == b''\n"
        "    print('one', file=codecs.getwriter('utf-8')(sys.stdout.detach()))\n"
        "    io.TextIOWrapper(sys.stderr.detach(), write_through=True).write('two\\n')\n"
        "    sys.stdout.close(); sys.stdout.buffer.close()\n"
        "    print('three', flush=True); sys.stdout.writelines(['four'])\n"
        "print(said)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input="typed", capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("['a: one', 'a: two', 'a: three', 'a: four']\n", "")
