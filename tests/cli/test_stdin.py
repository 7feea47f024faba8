"""`-` is a file on standard input; messages call it by that name."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Arena

Given = Callable[[str | bytes], None]
CUP = 'bots = ["random", "first"]\ngames = 2\nseed = 1\nworkers = 1\n'


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    """Return a function that gives the next command its standard input."""

    def give(data: str | bytes) -> None:
        raw = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    return give


@pytest.mark.process
def test_run_reads_settings(arena: Arena, given: Given) -> None:
    for err in ("", "All 2 games were played before, seed 1.\n"):
        given(CUP)
        found = arena("run", "-", "-q")
        assert found.out.startswith("random-first: round-robin")
        assert err in found.err
    assert len([*Path("results").iterdir()]) == 1
    given(CUP + 'name = "mine"\n')
    arena("run", "-", "-q")
    assert (Path("results") / "mine").is_dir()


@pytest.mark.parametrize(
    ("data", "command", "message"),
    [
        ("bots = 3", ("run", "-"), "standard input: bots: expected a list of bots, found the number 3"),
        (b"\xff", ("run", "-"), "standard input: not valid UTF-8"),
        ("first,second,score\na,b,3\n", ("rate", "-"), "standard input, line 2: score is '3'"),
        ("", ("replay", "-"), "standard input is empty; expected one record per line"),
        ("schotten/1 base 1:0 11; r2@10; * 0-0\n" * 2, ("standings", "-"), "standard input, line 1: record, move 1"),
        ("# 1:1", ("match", "first", "random", "--deals", "-"), "--deals standard input: no deals in it"),
    ],
)
def test_messages_name_standard_input(
    arena: Arena, given: Given, data: str | bytes, command: tuple[str, ...], message: str
) -> None:
    given(data)
    assert message in arena(*command, code=2).err


def test_records_are_read(arena: Arena, given: Given, played: Path) -> None:
    records = arena("export", played, "--records", "-").out
    wanted = json.loads(arena("rate", played, "--json").out)["ratings"]
    for data in (records, gzip.compress(records.encode()), arena("export", played, "--pgn", "-").out):
        given(data)
        assert json.loads(arena("rate", "-", "--json").out)["ratings"] == wanted
    given(records)
    assert arena("replay", "-").out.startswith("standard input holds 30 games. See one with: arena replay - GAME\n")
    assert arena("replay", "-", 3, "--record").out == arena("replay", played, 3, "--record").out
    assert "standard input has no line 31; it holds 30 records" in arena("replay", "-", 31, code=2).err
    assert arena("verify", "-").out == "30 games replayed, all with their stored results.\n"
    given(records.splitlines()[0])
    assert arena("replay", "-", "--json").out == arena("replay", records.splitlines()[0], "--json").out
