"""`arena play`, line by line: a person against a bot, and what is stored of it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.game.record import parse_record, replay, verify
from tests.cli.conftest import Arena, Result

Typing = Callable[..., Result]


@pytest.fixture
def person(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Plays with what a person types, one line after the other; then comes the end of the input."""

    def call(typed: str, *args: object, code: int | None = 0) -> Result:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return arena("play", *args, "--isolation", "none", code=code)

    return call


def record_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8").strip()


def test_a_whole_game_is_stored_and_replays(person: Typing, arena: Arena) -> None:
    result = person("1\n" * 300, "greedy", "--rules", "bga-tactical", "--seed", 3)
    file = "games/greedy-bga-tactical-3.txt"
    assert f"Saved in {file}" in result.out
    assert "You win" in result.out or "You lose" in result.out
    record = record_of(file)
    assert verify("; ".join(record.split("; ")[:3])).is_over
    shown = arena("replay", file, "1").out
    assert "greedy" in shown
    assert "you" in shown
    arena("replay", file, "1", "-o", "one.html")
    assert "over" in person("", file, code=2).err


def test_a_game_is_resumed(person: Typing) -> None:
    """As if it had not been left: the whole game is the one of somebody who stayed."""
    options = ("odds", "--rules", "tactical", "--seed", 8, "--claims")
    person("1\n" * 300, *options)
    whole, parts = "games/odds-iello-tactical-8.txt", "games/odds-iello-tactical-8-2.txt"
    assert f"arena play {parts}" in person("1\n" * 5, *options).out
    assert parse_record(record_of(parts)).result.startswith("*")
    person("1\n" * 4 + "quit\n", parts)
    person("1\n" * 300, parts)
    assert record_of(parts) == record_of(whole)
    record = parse_record(record_of(whole))
    assert sorted(record.auto_claim) == [False, True]


def test_a_game_begins_at_a_position_of_a_stored_one(person: Typing, arena: Arena) -> None:
    arena("match", "greedy", "first", "--rules", "tactical", "--games", 4, "--seed", 2, "--out", "run", "--workers", 1)
    stored = parse_record(arena("replay", "run", 3, "--record").out.strip())
    typed = person("1\n" * 3 + "quit\n", "odds", "--from", "run", 3, 24, "--seed", 5)
    file = "games/odds-iello-tactical-5.txt"
    assert f"Resume it with: arena play {file}" in typed.out
    person("1\n" * 300, file)
    record = parse_record(record_of(file))
    assert record.deal == stored.deal
    assert record.moves[:23] == stored.moves[:23]
    assert replay(record).is_over


def test_a_bot_that_fails_loses(person: Typing) -> None:
    Path("bad.py").write_text("def act(view, moves):\n    raise ValueError('\\x1b[2Jno')\n")
    result = person("1\n" * 9, "bad.py", "--seed", 1)
    assert "bad forfeits by exception: ValueError: " in result.out
    assert "no (bad.py, line 2). You win." in result.out
    assert "\x1b" not in result.out
