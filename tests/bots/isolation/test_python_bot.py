"""Python bots in processes of their own play the games that they play inside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.bot import TimeLeft
from arena.bots.faults import BotError
from arena.bots.limits import BotLimits
from arena.bots.loading import load_bot
from tests.bots.isolation.children import at_table, bot_file, bot_spec, both, games, inside, isolated
from tests.tournament.referee.games import detail, forfeit, timeless

pytestmark = pytest.mark.process


CHOOSY = """
from arena.bots.bot import Bot
class Choosy(Bot):
    auto_claim = {auto}
    ask_forced = {forced}
    def begin(self, setup):
        self.events, self.asked = [], 0
    def act(self, view, moves):
        self.asked += 1
        assert tuple(self.events) == view.history
        return view.rng.choice(moves)
    def observe(self, event):
        self.events.append(event)
    def end(self, result):
        assert len(self.events) > 20
        assert result.stones[0] + result.stones[1] <= 9
"""


@pytest.mark.parametrize(("auto", "forced"), [(True, False), (False, True)])
def test_claims_forced_moves_and_events_are_as_inside(tmp_path: Path, auto: bool, forced: bool) -> None:
    bots = [bot_file(tmp_path, CHOOSY.format(auto=auto, forced=forced)), "random"]
    with at_table(bots, "tactical") as referee:
        rows = games(referee, range(2))
    assert timeless(rows) == timeless(games(inside(bots, "tactical"), range(2)))
    assert [forfeit(row) for row in rows] == [(None, None)] * 4, detail(rows[0])


LISTENS = """
import zlib
class Listens:
    def begin(self, setup):
        self.told = [("begin", setup.seat, setup.starter, setup.seed, setup.clock, setup.rules.name)]
    def act(self, view, moves):
        self.told.append(("act", str(moves), view.hand, view.mine, view.theirs, view.turns, view.phase))
        return view.rng.choice(moves)
    def observe(self, event):
        self.told.append(("observe", str(event)))
    def end(self, result):
        self.told.append(result)
        raise ValueError(len(self.told), zlib.crc32(repr(self.told).encode()), self.told[-9:])
"""


def test_hooks_are_told_the_same_in_the_same_order(tmp_path: Path) -> None:
    bots, rules = [bot_file(tmp_path, LISTENS), "greedy"], "bga-expert"
    with at_table(bots, rules) as referee:
        rows = games(referee, range(3))
    within = games(inside(bots, rules), range(3))
    assert [detail(row) for row in rows] == [detail(row) for row in within]
    assert {forfeit(row) for row in rows} == {(None, "a")}  # it raises in `end` what it has heard
    assert len({detail(row) for row in rows}) == len(rows)


def test_numbers_of_texts_are_the_same_in_every_process(tmp_path: Path) -> None:
    """A bot that goes through a set plays the same whatever the user has set."""
    code = "def act(view, moves): raise ValueError([hash('a text'), list({'x', 'y', 'z', 'u', 'v'})])\n"
    found = set()
    for seed in ("random", "1"):
        os.environ["PYTHONHASHSEED"] = seed
        try:
            with at_table([bot_file(tmp_path, code), "first"]) as referee:
                found.add(detail(games(referee, [0])[0]))
        finally:
            del os.environ["PYTHONHASHSEED"]
    [one] = found
    assert str(hash("")) not in one.split()


def test_the_time_that_is_left_is_seen_and_kept(tmp_path: Path) -> None:
    code = """
class Bot:
    def begin(self, setup):
        assert (setup.clock.move_ms, setup.clock.bank_ms) == (2000, 60_000.5), setup
        self.last = 60_000.5
    def act(self, view, moves):
        move, bank = view.clock
        assert move == 2000 and bank <= self.last
        self.last = bank
        return view.rng.choice(moves)
"""
    with at_table([bot_file(tmp_path, code), "random"], clock=TimeLeft(2000, 60_000.5)) as referee:
        rows = games(referee, range(2))
    assert [forfeit(row) for row in rows] == [(None, None)] * 4, detail(rows[0])


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("hook", "what"), [("end", "ValueError"), ("__init__", "SystemExit"), ("act", "KeyboardInterrupt")]
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
        games(referee, [0])
        process = referee.players["a"].remote.process
        games(referee, [1])
        assert process is referee.players["a"].remote.process is not None


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


@pytest.mark.slow
def test_who_has_used_much_processor_time_gets_a_new_process_before_that_is_used_up(tmp_path: Path) -> None:
    code = """
import time
class Bot:
    def begin(self, setup):
        end = time.process_time() + 0.25
        while time.process_time() < end: pass
    def act(self, view, moves): return moves[0]
"""
    with at_table([bot_file(tmp_path, code), "first"], limits=BotLimits(cpu_s=1)) as referee:
        pids = set()
        for deal in range(3):
            rows = games(referee, [deal])
            assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])
            pids.add(referee.players["a"].remote.process.pid)
    assert len(pids) > 1


@both
@pytest.mark.parametrize("bot", ["pack.deep.m:Mine", "pack.deep:act", "alone:act"])
def test_bots_of_packages_below_the_current_folder_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, bot: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "def act(view, moves):\n    return moves[-1]\n"
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "pack").symlink_to("real")
    (tmp_path / "alone.py").write_text(code)
    (tmp_path / "pack" / "tools.py").write_text(code)
    (tmp_path / "pack" / "deep" / "__init__.py").write_text("from ..tools import act\n")
    (tmp_path / "pack" / "deep" / "m.py").write_text(
        "import pack.tools as t\nclass Mine:\n    act = staticmethod(t.act)"
    )
    with at_table([bot, "random"], level=level) as referee:
        rows = games(referee, range(1))
    assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])
