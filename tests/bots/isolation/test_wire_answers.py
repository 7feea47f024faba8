"""What wire bots answer: which lines are taken, and how those that are not are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bots.isolation.wire_fakes import (
    SETUP,
    FakeProcess,
    Message,
    Recorder,
    fake_bot,
    fault,
    line,
    position,
    special_bot,
)


def test_a_move_is_named_by_its_text_or_its_place() -> None:
    view, moves = position()
    wanted: list[Any] = ["r", 5, 0, moves[7].text, len(moves) - 1]
    expected = [5, 0, 7, len(moves) - 1]
    bot = fake_bot(Recorder(lambda message: wanted.pop(0)))
    bot.prepare()
    bot.begin(SETUP)
    assert fault(lambda: bot.act(view, moves))[0] == "illegal move"
    assert [moves.index(bot.act(view, moves)) for _ in expected] == expected


@pytest.mark.parametrize(
    ("move", "text"),
    [
        ("claim 3", "claim 3 is not legal: a card must be played now"),
        ("r1@10", "'r1@10' is not a move; did you mean '"),
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
        (b"[]\n", "a list instead of an object"),
        (b'{"move":0}\n', 'has no "id"'),
        (b'{"id":"ID","move":0}\n', 'the "id" of the answer is a string'),
        (b'{"id":2,"move":0}\n', "answered the message with the id 2 instead of 3"),
        (b'{"id":ID}\n', 'has no "move"'),
        (b'{"id":ID,"move":0.0}\n', '"move" is a number with a fraction'),
        (b'{"id":ID,"move":0}{}\n', "not valid JSON (Extra data"),
        (b'{"id":ID,"move":NaN}\n', "not valid JSON"),
        (b'{"id":ID,"move":0,"x":' + b"9" * 5000 + b"}\n", "not valid JSON"),
        (b"[" * 60000 + b"\n", "not valid JSON"),
        (b'{"id":ID,"move":0,"x":"\xff"}\n', "not UTF-8 (byte 22)"),
        (b'{"id":ID,"move":0,"x":"\0"}\n', "a NUL"),
        (b'{"id":ID,"move":0,"x":"a\tb"}\n', "not valid JSON (Invalid control character"),
        (b'{"id":ID,"move":0,"x":"' + b"x" * 65536 + b'"}\n', "longer than 65536 bytes"),
        (b"x" * 200000, "longer than 65536 bytes"),
    ],
)
def test_what_is_no_answer_is_a_fault_of_the_protocol(answer: bytes, text: str) -> None:
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
    assert isinstance(process, FakeProcess)
    assert process.closed
    assert bot.process is None


@pytest.mark.parametrize(
    "answer",
    [
        b'{"id":3,"move":0}\r\n',
        b'\xef\xbb\xbf{"id":3,"move":0}\n',
        '{"id":3,"move":0,"say":"schön ☺"}\n'.encode(),
        b'{"id":3,"move":0,"say":"[[[[[[[[[[[[[[[[[[[[[[[ \\" [ \\\\"}\n',
        b'{"id":3,"move":0,"type":"act","why":{"x":[[[[[[[[[[[[[[1e5]]]]]]]]]]]]]],"y":-0.5}}\n',
        b'{"id":3,"move":0,"say":"' + b"x" * 65000 + b'"}\n',
    ],
)
@pytest.mark.parametrize("size", [7, 100000])
def test_what_is_an_answer_is_taken_however_it_comes(answer: bytes, size: int) -> None:
    view, moves = position()
    bot = special_bot(act=lambda message: [answer[at : at + size] for at in range(0, len(answer), size)])
    bot.prepare()
    bot.begin(SETUP)
    assert bot.act(view, moves) is moves[0]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({}, 'needs "protocol"'),
        ({"protocol": 1}, "speaks version 1 of the protocol; this program speaks 3"),
        ({"protocol": 3, "name": 3}, '"name" is a whole number'),
        ({"protocol": 3, "name": "x" * 101}, "up to 100 characters"),
        ({"protocol": 3, "auto_claim": 0}, '"auto_claim" is a whole number, not true or false'),
        ({"protocol": 3, "events": "yes"}, '"events" is a string'),
    ],
)
def test_hello_is_read_strictly(answer: Message, text: str) -> None:
    bot = special_bot(hello=lambda message: [line(id=message["id"], **answer)])
    kind, why = fault(bot.prepare)
    assert kind == "protocol"
    assert why.startswith("in hello: ")
    assert text in why
