"""The referee among well-behaved bots: seats, seeds, results, clock, times, records."""

from __future__ import annotations

import random
import time

import pytest

from arena.bots.bot import Bot, Setup, TimeLeft
from arena.endings import ENDINGS
from arena.game.deals import make_deal
from arena.game.record import parse_record, verify
from arena.game.rules import load_rules
from arena.tournament.formats.series import series_rule
from arena.tournament.games import GameId, PairTask, SeriesTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings, find_game
from tests.tournament.referee.games import detail, forfeit, loaded, play, player, referee, timeless


@pytest.mark.parametrize("rules", ["base", "expert", "battle-line-tactical"])
def test_records_replay_to_the_stored_result(rules: str) -> None:
    for row in play(referee("random", "greedy", rules), range(15)):
        state = verify(row.record)
        outcome = state.outcome
        deal = GameId.from_key(row.id).deal
        starter = make_deal(load_rules(rules), 1, deal).starter
        score = {starter: 2, None: 1}.get(outcome.winner, 0)
        stones = outcome.stones if starter == 0 else outcome.stones[::-1]
        got = [getattr(row, name) for name in ("score", "stones_first", "stones_second", "turns", "plies")]
        assert got == [score, *stones, outcome.turns, len(parse_record(row.record).moves)]
        assert ENDINGS[row.ending] == outcome.reason
        assert forfeit(row) == (None, None)


def test_the_bot_that_begins_sits_on_the_starting_seat() -> None:
    seen: list[Setup] = []

    class Sits(Bot):
        def begin(self, setup):
            seen.append(setup)

        def act(self, view, moves):
            assert view.seat == view.to_move
            return moves[0]

    table = Referee(GameSettings(load_rules("base"), 1), [Player("a", Sits), Player("b", Sits)])
    for deal in range(8):
        del seen[:]
        first, second = table.play_unit(PairTask(0, deal, "a", "b"))
        starter = make_deal(load_rules("base"), 1, deal).starter
        # two games, begin of the starting bot first
        assert [(one.seat, one.starter) for one in seen] == [(starter, starter), (1 - starter, starter)] * 2
        assert len({one.seed for one in seen}) == 4
        assert first[0] & 1 == 0
        assert second[0] & 1 == 1


def test_a_game_depends_on_seed_deal_and_names_only() -> None:
    alone = timeless(play(referee("random", "greedy"), [7]))
    assert alone == timeless(play(referee("random", "greedy"), range(12)))[14:16]
    other_pairing = referee("random", "greedy").play_unit(PairTask(5, 7, "a", "b", round=3))
    assert [row[1:] for row in timeless(other_pairing)] == [row[1:] for row in alone]
    assert timeless(play(referee("random", "greedy", seed=2), [7])) != alone
    others = Referee(GameSettings(load_rules("base"), 1), [player("random", "c"), player("greedy", "d")])
    assert timeless(others.play_unit(PairTask(0, 7, "c", "d"))) != alone
    # twins must not play mirrored games: a pair of them would hold no chance at all
    rows = play(referee("random", "random"), range(10))
    assert any(one.score != two.score or one[18] != two[18] for one, two in zip(rows[::2], rows[1::2]))


@pytest.mark.usefixtures("clock")
def test_quick_and_timed_play_are_the_same_games() -> None:
    quick = referee("random", "first")
    play(quick, range(100, 130))  # until both count as quick
    assert quick.players["a"].quick
    assert quick.players["b"].quick
    rows = play(quick, range(40))
    observing = Player("a", lambda: _Observing(loaded("random", "a").make()))
    timed_rows = play(Referee(GameSettings(load_rules("base"), 1), [observing, player("first", "b")]), range(40))
    assert timeless(rows) == timeless(timed_rows)
    untimed = sum(row.hist_first == b"" for row in rows)
    assert 70 <= untimed < 80  # one game in 32 is timed
    assert all(row.hist_first for row in timed_rows)
    for row in rows:
        assert 0 < row.us_first + row.us_second < 2000


class _Observing:
    """A bot that looks on, and for that is timed in each game."""

    def __init__(self, bot):
        self.act = bot.act

    def observe(self, event):
        pass


@pytest.mark.parametrize("rules", ["base", "expert"])
def test_views_events_and_results_agree(rules: str) -> None:
    for row in play(referee("watches", "watches", rules), range(10)):
        assert forfeit(row) == (None, None), detail(row)


def test_decisions_with_one_legal_move_are_asked_on_request_only() -> None:
    class Asks(Bot):
        ask_forced = True
        forced = 0

        def act(self, view, moves):
            type(self).forced += len(moves) == 1
            return moves[-1]

    rows = play(_table(Asks), range(30))
    assert Asks.forced > 0
    assert all(row.plies == row.decisions_first + row.decisions_second for row in rows)
    asked, Asks.ask_forced, Asks.forced = Asks.forced, False, 0
    fewer = play(_table(Asks), range(30))
    assert Asks.forced == 0
    assert [row.record for row in rows] == [row.record for row in fewer]
    decisions = [sum(row[9:11]) for row in rows], [sum(row[9:11]) for row in fewer]
    assert sum(decisions[0]) - sum(decisions[1]) == asked


def _table(bot: type[Bot], rules: str = "tactical", clock: TimeLeft | None = None) -> Referee:
    return Referee(GameSettings(load_rules(rules), 1, clock), [Player("a", bot), Player("b", bot)])


# ---------------------------------------------------------------- units


def test_a_series_is_played_to_its_end_by_its_rule() -> None:
    rule = series_rule("loser", rounds=5)
    task = SeriesTask(3, 40, "a", "b", 0, 1, rule)
    table = referee("greedy", "random")
    rows = table.play_unit(task)
    ids = [GameId.from_key(row.id) for row in rows]
    assert [one.deal for one in ids] == [40, 41, 42, 43, 44]
    assert [one.game for one in ids] == [1, 1, 1, 1, 1]  # b begins and loses
    for one in ids:
        game = find_game(task, one.key)
        assert game is not None
        assert (game.key, game.first) == (one.key, "b")
    assert find_game(task, GameId(3, 45, 0).key) is None
    assert find_game(task, GameId(2, 40, 0).key) is None


# ---------------------------------------------------------------- clock


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("bot", "clock_of", "decisions"),
    [
        # 29 ms take 19 from the bank: the third decision finds too little in it
        ("sleeper:ms=29", TimeLeft(10, 40), 3),
        ("sleeper:ms=20,after=3", TimeLeft(None, 70), 7),
    ],
)
def test_a_decision_may_take_the_time_of_a_move_and_the_bank(bot: str, clock_of: TimeLeft, decisions: int) -> None:
    """The bank is for the whole game, and new in each."""
    for row in play(referee(bot, "first", clock=clock_of), [0, 1]):
        assert forfeit(row) == ("timeout", "a")
        assert (row.decisions_second if row.id & 1 else row.decisions_first) == decisions
        assert detail(row).startswith("decision ")
        verify(row.record)
        assert row.record.endswith("forfeit timeout")


@pytest.mark.usefixtures("clock")
def test_the_view_tells_the_time_that_is_left_and_begin_is_on_the_clock() -> None:
    seen: list[TimeLeft] = []

    class Looks(Bot):
        def begin(self, setup):
            time.sleep(0.03 * (setup.clock == TimeLeft(5, 10)))

        def act(self, view, moves):
            seen.append(view.clock)
            time.sleep(0.002)
            return moves[0]

    play(_table(Looks, "base", TimeLeft(1, 60_000)), [0])
    assert seen[0] == TimeLeft(1, 60_000)
    assert seen[2].move_ms == 1
    assert seen[2].bank_ms == 60_000 - 1.001  # the look at the clock took a microsecond
    play(_table(Looks, "base"), [0])
    assert seen[-1] is None
    row = play(_table(Looks, "base", TimeLeft(5, 10)), [0])[0]
    assert forfeit(row) == ("timeout", "a")
    assert detail(row).startswith("begin took ")


# ---------------------------------------------------------------- global generators


@pytest.mark.parametrize("bot", ["global_random", "numpy_random"])
def test_global_generators_are_seeded_for_each_game(bot: str) -> None:
    if bot.startswith("numpy"):
        pytest.importorskip("numpy")
    whole = timeless(play(referee(bot, "random"), range(6)))
    random.seed(99)
    assert timeless(play(referee(bot, "random"), [5, 2])) == whole[10:12] + whole[4:6]
    assert len({row[-1].split(";")[1] for row in whole}) == len(whole)
