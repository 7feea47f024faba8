"""Old names of commands and options are answered with the new ones."""

from __future__ import annotations

import re

import pytest

from arena.cli.main import COMMANDS, OLD_COMMANDS, OLD_OPTIONS
from tests.cli.conftest import Arena


@pytest.mark.parametrize("name", OLD_COMMANDS)
def test_an_old_command_names_its_successor(arena: Arena, name: str) -> None:
    new = OLD_COMMANDS[name].partition(" (")[0]
    assert f"Error: 'arena {name}' is now '{new}'" in arena(*name.split(), "some", "words", code=2).err
    assert new.split()[1] in COMMANDS


@pytest.mark.parametrize(("name", "option"), [(name, option) for name, olds in OLD_OPTIONS.items() for option in olds])
def test_an_old_option_names_its_successor(arena: Arena, name: str, option: str) -> None:
    new = OLD_OPTIONS[name][option].partition(" (")[0]
    assert f"'arena {name} {option}' is now '{new}'" in arena(*name.split(), "x", option, "4", code=2).err
    for known in re.findall(r"^--[\w-]+", new):
        assert known in arena(*name.split(), "--help").out
