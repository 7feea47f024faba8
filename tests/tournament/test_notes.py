"""What bots say with their moves: the same wherever they run, stored with the game, and no harm to anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import moves_by_number
from arena.game.notes import LOST, WRONG, read_notes
from arena.game.record import parse_record
from arena.game.rules import load_rules
from arena.results.records import read_games, write_records
from arena.results.sources import find_source
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings, game_faults
from arena.tournament.store.reader import Reader
from tests.bots.isolation.children import BOTS, at_table, games, inside
from tests.bots.isolation.wire_fakes import SETUP, honest, special_bot
from tests.tournament.runner.runs import bot, play, settings

SAYS, SILENT = "says", "says:what=nothing"


def opening() -> Any:
    rules = load_rules("tactical")
    return State(rules, make_deal(rules, 1, 0)).view(0)


def test_a_note_is_stored_beside_the_same_game() -> None:
    said, silent = (games(inside([text, SILENT], "tactical"), range(2)) for text in (SAYS, SILENT))
    for noted, plain in zip(said, silent):
        notes = parse_record(noted.record).notes
        assert noted.record.startswith(f"{plain.record}; {{")
        seat = parse_record(noted.record).deal.starter ^ (noted.id & 1)
        assert not notes[1 - seat]
        assert notes[seat]
        for note in notes[seat].values():
            assert (note.value, note.depth, note.text) == (0.3333, 2, "?[31mred; a")
            assert note.numbers == {"spread": float(f"{note.nodes / 7:.6g}")}


@pytest.mark.parametrize("level", ["process", pytest.param("sandbox", marks=pytest.mark.sandbox)])
def test_notes_are_the_same_in_a_process(level: str) -> None:
    within = [row.record for row in games(inside([SAYS, SILENT], "tactical"), range(2))]
    with at_table([SAYS, SILENT], "tactical", level=level) as table:
        assert [row.record for row in games(table, range(2))] == within


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("cheats", [False, True])
def test_both_loops_of_the_referee_keep_notes(quick: bool, cheats: bool) -> None:
    """The note of a move that is not legal is not stored: that move is not in the record."""

    class Says:
        def act(self, view, moves):
            view.note(value=0.5)
            if cheats and view.turns == 7:
                return next(move for move in moves_by_number(7) if move not in moves)
            return moves[0]

    table = Referee(GameSettings(load_rules("base"), 1), [Player(name, Says) for name in "ab"])
    for player in table.players.values():
        player.prepare(begins=True)
        player.quick = quick
    table.games = 1
    row, _ = table.play_unit(PairTask(0, 0, "a", "b"))
    record = parse_record(row.record)
    a, b = record.notes
    assert (row.forfeit > 0) == cheats
    assert sorted([*a, *b]) == list(range(1, len(record.moves) + 1))
    off = Referee(GameSettings(load_rules("base"), 1, notes=False), [Player(name, Says) for name in "ab"])
    assert row.record.startswith(off.play_unit(PairTask(0, 0, "a", "b"))[0].record + "; {")


LOST_NOTES: list[dict[str, Any]] = [
    {"value": float("nan")},
    {"value": "much"},
    {"depth": -1},
    {"nodes": 10**400},
    {"text": 5},
    {"other": float("inf")},
    {"no name": 1},
    {"x" * 21: 1},
    {f"n{number}": number for number in range(9)},
]


@pytest.mark.parametrize("said", LOST_NOTES, ids=str)
def test_invalid_notes_are_dropped(said: dict[str, Any]) -> None:
    view = opening()
    view.note(**said)
    assert view.noted.startswith(LOST)
    assert len(view.noted) < 200
    assert read_notes({"notes": {"a": {"1": said}}}) == ({}, {})


def test_the_log_tells_of_the_first_lost_note(caplog: pytest.LogCaptureFixture) -> None:
    table = inside(["says:what=wrong", SILENT])
    row = games(table, [0])[0]
    assert "{" not in row.record
    assert not row.forfeit
    assert [record.message for record in caplog.records] == [f"a: game a/b/0, move 1: {WRONG}"]


def test_a_command_notes_what_its_answer_holds() -> None:
    view, wire = opening(), special_bot(act=lambda message: honest(message, note={"value": 1, "self": 3}))
    wire.prepare()
    wire.begin(SETUP)
    wire.act(view, [*moves_by_number(7)])
    assert view.noted == '{"value":1,"self":3}'


def test_a_run_keeps_notes_through_files(tmp_path: Path) -> None:
    play(tmp_path / "run", settings(bot(str(BOTS / "says.py"), "says"), bot("first"), games=4, rules="tactical"))
    with Reader(tmp_path / "run") as reader:
        stored = list(reader.results())
        assert [fault for _, fault in game_faults(reader.results(), reader.config())] == [None] * 4
    assert all(parse_record(game.record).notes != ({}, {}) for game in stored)
    write_records(stored, tmp_path / "games.txt")
    with find_source(str(tmp_path / "run")).games() as there:
        assert [game.record for game in read_games(tmp_path / "games.txt")] == [game.record for game in there]
