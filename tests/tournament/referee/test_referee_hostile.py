"""The referee among hostile bots: each fault is a forfeit with its reason, and no other game notices."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import warnings

import pytest

from arena.bots.bot import Bot
from arena.bots.output import BotOutput, redirected
from arena.endings import ENDINGS
from arena.game.record import parse_record, verify
from arena.game.rules import load_rules
from arena.tournament import move_log
from arena.tournament.games import GameResult, GameTask, PairTask
from arena.tournament.process_state import ProcessState
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings, cut_row
from tests.tournament.referee.games import BOTS, detail, forfeit, play, player, referee, timeless
from tests.tournament.runner.fake import row_of

HOOKS = ("__init__", "begin", "act", "observe")
KINDS = ("ValueError", "SystemExit", "KeyboardInterrupt", "MemoryError", "GeneratorExit", "StopIteration")


@pytest.mark.parametrize(
    ("hook", "what"), [*((hook, "ValueError") for hook in HOOKS), *(("act", what) for what in KINDS[1:])]
)
def test_an_exception_from_a_hook_forfeits_with_a_traceback(hook: str, what: str) -> None:
    rows = play(referee(f"raises:hook={hook},what={what}", "first"), range(2))
    for row in rows:
        assert forfeit(row) == ("exception", "a")
        assert ENDINGS[row.ending] == "forfeit"
        assert row.score == (2 if row.id & 1 else 0)
        text = detail(row)
        assert text.startswith(f"in {hook}: Traceback")
        assert text.endswith(f"on purpose in {hook}")
        assert text.count("raises.py") == 2  # the hook and `fail`
        assert "referee.py" not in text
        record = parse_record(row.record)
        assert record.is_forfeit
        assert record.result.endswith(" forfeit exception")
        verify(row.record)
        assert len(record.moves) == row.plies


def test_an_exception_in_end_is_noted_and_changes_nothing() -> None:
    bots = referee("raises:hook=end,what=SystemExit", "first")
    for row, honest in zip(play(bots, range(2)), play(referee("first", "first"), range(2)), strict=True):
        assert forfeit(row) == (None, "a")
        assert row.record == honest[18]
        assert row[1] == honest[1]
        text = detail(row)
        assert text.startswith("a failed after the game by exception: in end: Traceback")
        assert text.endswith("on purpose in end")
        assert "referee.py" not in text
        verify(row.record)
        names = ("b", "a") if row.id & 1 else ("a", "b")
        result = GameResult.from_row(row, "a", "b")
        assert (result.first, result.second) == names
        assert (result.forfeit, result.forfeit_by, result.failed_after) == (None, None, ("a",))
        assert row_of(result) == row


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("none", "act returned None, not one of the moves"),
        ("text", "act returned the text '"),
        ("number", "act returned the int 7"),
        ("class", "act returned a type"),
        ("other_phase", "draw clan"),
        ("elsewhere", "@5"),
        ("earlier", "@"),
        ("forged", ""),
    ],
)
def test_nonsense_is_an_illegal_move(what: str, text: str) -> None:
    for row in play(referee(f"nonsense:what={what}", "first"), range(3)):
        assert forfeit(row) == ("illegal move", "a")
        assert text in detail(row)
        state = verify(row.record)
        assert row.record.endswith(" forfeit illegal move")
        assert (row.stones_first + row.stones_second) == sum(map(state.stones_of, (0, 1)))
        mine = row.decisions_second if row.id & 1 else row.decisions_first
        assert mine == 3


def test_a_forged_move_does_no_harm() -> None:
    """In a process of its own: what is tried here must not be able to kill it."""
    code = (
        "from tests.tournament.referee.games import *\n"
        "rows = play(referee('nonsense:what=beyond', 'first'), range(2))\n"
        "assert [forfeit(row) for row in rows] == [('illegal move', 'a')] * 4"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=BOTS.parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("clock")
def test_the_quick_path_judges_alike() -> None:
    """Faults of bots that have become quick before."""

    class Turns(Bot):
        how = "well"

        def act(self, view, moves):
            if self.how == "raise" and len(moves) < 50:
                raise ValueError("late")
            if self.how == "none" and len(moves) < 50:
                return None
            return moves[0]

    table = Referee(GameSettings(load_rules("base"), 1), [Player("a", Turns), player("first", "b")])
    for how, kind in (("raise", "exception"), ("none", "illegal move")):
        Turns.how = "well"
        play(table, range(20))
        Turns.how = how
        assert table.players["a"].quick
        table.games = 1  # no sample of exact times
        quick = play(table, [0, 1])
        slow = Referee(GameSettings(load_rules("base"), 1), [Player("a", Turns), player("first", "b")])
        assert [forfeit(row) for row in quick] == [(kind, "a")] * 4
        assert timeless(quick) == timeless(play(slow, [0, 1]))


def test_the_first_fault_counts() -> None:
    rows = play(referee("raises:hook=end", "nonsense"), range(2))
    assert [forfeit(row) for row in rows] == [("illegal move", "b")] * 4
    rows = play(referee("raises:hook=end", "raises:hook=end"), range(2))
    for row in rows:
        assert GameResult.from_row(row, "a", "b").forfeit is None
        assert set(GameResult.from_row(row, "a", "b").failed_after) == {"a", "b"}


# ---------------------------------------------------------------- others' games


HOSTILE = [
    *(f"raises:hook={hook},what=KeyboardInterrupt" for hook in HOOKS),
    *("exits", "recursion", "bad_exception", "nonsense", "mutates", "disturbs", "leaks", "prints:kb=20"),
    "global_random",
]


@pytest.mark.parametrize("bot", HOSTILE)
def test_no_other_game_changes_by_one_byte(bot: str) -> None:
    """Games of others before, between and after those of a hostile bot, in one process."""
    settings = GameSettings(load_rules("tactical"), 11)
    field = {"global_random": "c", "random": "d"}

    def others() -> list[Player]:
        return [player(spec, name) for spec, name in field.items()]

    tasks = [PairTask(0, deal, "c", "d") for deal in range(4)]
    alone = Referee(settings, others())
    wanted = [timeless(alone.play_unit(task)) for task in tasks]
    outer = ProcessState()
    try:
        with redirected(BotOutput(lambda: ("?", ""))):
            table = Referee(settings, [*others(), player(bot, "h")])
            got = []
            for deal, task in enumerate(tasks):
                table.play_unit(PairTask(1, deal, "h", "c"))
                table.play_unit(PairTask(2, deal, "d", "h"))
                got.append(timeless(table.play_unit(task)))
    finally:
        left = outer.restore()
    assert got == wanted
    assert left == []


def test_what_a_bot_disturbs_is_put_back(caplog: pytest.LogCaptureFixture) -> None:
    before = (os.getcwd(), dict(os.environ), list(sys.path), sys.getrecursionlimit(), list(warnings.filters))
    before += (signal.getsignal(signal.SIGALRM), sys.stdout, sys.stderr)
    table = referee("disturbs", "first")
    with caplog.at_level(logging.WARNING, "arena.tournament.referee"):
        row = play(table, [0])[0]
    assert forfeit(row) == (None, None), detail(row)
    after = (os.getcwd(), dict(os.environ), list(sys.path), sys.getrecursionlimit(), list(warnings.filters))
    after += (signal.getsignal(signal.SIGALRM), sys.stdout, sys.stderr)
    assert after == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    for word in ("working directory", "recursion limit", "environment", "sys.path", "timer", "garbage collector"):
        assert word in caplog.text


# ---------------------------------------------------------------- games that were cut off


def _stop_at(asked: int, stage: str = "act") -> tuple[move_log.LogSnapshot, list[str]]:
    """The trail of a game that stops inside of a hook of bot `b`, as a watcher sees it."""
    caught: list[move_log.LogSnapshot] = []
    moves: list[str] = []

    class Stops(Bot):
        def begin(self, setup):
            self.asked = 0
            if stage == "begin":
                caught.append(move_log.read_snapshot(table.buffer))

        def act(self, view, moves):
            self.asked += 1
            if stage == "act" and self.asked == asked:
                caught.append(move_log.read_snapshot(table.buffer))
            return moves[-1]

        def end(self, result):
            if stage == "end":
                caught.append(move_log.read_snapshot(table.buffer))

    memory = bytearray(2 * move_log.SIZE)
    buffer = move_log.shared_buffer(memory, clear=True)
    players = [player("first", "a"), Player("b", Stops)]
    table = Referee(GameSettings(load_rules("tactical"), 1), players, buffer=buffer)
    row = table.play(GameTask(9, 2**33 + 4, 0, "a", "b", 0))
    moves = row.record.split("; ")[1].split(",")
    assert move_log.read_snapshot(move_log.shared_buffer(memory)).hook is None
    assert move_log.read_snapshot(move_log.shared_buffer(memory)).moves == ()
    return caught[0], moves


@pytest.mark.parametrize(("asked", "stage"), [(1, "act"), (9, "act"), (0, "begin"), (0, "end")])
def test_a_game_that_was_cut_off_is_the_fault_of_who_was_asked(asked: int, stage: str) -> None:
    snapshot, moves = _stop_at(asked, stage)
    task = GameTask(9, 2**33 + 4, 0, "a", "b", 0)
    settings = GameSettings(load_rules("tactical"), 1)
    row = cut_row(settings, task, snapshot, "timeout", "no answer for 5 s")
    assert row is not None
    after = stage == "end"
    assert forfeit(row) == (None if after else "timeout", "b")
    assert detail(row) == "b failed after the game by timeout: " * after + f"in {stage}: no answer for 5 s"
    record = parse_record(row.record)
    played = [str(move) for move in record.moves]
    assert played == moves[: len(played)]
    assert len(played) == row.plies
    if stage == "act":
        verify(row.record)
        assert len(played) >= asked
    if stage == "end":
        assert played == moves
    assert cut_row(settings, task._replace(deal=5), snapshot, "crash", "") is None
    between = move_log.read_snapshot(move_log.new_buffer())  # nobody is to blame
    assert (between.hook, cut_row(settings, task, between, "crash", "")) == (None, None)
