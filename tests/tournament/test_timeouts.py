"""Pairings that are given up: whatever was stored in whatever order, the games are what the rule says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.endings import ForfeitKind
from arena.tournament.games import GameTask, PairTask, Row
from arena.tournament.timeouts import NOT_PLAYED, GivenUp, given_up, settled
from tests.tournament.runner.fake import fake_result, row_of

UNITS = [PairTask(3, deal, "ann", "bob") for deal in range(4)]
GAMES = [game for unit in UNITS for game in unit.game_tasks()]


def row(game: GameTask, late: str = "", detail: str = "in act: no answer") -> Row:
    """Return a game that was played, or that the bot `late` lost because it gave no answer in time."""
    result = fake_result(game, faults=False)
    if late:
        lost = {"forfeit": ForfeitKind.TIMEOUT.value, "forfeit_by": late, "detail": detail, "ending": "forfeit"}
        result = replace(result, score=float(late == game.second), **lost)
    return row_of(result)


def unplayed(game: GameTask, bot: str) -> Row:
    return row(game, bot, f"{NOT_PLAYED}it gave no answer")


def rows(late: Sequence[str]) -> list[Row]:
    """Return games in order; `-` was not played, and bob forfeits it."""
    return [unplayed(game, "bob") if who == "-" else row(game, who) for game, who in zip(GAMES, late)]


def test_three_games_running_of_one_bot_end_a_pairing() -> None:
    assert given_up(rows(["bob", "bob", "", "bob", "bob", "bob"])) == GivenUp(GAMES[5].key, 1)
    assert given_up(rows(["bob", "bob", "ann", "bob", "bob", ""])) is None
    assert given_up(rows(["bob", "-", "bob", "bob"])) is None  # a game without play is no game of the three


def test_games_after_the_third_are_forfeits_whoever_played_them() -> None:
    stored = rows(["", "bob", "bob", "bob", "", "-", "", ""])
    wanted = [unplayed(game, "bob") for game in GAMES]
    assert list(settled(stored, UNITS, unplayed)) == [(UNITS[2], wanted[4:6]), (UNITS[3], wanted[6:])]


def test_forfeits_without_three_such_games_must_be_played() -> None:
    stored = rows(["bob", "bob", "", "", "bob", "-", "-", "-"])
    assert list(settled(stored, UNITS, unplayed)) == [(UNITS[2], []), (UNITS[3], [])]


def test_what_is_right_or_not_there_yet_is_left_alone() -> None:
    assert list(settled(rows(["bob", "bob", "bob", "-", "-", "-", "-", "-"]), UNITS, unplayed)) == []
    assert list(settled(rows(["", "", "", ""]), UNITS, unplayed)) == []
