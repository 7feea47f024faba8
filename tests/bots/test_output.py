"""The output of bots: whole lines in the log, in their names, in measure."""

from __future__ import annotations

import logging
import sys

import pytest

from arena.bots.output import BotOutput, redirected


class _Table:
    bot, game = "a", ""

    def who(self) -> tuple[str, str]:
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
