"""Time that no decision takes: telling the end, and starting again."""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path

import pytest

from arena.bots.bot import TimeLeft
from arena.bots.isolation.wire_bot import WireBot
from arena.bots.limits import BotLimits
from arena.bots.spec import find_bot
from tests.bots.isolation.children import ROOT, at_table, bot_file, both, games
from tests.bots.isolation.inside import need_sandbox
from tests.bots.isolation.wire_fakes import table
from tests.tournament.referee.games import detail, forfeit

pytestmark = [pytest.mark.process, pytest.mark.slow]
CLOCK = TimeLeft(20_000, None)


def test_who_takes_long_for_the_end_under_a_clock_has_forfeited(tmp_path: Path) -> None:
    code = "import time\nclass Bot:\n def act(self, view, moves): return moves[0]\n"
    text = bot_file(tmp_path, code + " def end(self, result): time.sleep(60)\n")
    with at_table([text, "first", "raises:after=3"], clock=TimeLeft(500, 500)) as referee:
        start = time.monotonic()
        row = games(referee, [0])[0]
        assert time.monotonic() - start < 30
        assert forfeit(row) == (None, "a")  # the result of the board stands, the failure is noted
        assert "in end: no answer within " in detail(row)
        assert referee.players["a"].remote.process is None
        row = games(referee, [0], "a", "c")[0]
        assert forfeit(row) == ("exception", "b")  # a game that is lost stays so


@both
def test_a_wire_bot_that_ends_after_each_game_is_started_before_the_next_begins(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is stopped after its game: the start must not count on the clock."""
    monkeypatch.setattr("arena.bots.isolation.wire_bot.FAREWELL_S", 30.0)  # a busy machine may be slow to end it
    if level == "sandbox":
        need_sandbox()
    data = ROOT / "tests" / "data" / "wire"
    run = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[1] + '/one_game.py')"
    bot = WireBot(find_bot(f"a=cmd:'{sys.executable}' -I -S -c \"{run}\" '{data}'"), level, BotLimits())
    bot = _shown(bot, data)
    referee = table(bot, clock=CLOCK)
    for deal in range(2):
        rows = games(referee, [deal])
        assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])
        before = bot.process
        bot.prepare()
        assert bot.process not in (None, before)
    bot.close()


def _shown(bot: WireBot, folder: Path) -> WireBot:
    """The sandbox shows a folder and this interpreter, which need not be the system's."""
    paths = (folder, *(Path(path) for path in {sys.prefix, sys.base_prefix} if not path.startswith("/usr")))
    bot._launch = dataclasses.replace(bot._launch, folder=folder, read_only=paths)
    return bot
