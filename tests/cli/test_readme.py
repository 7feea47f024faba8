"""The README names what exists, and everything that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli.main import COMMANDS

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_all_commands_are_there_and_no_others() -> None:
    table = TEXT[TEXT.index("| to | commands |") :].partition("\n\n")[0]
    listed = set(re.findall(r"`(?:arena )?([a-z]+)`", table))
    assert listed == set(COMMANDS)
    assert set(re.findall(r"`arena ([a-z]+)", TEXT)) | set(re.findall(r"^arena ([a-z]+) ", TEXT, re.M)) <= listed


def test_it_stays_short() -> None:
    assert TEXT.count("\n") <= 120


@pytest.mark.parametrize("link", re.findall(r"\]\(([^):]+)\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    assert (README.parent / link).exists()
