"""Games in step are the games one by one: the same rows, whole units in order, whatever fails or stops them."""

from __future__ import annotations

import itertools
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.bots.bot import TimeLeft
from arena.bots.isolation.process_bot import ProcessPool
from arena.bots.isolation.python.bot import PythonBot
from arena.bots.isolation.python.messages import DRAWS, HAS_END, HAS_OBSERVE
from arena.game.packing import TABLES
from arena.game.record import verify
from arena.tournament.formats.series import series_rule
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import GameId, PairTask, SeriesTask, Task
from arena.tournament.referee import lockstep
from arena.tournament.referee.lockstep import Lockstep
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Referee
from tests.bots.isolation.children import at_table, isolated, player_of
from tests.tournament.referee.games import detail, forfeit, timeless

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix")]

_RULE = Player.__dict__["in_step"]
FIELD = ("random", "greedy", "first", "well_behaved")


@pytest.fixture(autouse=True, scope="module")
def _however_slow_this_machine_is() -> Iterator[None]:
    """Whether a bot is quick enough is left out here: only whether it can be asked for many games at once."""
    patch = pytest.MonkeyPatch()
    patch.setattr(Player, "in_step", property(lambda player: can(player.remote)))
    yield
    patch.undo()


def can(remote: object) -> bool:
    flags = HAS_OBSERVE | HAS_END | DRAWS
    return isinstance(remote, PythonBot) and remote._flags is not None and not remote._flags & flags


def pairs(deals: range, names: str = "abcd") -> list[Task]:
    """All pairings on some deals."""
    both = list(itertools.combinations(names, 2))
    return [PairTask(number, deal, a, b) for deal in deals for number, (a, b) in enumerate(both)]


def never() -> bool:
    return False


def in_step(
    referee: Referee, tasks: Sequence[Task], width: int = TABLES, look: Callable[[], bool] = never
) -> list[list[Row]]:
    ready(referee)
    return Lockstep(referee, look, width).play(tasks, 0)


def ready(referee: Referee) -> None:
    """Have all bots made, as their first games do."""
    for player in referee.players.values():
        for twin in player.per_game_players:
            if not twin.fit:
                twin.start()


def as_a_worker(referee: Referee, tasks: Sequence[Task], width: int = TABLES) -> list[Row]:
    """All units, in step where that can be."""
    together = Lockstep(referee, never, width)
    rows: list[Row] = []
    at = 0
    known: dict[int, Row] = {}
    while at < len(tasks):
        units = together.play(tasks, at) if not known else []
        if not units:
            known |= together.forfeits
            together.forfeits.clear()
            units = [referee.play_unit(tasks[at], known)]
            known = {key: row for key, row in known.items() if key not in {row[0] for row in units[0]}}
        at += len(units)
        rows += itertools.chain.from_iterable(units)
    return rows


def one_by_one(referee: Referee, tasks: Sequence[Task]) -> list[Row]:
    return [row for task in tasks for row in referee.play_unit(task)]


def flat(units: list[list[Row]]) -> list[Row]:
    return list(itertools.chain.from_iterable(units))


# ---------------------------------------------------------------- the same games


@pytest.mark.parametrize(
    ("rules", "twins"),
    [
        ("base", False),
        pytest.param("tactical", True, marks=pytest.mark.slow),
        pytest.param("expert", False, marks=pytest.mark.soak),
        *(pytest.param("bga-expert", twins, marks=pytest.mark.soak) for twins in (False, True)),
    ],
)
def test_all_games_are_those_played_one_by_one(rules: str, twins: bool) -> None:
    tasks = pairs(range(8))
    with at_table(FIELD, rules, twins=twins) as referee:
        units = in_step(referee, tasks)
        assert [len(unit) for unit in units] == [2] * len(tasks)
        assert timeless(flat(units)) == timeless(one_by_one(referee, tasks))


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[str, Referee]]:
    with at_table(FIELD, "base") as base, at_table(FIELD, "tactical", twins=True) as tactical:
        ready(base)
        ready(tactical)
        yield {"base": base, "tactical": tactical}


@pytest.mark.slow
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_games_at_any_number_of_tables(tables: dict[str, Referee], data: st.DataObject) -> None:
    referee = tables[data.draw(st.sampled_from(("base", "tactical")))]
    names = st.sampled_from(list(itertools.permutations("abcd", 2)))
    drawn = data.draw(st.lists(st.tuples(names, st.integers(0, 1 << 20)), min_size=2, max_size=12, unique=True))
    tasks = [PairTask(number, deal, a, b) for number, ((a, b), deal) in enumerate(drawn)]
    width = data.draw(st.sampled_from((1, 2, 3, 7, 64, TABLES, 1000)))
    units = Lockstep(referee, never, width).play(tasks, 0)
    assert timeless(flat(units)) == timeless(one_by_one(referee, tasks))


def test_decisions_that_were_asked_are_counted_and_times_estimated() -> None:
    tasks = pairs(range(6), "ab")
    with at_table(["random", "first"], "tactical") as referee:
        apart = one_by_one(referee, tasks)
        together = flat(in_step(referee, tasks))
    assert timeless(together) == timeless(apart)
    assert all(row != other for row, other in zip(together, apart)), "times of their own"
    assert referee.players["a"].mean_ns > 0


FORCED = """
class Bot:
    auto_claim = False
    ask_forced = True
    def begin(self, setup): self.asked = 0
    def act(self, view, moves):
        self.asked += 1
        return moves[(self.asked + view.turns) % len(moves)]
"""


def test_claims_and_forced_moves_are_asked_as_one_by_one(tmp_path: Path) -> None:
    bots = [bot_file(tmp_path, FORCED), "random"]
    tasks = pairs(range(12), "ab")
    with at_table(bots, "tactical") as referee:
        assert timeless(flat(in_step(referee, tasks))) == timeless(one_by_one(referee, tasks))


def test_it_goes_on_where_the_last_chunk_ended() -> None:
    tasks = pairs(range(6), "ab")
    with at_table(["random", "first"]) as referee:
        ready(referee)
        together = Lockstep(referee, never)
        all_units = together.play(tasks, 0)
        assert timeless(flat(together.play(tasks, 2))) == timeless(flat(all_units[2:]))
        assert together.play(tasks, 5) == []  # one unit is no company
        assert together.play(tasks, 6) == []


def bot_file(folder: Path, code: str, name: str = "bot") -> str:
    path = folder / f"{name}.py"
    path.write_text(code)
    return str(path)


# ---------------------------------------------------------------- what can go wrong

MISBEHAVES = """
import os, time
class Bot:
    made = 0
    def __init__(self):
        Bot.made += 1
        self.number = Bot.made
    def begin(self, setup):
        self.bad = setup.seed % 9 == 0
        self.seed = setup.seed
        if {hook!r} == "begin" and self.bad: self.fail()
    def act(self, view, moves):
        if {hook!r} == "act" and self.bad and view.turns > 9: return self.fail(moves)
        if {hook!r} == "in step" and self.number > 10 and view.turns > 9: return self.fail(moves)
        return moves[view.rng.below(len(moves))]
    def fail(self, moves=()):
        {deed}
"""
DEEDS = {
    "raises": "raise ValueError(f'on purpose in the game of seed {self.seed}')",
    "returns nonsense": "return 'r7@3'",
    "moves where it may not": "from arena.game.moves import parse_move; return parse_move('traitor')",
    "ends": "os.write(2, b'in the game of seed %d\\n' % self.seed); os._exit(3)",
    "makes a move by hand": "m = moves[0]; return type(m)(m.index, m.text, m.kind, m.card, m.stone, m.binding)",
}


KINDS = {
    "raises": "exception",
    "returns nonsense": "illegal move",
    "moves where it may not": "illegal move",
    "ends": "crash",
    "makes a move by hand": "illegal move",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hook", "deed", "twins"),
    [
        ("begin", "raises", True),
        ("act", "raises", True),
        pytest.param("begin", "ends", False, marks=pytest.mark.soak),
        *(pytest.param("act", deed, False, marks=pytest.mark.soak) for deed in DEEDS if deed != "raises"),
    ],
)
def test_who_fails_in_some_games_fails_in_these_and_no_others(
    tmp_path: Path, hook: str, deed: str, twins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lockstep, "PAUSE_GAMES", 20)  # so that it is tried again
    bots = [bot_file(tmp_path, MISBEHAVES.format(hook=hook, deed=DEEDS[deed])), "random", "first"]
    tasks = pairs(range(6), "abc")
    with at_table(bots, twins=twins) as referee:
        apart = one_by_one(referee, tasks)
        ready(referee)
        together = as_a_worker(referee, tasks, 16)
    assert timeless(together) == timeless(apart)
    bad = [row for row in apart if forfeit(row)[0]]
    assert 2 <= len(bad) <= 15


@pytest.mark.slow
def test_half_a_unit_is_none(tmp_path: Path) -> None:
    """At one table the games come one after the other, and some fail when the first of their pair is over."""
    bots = [bot_file(tmp_path, MISBEHAVES.format(hook="act", deed=DEEDS["raises"])), "first"]
    tasks = pairs(range(15), "ab")
    with at_table(bots) as referee:
        apart = one_by_one(referee, tasks)
        at = halves = 0
        while at < len(tasks) - 1:
            units = Lockstep(referee, never, 1).play(tasks, at)
            assert [len(unit) for unit in units] == [2] * len(units)
            assert timeless(flat(units)) == timeless(apart[2 * at : 2 * (at + len(units))])
            at += len(units)
            halves += at < len(tasks) and forfeit(apart[2 * at])[0] is None
            at += 1  # the one that fails
        assert halves >= 1


@pytest.mark.parametrize(
    "deed",
    [deed if deed in ("raises", "ends") else pytest.param(deed, marks=pytest.mark.soak) for deed in DEEDS],
)
def test_who_fails_in_step_only_has_failed_in_that_game(tmp_path: Path, deed: str) -> None:
    """The bots at its many tables are known to it by their numbers; one by one there is but one."""
    bots = [bot_file(tmp_path, MISBEHAVES.format(hook="in step", deed=DEEDS[deed])), "first"]
    tasks = pairs(range(20), "ab")
    with at_table(bots) as referee:
        ready(referee)
        rows = as_a_worker(referee, tasks)
        (lost,) = [row for row in rows if forfeit(row)[0]]
        assert forfeit(lost) == (KINDS[deed], "a")
        text = detail(lost)
        honest = one_by_one(referee, tasks)
        assert {forfeit(row) for row in honest} == {(None, None)}
        others = [row for row in rows if row is not lost]
        assert timeless(others) == timeless([row for row in honest if row[0] != lost[0]])
        verify(lost[18])
        if deed in ("raises", "ends"):  # it has said in which game that was
            seat_seed = int(re.findall(r"in the game of seed (\d+)", text)[-1])
            task = next(task for task in tasks if task.deal == GameId.from_key(lost[0]).deal)
            game = task.game_tasks()[lost[0] & 1]
            assert seat_seed in referee._seeds(game.deal, game.first, game.second)


def test_after_a_failure_games_are_played_one_by_one_for_a_while(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="arena.lockstep")
    bots = [bot_file(tmp_path, MISBEHAVES.format(hook="act", deed=DEEDS["raises"])), "first"]
    tasks = pairs(range(40), "ab")
    with at_table(bots) as referee:
        ready(referee)
        together = Lockstep(referee, never)
        before = [referee.players[name].remote.process for name in "ab"]
        units = together.play(tasks, 0)
        assert len(units) < len(tasks)
        assert timeless(flat(units)) == timeless(one_by_one(referee, tasks[: len(units)]))
        after = [referee.players[name].remote.process for name in "ab"]
        assert not set(before) & set(after), "they start anew: nobody plays a game knowing its cards"
        assert together.play(tasks, len(units)) == []
        assert caplog.messages == [
            "games are played one by one for a while: a: in act: Traceback (most recent call last):"
        ]
        referee.games += 1000
        assert together.play(tasks[:3], 0)


def test_a_process_that_ends_between_two_chunks_is_no_failure() -> None:
    tasks = pairs(range(6), "ab")
    with at_table(["random", "first"]) as referee:
        units = in_step(referee, tasks)
        referee.players["a"].remote.close()
        assert timeless(flat(in_step(referee, tasks))) == timeless(flat(units))


def test_too_small_a_house_changes_nothing() -> None:
    tasks = pairs(range(2), "ab")
    with at_table(FIELD[:2]) as referee:
        wanted = timeless(one_by_one(referee, tasks))
    with at_table(FIELD[:2], pool=ProcessPool(2), twins=True) as referee:
        ready(referee)
        assert timeless(as_a_worker(referee, tasks)) == wanted


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize("after", [0, 1, 2, 10, pytest.param(30, marks=pytest.mark.soak), 60])
@pytest.mark.parametrize("width", [1, 5, 64])
def test_a_stop_leaves_whole_units_in_order(tables: dict[str, Referee], after: int, width: int) -> None:
    tasks = pairs(range(20), "ac")
    looks = itertools.count()
    referee = tables["base"]
    before = referee.games
    units = Lockstep(referee, lambda: next(looks) >= after, width).play(tasks, 0)
    begun = referee.games - before
    assert begun == 2 * len(units), "nothing that was begun is lost"
    assert [len(unit) for unit in units] == [2] * len(units)
    assert timeless(flat(units)) == timeless(one_by_one(referee, tasks[: len(units)]))
    if after == 0:
        assert not units
    if after == 10 and width == 5:
        assert 2 <= len(units) <= 8  # of those whose first games were begun, the second ones are played, too


# ---------------------------------------------------------------- who is not asked together


def refused(referee: Referee, tasks: Sequence[Task]) -> bool:
    return in_step(referee, tasks) == []


def test_a_clock_is_for_single_games() -> None:
    with at_table(["random", "first"], clock=TimeLeft(5000, 5000)) as referee:
        assert refused(referee, pairs(range(4), "ab"))


@pytest.mark.parametrize(
    "code",
    [
        "class B:\n def observe(self, event): pass\n def act(self, view, moves): return moves[0]\n",
        "class B:\n def end(self, result): pass\n def act(self, view, moves): return moves[0]\n",
        "import random\ndef act(view, moves): return moves[0]\n",
    ],
)
def test_who_looks_on_or_draws_elsewhere_plays_alone(tmp_path: Path, code: str) -> None:
    with at_table([bot_file(tmp_path, code), "first", "random"]) as referee:
        tasks = [*pairs(range(2), "bc"), *pairs(range(2), "ab"), *pairs(range(2, 4), "bc")]
        assert refused(referee, pairs(range(4), "ab"))
        units = in_step(referee, tasks)
        assert len(units) == 2, "up to the one that cannot"
        assert timeless(flat(units)) == timeless(one_by_one(referee, tasks[:2]))


def test_a_bot_inside_or_not_made_yet_plays_alone() -> None:
    with at_table(["random", "first"]) as referee:
        assert Lockstep(referee, never).play(pairs(range(4), "ab"), 0) == []
        ready(referee)
        assert Lockstep(referee, never).play(pairs(range(4), "ab"), 0) != []
        referee.players["b"].broken = "crash", "on purpose"
        assert refused(referee, pairs(range(4), "ab"))


def test_only_one_of_two_twins_that_is_ready_is_not_enough() -> None:
    with at_table(["random", "first"], twins=True) as referee:
        for player in referee.players.values():
            player.start()
        assert Lockstep(referee, never).play(pairs(range(4), "ab"), 0) == []


def test_series_are_played_alone() -> None:
    rule = series_rule("loser", rounds=3)
    series: list[Task] = [SeriesTask(0, 40, "a", "b", 0, 1, rule), SeriesTask(1, 50, "a", "b", 0, 1, rule)]
    with at_table(["random", "first"]) as referee:
        assert refused(referee, series)
        assert len(in_step(referee, [*pairs(range(2), "ab"), *series])) == 2


def test_not_more_bots_than_there_may_be_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "MOST_BOTS", 3)
    tasks: list[Task] = [
        PairTask(0, 1, "a", "b"),
        PairTask(1, 1, "b", "c"),
        PairTask(2, 1, "c", "d"),
        PairTask(0, 2, "a", "b"),
    ]
    with at_table(FIELD) as referee:
        assert len(in_step(referee, tasks)) == 2


def test_quick_bots_are_asked_together_and_others_are_not() -> None:
    """The rule itself, which this file leaves out elsewhere."""
    bot = isolated("first")
    player = player_of(bot)
    rule = _RULE.fget
    try:
        assert not rule(player)
        player.start()
        bot.steps = True
        assert not rule(player)  # not timed yet
        for _ in range(2):
            player.timed([50_000] * 3)
        assert rule(player)
        player.mean_ns = 5e6
        assert not rule(player)
        player.mean_ns = 50_000.0
        bot.steps = False
        assert not rule(player)
    finally:
        bot.close()
