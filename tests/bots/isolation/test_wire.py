"""Wire bots without a process: what is said to them, which answers are taken, what is a fault of which kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import GameEnd, Setup, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation import wire_messages as messages
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.isolation.wire_messages import launch_of
from arena.bots.limits import BotLimits, Launch
from arena.bots.spec import find_bot
from arena.tournament.games import PairTask
from tests.bots.isolation.wire_fakes import (
    END,
    RULES,
    SETUP,
    SPEC,
    Message,
    Recorder,
    fake_bot,
    fault,
    line,
    position,
    special_bot,
    table,
)
from tests.game.play import go, scouted
from tests.tournament.referee.games import detail, forfeit


def encoder() -> messages.LineEncoder:
    return messages.LineEncoder(SPEC, "process", BotLimits())


@pytest.mark.parametrize("rules", ["base", "expert", "bga-tactical", "battle-line-tactical"])
def test_a_decision_tells_all_that_a_view_shows_from_the_own_side(rules: str) -> None:
    for seed in range(25):
        view, moves = position(rules, seed, 3 * seed)
        if not moves:
            continue
        me = view.seat
        told = json.loads(encoder().ask(view, moves, bytearray()))
        who = {None: None, me: "me", 1 - me: "them"}
        player_of = {(event.stone, event.card): event.seat for event in view.history if event.kind == "mode"}
        assert told["moves"] == [str(move) for move in moves]
        assert (told["hand"], told["unseen"]) == (list(view.hand), list(view.unseen))
        for stone in range(1, 10):
            assert told["stones"][stone - 1] == {
                "mine": list(view.side(me, stone)),
                "theirs": list(view.side(1 - me, stone)),
                "owner": {"a": who[0], "b": who[1], ".": None}[view.owners[stone - 1]],
                "modes": list(view.modes(stone)),
                "modes_by": [who[player_of[stone, mode]] for mode in view.modes(stone)],
                "capacity": view.capacity(stone),
                "completed_first": who[view.completed_first(stone)],
            }
        for name, seat in (("me", me), ("them", 1 - me)):
            assert told[name] == {
                "clan_cards": view.hand_counts(seat)[0],
                "tactic_cards": view.hand_counts(seat)[1],
                "tactics_played": view.tactics_played(seat),
                "joker_played": view.joker_played(seat),
                "row": list(view.row(seat)),
            }
        assert (told["decks"]["clan"], told["decks"]["tactic"]) == view.deck_counts
        assert (told["phase"], told["turns"], told["passes"]) == (view.phase, view.turns, view.passes)
        unfinished = (view.ruse_under_way, view.pending, view.taken_from)
        assert (told["ruse"], told["pending"], told["taken_from"]) == unfinished
        assert told["known_in_hand"] == list(view.known_in_hand)
        assert [(one["card"], one["deck"], one["above"]) for one in told["known_in_decks"]] == list(view.known_in_decks)
        assert "events" not in told


def test_cards_that_the_recruiter_has_put_back_are_told() -> None:
    view = go(scouted("top"), "return b8,return p8").view(0)
    told = messages.position(view)["known_in_decks"]
    assert [(one["card"], one["deck"], one["above"]) for one in told] == [("b8", "clan", 1), ("p8", "clan", 0)]


def test_the_beginning_and_the_clock() -> None:
    told = json.loads(encoder().begin(Setup(1, 0, RULES, (1 << 64) - 1, TimeLeft(100, None))))
    assert (told["seat"], told["starter"], told["seed"]) == (1, "them", (1 << 53) - 1)
    assert told["clock"] == {"move_ms": 100, "bank_ms": None}
    assert told["rules"]["claim_window"] == "after_play"
    view, _ = position(clock=TimeLeft(None, 12.34567))
    assert messages.position(view)["clock"] == {"move_ms": None, "bank_ms": 12.346}


@pytest.mark.parametrize(("seat", "winner", "stones"), [(0, "them", [2, 5]), (1, "me", [5, 2])])
def test_the_end_is_told_from_the_own_side(seat: int, winner: str, stones: list[int]) -> None:
    wire = encoder()
    wire.begin(Setup(seat, 0, RULES, 0, None))
    told = json.loads(wire.end(position()[0], END))
    assert (told["winner"], list(told["stones_won"].values())) == (winner, stones)
    assert json.loads(wire.end(position()[0], GameEnd(None, (4, 4), "stalemate")))["winner"] is None


def test_how_a_command_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine/bot.js", "mine/near.bin", "far.bin"):
        (tmp_path / name).write_text("")
    spec = find_bot("cmd:sh mine/bot.js mine/near.bin far.bin", folder=tmp_path)
    monkeypatch.setenv("PATH", "/somewhere")
    launch: Launch = launch_of(spec, "sandbox", BotLimits())
    assert launch.argv[1:] == tuple(str(tmp_path / name) for name in ("mine/bot.js", "mine/near.bin", "far.bin"))
    assert (launch.folder, launch.read_only, launch.system) == (tmp_path / "mine", (tmp_path / "far.bin",), True)
    assert launch.environment["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    assert launch_of(spec, "process", BotLimits()).environment["PATH"] == "/somewhere"


def test_a_file_that_has_changed_since_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text("1")
    spec = find_bot(f"cmd:sh {script}")
    RemoteBot(spec, RULES, "process", BotLimits())
    script.write_text("2")
    with pytest.raises(BotError, match="has changed since it was named"):
        RemoteBot(spec, RULES, "process", BotLimits())


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("move", "text"),
    [
        ("claim 3", "claim 3 is not legal: a card must be played now"),
        (54, "move number 54 is not one of the 54 (counted from 0)"),
        ("x" * 60000, "'" + "x" * 80 + "'... (60000 in all) is not a move"),
        ("\ud800\x1b[2J", r"'\ud800\x1b[2J' is not a move"),
    ],
)
def test_an_illegal_move_is_said_with_its_reason_and_the_process_goes_on(move: Any, text: str) -> None:
    view, moves = position()
    bot = fake_bot(Recorder(lambda message: move))
    bot.prepare()
    bot.begin(SETUP)
    process = bot.process
    kind, why = fault(lambda: bot.act(view, moves))
    assert kind == "illegal move"
    assert why.startswith(text)
    bot.prepare()
    bot.begin(SETUP)
    assert bot.process is process


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"\n", "an empty line"),
        (b"move 3\n", "not valid JSON"),
        (b"[]\n", "not an object"),
        (b'{"id":"ID","move":0}\n', 'no "id", or one'),
        (b'{"id":ID,"move":0.0}\n', 'no "move", or one'),
        (b'{"id":ID,"move":NaN}\n', "not valid JSON"),
        (b"x" * 200000, "longer than 65536 bytes"),
        (b'{"move":0}\n', 'has no "id"'),
        (b'{"id":2,"move":0}\n', "answered the message with the id 2 instead of 3"),
        (b'{"id":ID}\n', 'has no "move"'),
        (b'{"id":ID,"move":0,"note":[]}\n', '"note" is not an object'),
        (b'{"id":ID,"error":1}\n', '"error" is not a string'),
        (b'{"id":ID,"move":0}{}\n', "not valid JSON (Extra data"),
        (b'{"id":ID,"move":0,"x":' + b"9" * 5000 + b"}\n", "not valid JSON"),
        (b"[" * 60000 + b"\n", "not valid JSON"),
        (b'{"id":ID,"move":0,"x":"\xff"}\n', "not UTF-8 (byte 22)"),
        (b'{"id":ID,"move":0,"x":"\0"}\n', "a NUL"),
        (b'{"id":ID,"move":0,"x":"' + b"x" * 65536 + b'"}\n', "longer than 65536 bytes"),
    ],
)
def test_invalid_answers_are_faults_of_the_protocol(answer: bytes, text: str) -> None:
    def act(message: Message) -> list[bytes]:
        data = answer.replace(b"ID", str(message["id"]).encode())
        return [data[at : at + 50000] for at in range(0, len(data), 50000)]

    bot = special_bot(act=act)
    bot.prepare()
    bot.begin(SETUP)
    process = bot.process
    kind, why = fault(lambda: bot.act(*position()))
    assert kind == "protocol"
    assert why.startswith("in act: ")
    assert text in why
    assert len(why) < 300
    assert why.isascii()
    assert why.isprintable()
    assert process.closed  # type: ignore[union-attr]
    assert bot.process is None


@pytest.mark.parametrize("hook", ["hello", "begin", "act", "end"])
def test_a_bot_that_cannot_go_on_says_why(hook: str) -> None:
    bot = special_bot(**{hook: lambda message: [line(id=message["id"], error="no server")]})
    if hook == "hello":
        with pytest.raises(BotError, match="cannot be loaded: no server"):
            bot.load()
        return
    row, _ = table(bot).play_unit(PairTask(0, 0, "a", "b"))
    assert "no server" in detail(row)
    assert forfeit(row) == (None if hook == "end" else "exception", "a")
    assert bot.process is not None
