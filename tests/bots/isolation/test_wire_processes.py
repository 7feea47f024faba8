"""Wire bots in real processes: the examples in C and JavaScript play well, and each misbehaviour has its forfeit."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.bot import TimeLeft
from arena.bots.isolation import process as processes
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.spec import find_bot
from arena.tournament.games import PairTask, Row
from arena.tournament.referee import Referee
from tests.bots.isolation.inside import need_sandbox
from tests.bots.isolation.wire_fakes import RULES, table
from tests.tournament.referee.games import detail, forfeit, timeless

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
BAD = ROOT / "tests" / "data" / "wire"
QUICK = BotLimits(decision_s=0.7, loading_s=20)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """How the example bots are started, those that can be here."""
    found = {}
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is not None:
        program = tmp_path_factory.mktemp("c") / "greedy"
        source = ROOT / "bots" / "wire" / "c" / "greedy.c"
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        subprocess.run([compiler, *warnings, "-O2", "-o", str(program), str(source)], check=True, timeout=120)
        found["c"] = f"cmd:{program}"
    if shutil.which("node") is not None:
        found["js"] = f"cmd:node '{ROOT / 'bots' / 'wire' / 'js' / 'counter.js'}'"
    return found


def command(commands: dict[str, str], language: str) -> str:
    if language not in commands:
        pytest.skip(f"no {'compiler' if language == 'c' else 'node'} here")
    return commands[language]


def wire_bot(spec: str, level: str = "process", limits: BotLimits | None = None) -> RemoteBot:
    return RemoteBot(find_bot(f"a={spec}"), RULES, level, limits or BotLimits())


def bad(name: str, *words: str) -> str:
    return " ".join([f"cmd:'{sys.executable}' -I -S -c", f"'{_PATH}'", f"'{BAD / name}.py'", *words])


#: Run a file with its folder on the path; started without site-packages, which is quick.
_PATH = (
    "import runpy, sys; sys.argv = sys.argv[1:]; sys.path.insert(0, sys.argv[0].rpartition(chr(47))[0]); "
    "runpy.run_path(sys.argv[0], run_name=sys.argv[0])"
)


def points(row: Row) -> float:
    score = row.score
    return score / 2 if not row.id & 1 else 1 - score / 2


@pytest.mark.slow
@pytest.mark.parametrize(("language", "rules"), [("c", "tactical"), ("js", "bga-expert")])
def test_the_examples_play_without_a_fault_and_beat_random(
    commands: dict[str, str], language: str, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = wire_bot(command(commands, language))
    referee = table(bot, rules, TimeLeft(20_000, None))
    rows = [row for deal in range(3) for row in referee.play_unit(PairTask(0, deal, "a", "b"))]
    for row in rows:
        assert forfeit(row) == (None, None), detail(row)
    assert sum(map(points, rows)) >= 5
    monkeypatch.setattr("arena.bots.isolation.remote_bot.FAREWELL_S", 30.0)  # a busy machine may take its time
    assert bot.close() == "it ended itself with exit code 0"


@pytest.mark.parametrize("language", ["c", "js"])
def test_the_examples_play_in_the_sandbox(commands: dict[str, str], language: str) -> None:
    need_sandbox()
    bot = wire_bot(command(commands, language), "sandbox")
    for row in table(bot, "expert").play_unit(PairTask(0, 0, "a", "b")):
        assert forfeit(row) == (None, None), detail(row)
    bot.close()


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("half_line", "timeout", "in the middle of the line '{\"id\": 5,'"),
        ("children", "timeout", "in act: no answer"),
        ("stops_reading", "timeout", "in begin: no answer"),
        ("early", "protocol", 'in act: has written something without being asked: \'{"id": 6,'),
        ("banner", "protocol", "MyBot 3.1 (c) me"),
        ("late_word", None, "a failed after the game by protocol: in end: "),
        ("exits", "crash", "in act: it ended itself with exit code 3\n  this is? the end"),
    ],
)
def test_a_misbehaviour_is_a_forfeit_and_nothing_else(name: str, kind: str | None, text: str) -> None:
    bot = wire_bot(bad(name), limits=QUICK if kind == "timeout" else None)
    referee = table(bot)
    for row in referee.play_unit(PairTask(0, 0, "a", "b")):
        assert forfeit(row) == (kind, "a"), detail(row)
        assert text in detail(row)
        assert kind is None or points(row) == 0
    assert bot.process is None
    pids = processes.own_children()
    bot.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    alone = Referee(referee.settings, [referee.players["b"], referee.players["c"]])
    assert timeless(referee.play_unit(PairTask(1, 0, "b", "c"))) == timeless(alone.play_unit(PairTask(1, 0, "b", "c")))


@pytest.mark.parametrize(
    ("name", "clock"),
    [("one_game", TimeLeft(20_000, None)), ("babbles_after", None), ("complains_and_plays", TimeLeft(20_000, None))],
)
def test_what_is_odd_but_allowed_costs_nothing(
    name: str, clock: TimeLeft | None, caplog: pytest.LogCaptureFixture
) -> None:
    bot = wire_bot(bad(name))
    bot.load()
    if clock is not None:  # as a worker does, until its first game
        bot.suspend()
    with caplog.at_level(logging.INFO, "arena.bots"):
        rows = [row for deal in range(2) for row in table(bot, clock=clock).play_unit(PairTask(0, deal, "a", "b"))]
    bot.close()
    for row in rows:
        assert forfeit(row) == (None, None), detail(row)
    assert caplog.records
    assert {record.bot for record in caplog.records} == {"a"}  # type: ignore[attr-defined]
    assert sum(len(record.getMessage()) for record in caplog.records) < 200_000


def test_a_bot_that_changes_its_mind_is_refused(tmp_path: Path) -> None:
    bot = wire_bot(bad("changes", str(tmp_path / "started")))
    first, second = table(bot).play_unit(PairTask(0, 0, "a", "b"))
    bot.close()
    assert forfeit(first) == (None, None), detail(first)
    assert forfeit(second) == ("protocol", "a")
    assert "differently than before" in detail(second)
