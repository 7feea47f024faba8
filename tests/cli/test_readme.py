"""The README names what exists, and everything that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli.main import COMMANDS
from tests.cli.conftest import Arena

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_all_commands_are_there_and_no_others() -> None:
    table = TEXT[TEXT.index("## Commands") :]
    named = set(re.findall(r"`arena ([a-z]+)", TEXT)) | set(re.findall(r"arena ([a-z]+) [a-z/]", TEXT))
    assert named - set(COMMANDS) == set()
    for name in COMMANDS:
        assert f"`{name}`" in table or f"`arena {name}" in table, name


def test_options_of_match_exist(arena: Arena) -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith("| `arena match"))
    options = re.findall(r"`(--[a-z-]+)`", row)
    assert options
    shown = arena("match", "--help").out
    for option in options:
        assert option in shown


def test_named_tournaments_exist_in_the_configs() -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith("| `arena run"))
    names = re.findall(r"`([a-z]+)`", row)
    assert names
    for name in names:
        assert (README.parent / "configs" / f"{name}.toml").is_file()


@pytest.mark.parametrize("link", re.findall(r"\]\(([^):]+)\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    if link == "ARCHITECTURE.md" and not (README.parent / link).exists():
        pytest.skip("not written yet")
    assert (README.parent / link).exists()
