"""`arena.play_game`: one game in this process, from whatever is a bot, and the game that a tournament plays."""

from __future__ import annotations

import random
import sys
from bdb import BdbQuit
from dataclasses import replace
from pathlib import Path

import pytest

from arena import ArenaError, Bot, Deal, Event, Move, View, load_rules, make_deal, parse_record, play_game
from arena.tournament.games import GameResult, PairTask
from tests.tournament.referee.games import referee


class Mine(Bot):
    """Draws from its own generator, remembers what it saw, and raises when it is told to."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.events: list[str] = []

    def act(self, view: View, moves: list[Move]) -> Move:
        if self.error is not None:
            raise self.error
        return view.rng.choice(moves)

    def observe(self, event: Event) -> None:
        self.events.append(str(event))


def last(view: View, moves: list[Move]) -> Move:
    return moves[-1]


def draws(view: View, moves: list[Move]) -> Move:
    return random.choice(moves)


def test_it_is_the_game_of_a_tournament() -> None:
    rules = "expert"
    table = referee("greedy", "random", rules, seed=7)
    rows = table.play_unit(PairTask(0, 12, "a", "b"))
    pair = [GameResult.from_row(row, "a", "b") for row in rows]
    ours = [play_game("greedy", "random", rules=rules, seed=7, deal=12, names=("a", "b"))]
    ours.append(play_game("b=random", "a=greedy", rules=load_rules(rules), seed=7, deal=12))
    for game, stored in zip(ours, pair):
        for key in ("first", "second", "record", "score", "ending", "stones", "turns", "plies", "decisions"):
            assert getattr(game, key) == getattr(stored, key), key
        assert (game.winner, game.points) == (stored.winner, stored.points)


def test_all_that_is_a_bot_plays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "auto_claim = False\ndef act(view, moves):\n    return view.rng.choice(moves)\n"
    path = tmp_path / "mine.py"
    path.write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("mine")
    try:
        games = [play_game(bot, "random", seed=3) for bot in (path, str(path), module, module.act)]
    finally:
        del sys.modules["mine"]
    assert {game.first for game in games} == {"mine"}
    assert len({game.record for game in games}) == 1
    assert " 01; " in games[0].record or " 10; " in games[0].record
    of_class, of_object = (play_game(bot, last, seed=3) for bot in (Mine, Mine()))
    assert of_class.record == of_object.record
    assert (of_class.first, of_class.second) == ("Mine", "last")


def test_names() -> None:
    assert play_game("search:rollouts=2", "search:rollouts=2").second == "search2"
    game = play_game("old=random", "random", names=("new", "other"), seed=2)
    assert game.record == play_game("new=random", "other=random", seed=2).record


def test_deals() -> None:
    rules = load_rules("tactical")
    deal = make_deal(rules, 42, 17)
    by_number = play_game("random", "greedy", rules=rules, seed=42, deal=17)
    cards = play_game("greedy", "first", rules=rules, deal=deal)
    number = play_game("greedy", "first", rules=rules, seed=42, deal=17)
    assert cards.record.split("; ")[1:] == number.record.split("; ")[1:]
    assert play_game("greedy", "first", rules=rules, deal=parse_record(cards.record).deal).record == cards.record
    other = play_game("first", "greedy", rules=rules, deal=replace(deal, starter=1 - deal.starter))
    assert other.seats != by_number.seats


def test_an_exception_loses_the_game_or_is_raised() -> None:
    error = ZeroDivisionError("of my own")
    game = play_game(Mine(error), "random")
    assert (game.winner, game.forfeit, game.forfeit_by) == ("random", "exception", "Mine")
    assert "ZeroDivisionError: of my own" in str(game.detail)
    assert repr(game).endswith("random, exception by Mine>")
    with pytest.raises(ZeroDivisionError) as found:
        play_game(Mine(error), "random", errors="raise")
    assert found.value is error
    assert found.traceback[-1].name == "act"  # where pytest --pdb and pdb.pm() begin
    with pytest.raises(TypeError, match="missing"):
        play_game(type("Wants", (Mine,), {"__init__": lambda self, x: None}), "random", errors="raise")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BdbQuit()])
def test_what_the_user_does_is_no_forfeit(error: BaseException) -> None:
    with pytest.raises(type(error)):
        play_game(Mine(error), "random")


def test_global_generators_repeat_and_are_given_back() -> None:
    random.seed(5)
    wanted = random.random()
    random.seed(5)
    game = play_game(draws, draws, seed=4)
    assert random.random() == wanted
    assert play_game(draws, draws, seed=4).record == game.record != play_game(draws, draws, seed=5).record


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bot_a": 7}, "the int 7 is not a bot: expected a spec"),
        ({"deal": -1}, "deals are numbered from 0"),
        ({"deal": "42:17"}, "deal is a number or a Deal"),
        ({"deal": Deal(b"\0", b"", 0)}, "the clan deck"),
        ({"clock": 100}, "clock is"),
        ({"bot_a": (mine := Mine()), "bot_b": mine}, "one Mine object cannot play against itself"),
        ({"names": ("a", "a")}, "two bots are called 'a'"),
        ({"errors": "rais"}, "did you mean 'raise'?"),
    ],
)
def test_mistakes_are_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ArenaError) as found:
        play_game(**{"bot_a": "random", "bot_b": "greedy", **given})  # type: ignore[arg-type]
    assert message in str(found.value)
