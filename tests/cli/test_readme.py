"""The README names what exists, and everything that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli.main import COMMANDS, main
from tests.attacks.runs import needs_sandbox

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_all_commands_are_there_and_no_others() -> None:
    told = TEXT[TEXT.index("Commands play (") :].partition("`arena COMMAND")[0]
    listed = set(re.findall(r"`(?:arena )?([a-z]+)`", told))
    assert listed == set(COMMANDS)
    assert set(re.findall(r"`arena ([a-z]+)", TEXT)) | set(re.findall(r"^arena ([a-z]+) ", TEXT, re.M)) <= listed


@pytest.mark.soak
@pytest.mark.sandbox
@needs_sandbox
def test_the_league_gives_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Followed by the letter, from the bot that `arena new` writes."""
    monkeypatch.chdir(tmp_path)
    block = TEXT[TEXT.index("arena league create") :].partition("```")[0]
    lines = [line for line in re.split(r"\n| && ", block) if line.startswith(("arena league", "arena submit"))]
    assert len(lines) == 4
    for line in ["arena new mybot", *lines]:
        assert main(line.split()[1:]) == 0, capsys.readouterr().err
    table = capsys.readouterr().out.rpartition("open: rules base")[2]
    assert re.search(r"^ +\d +mybot +Ann +1 +[+-]\d+ +\d+ +new +100 ", table, re.M), table
    assert not re.search(r" - +- ", table)
