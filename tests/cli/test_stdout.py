"""With `-`, standard output holds the data and nothing else: the bytes that a file would hold."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from arena.cli.options import PathOption
from tests.cli.conftest import Arena, commands

LINES = {
    "export --records": ("export RUN --all --out tables --records -", "{}.txt"),
    "export --moves": ("export RUN --records other.txt --moves -", "{}.csv"),
    "export --pgn": ("export RUN --out tables --pgn -", "{}.pgn"),
    "report --out": ("report RUN --replays 1 --out -", "{}.html"),
    "plot --out": ("plot RUN --out -", "{}.svg"),
    "replay --out": ("replay RUN 1 --out -", "{}.html"),
    "judge --out": ("judge RUN 1 --nodes 0 --out -", "{}.html"),
}
"""For each option that takes `-` for standard output a line, and the name of a file in the place of `-`."""
READING = {"match --deals", "run --deals", "tournament --deals"}
"""Options that take `-` for standard input."""


def test_every_option_that_takes_a_dash_is_tried() -> None:
    found = set()
    for words, command in commands():
        for param in command.params:
            if isinstance(param, click.Option) and isinstance(param.type, PathOption) and param.type.allow_dash:
                found.add(f"{' '.join(words)} {max(param.opts, key=len)}")
    assert found - READING == {*LINES}


@pytest.mark.parametrize("option", LINES)
def test_a_dash_gives_the_bytes_of_the_file(arena: Arena, played: Path, option: str) -> None:
    line, name = LINES[option]
    words = line.replace("RUN", str(played)).split()
    printed = arena(*words).out
    file = name.format("one")
    found = arena(*(file if word == "-" else word for word in words))
    assert printed.encode() == Path(file).read_bytes()
    assert found.out == "" or option.startswith("export")


def test_records_that_are_printed_can_be_read_at_once(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("games.txt").write_text(arena("export", played, "--all", "--out", "tables", "--records", "-").out)
    assert arena("verify", "games.txt").out.startswith("30 games replayed")
