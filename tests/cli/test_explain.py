"""`arena explain --file`: positions one per line or in a JSON list, however many there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Arena

EVAL = {"id": "E1", "kind": "eval", "cards": ["r1", "r2", "r3"]}
EXPECTED = EVAL | {"id": "E2", "expect": {"sum": 7}}


@pytest.mark.parametrize("text", ["{}\n\n{}\n", "[{}, {}]", '{{"positions": [\n{},\n{}]}}'])
def test_positions_are_answered_from_any_layout(arena: Arena, text: str) -> None:
    Path("p.json").write_text(text.format(json.dumps(EVAL), json.dumps(EXPECTED)))
    shown = arena("explain", "--file", "p.json").out.splitlines()
    assert shown == [
        'E1  category: "color_run", sum: 6',
        'E2  sum: 6   (expected {"sum": 7})',
        "",
        "0 of 1 as expected",
    ]
    values = [json.loads(line) for line in arena("explain", "--file", "p.json", "--json").out.splitlines()]
    assert [value["id"] for value in values] == ["E1", "E2"]


def test_a_file_may_be_larger_than_settings_are(arena: Arena) -> None:
    Path("p.jsonl").write_text((json.dumps(EXPECTED | {"reason": "x" * 500}) + "\n") * 10_000)
    assert arena("explain", "--file", "p.jsonl").out.endswith("\n0 of 10000 as expected\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.json is not JSON"),
        ("5", "one JSON object per line, or a list of them"),
        (json.dumps(EVAL) + "\n{bad", "p.json, line 2 is not JSON"),
        ("[" * 100_000, "p.json is not JSON"),
        (json.dumps(EVAL | {"cards": [1, None]}), "position E1: 1 is no card"),
    ],
)
def test_what_is_no_position_is_named(arena: Arena, text: str, message: str) -> None:
    Path("p.json").write_text(text)
    assert message in arena("explain", "--file", "p.json", code=2).err
