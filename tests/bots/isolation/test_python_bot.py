"""Python bots in processes of their own play the games that they play inside."""

from __future__ import annotations

import os
import py_compile
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from arena.bots.bot import BotFault, TimeLeft
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from tests.bots.isolation.children import at_table, bot_file, games, inside, isolated
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


def test_helpers_are_imported_inside_act_and_from_source(tmp_path: Path) -> None:
    helper, evil = tmp_path / "helper.py", tmp_path / "evil.txt"
    helper.write_text("def pick(moves):\n    return moves[0]\n")
    evil.write_text("def pick(moves):\n    return None\n")
    cached, unchecked = cache_from_source(str(helper)), py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), cached, invalidation_mode=unchecked)
    bots = [bot_file(tmp_path, "def act(view, moves):\n    import helper\n    return helper.pick(moves)\n"), "random"]
    with at_table(bots, "base") as referee:
        rows = games(referee, range(1))
    assert timeless(rows) == timeless(games(inside(bots, "base"), range(1)))
    assert [forfeit(row) for row in rows] == [(None, None)] * 2, detail(rows[0])


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
import time
class Bot:
    def begin(self, setup):
        assert (setup.clock.move_ms, setup.clock.bank_ms) == (2000, 60_000.5), setup
        self.last = 60_000.5
    def act(self, view, moves):
        move, bank = view.clock
        assert move == 2000 and view.clock.total_ms == move + bank
        assert bank <= self.last
        self.last = bank
        return view.rng.choice(moves)
"""
    bots = [bot_file(tmp_path, code), "random"]
    clock = TimeLeft(2000, 60_000.5)
    with at_table(bots, clock=clock) as referee:
        rows = games(referee, range(2))
    assert timeless(rows) == timeless(games(inside(bots, clock=clock), range(2)))
    assert [forfeit(row) for row in rows] == [(None, None)] * 4, detail(rows[0])


def test_a_process_is_there_when_it_is_needed_and_not_before() -> None:
    bot = isolated("first")
    rules = load_rules("base")
    state = State(rules, make_deal(rules, 1, 0))
    assert bot.process is None
    assert bot.close() == "it does not run"
    with pytest.raises(BotFault, match="does not run"):
        bot.act(state.view(state.to_move), state.legal_moves())
    bot.load()
    first = bot.process
    bot.load()
    assert bot.process is first
    bot.prepare()
    bot.prepare()
    assert bot.process is first
    assert bot.close() == "it was stopped"
    assert bot.process is None
    bot.prepare()
    assert bot.process is not first
    bot.close()


def test_the_result_of_a_game_is_told(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"""
class Bot:
    def act(self, view, moves): return moves[0]
    def end(self, result):
        with open({str(told)!r}, "a") as file: file.write(repr(result) + "\\n")
"""
    bots = [bot_file(tmp_path, code), "raises:after=4"]
    with at_table(bots) as referee:
        games(referee, [0])
    isolated_heard = told.read_text()
    told.unlink()
    games(inside(bots), [0])
    assert told.read_text() == isolated_heard
    assert isolated_heard.count("forfeit='exception'") == 2


def test_nothing_but_the_view_is_in_the_process(tmp_path: Path) -> None:
    """Neither a referee, nor a state with the other hand or the decks, is to be found there."""
    code = """
import gc, sys
from arena.game.engine import State
def act(view, moves):
    states = [one for one in gc.get_objects() if isinstance(one, State)]
    hidden = [(one.hand_of(1 - view.seat), len(set(one.clan_cards_left))) for one in states]
    raise ValueError([name for name in sys.modules if name.startswith(("arena.tournament", "arena.cli"))], hidden)
"""
    with at_table([bot_file(tmp_path, code), "first"]) as referee:
        text = detail(games(referee, [0])[0])
    assert text.endswith("ValueError: ([], [((), 1)])")
