"""Absurd numbers and texts in every option of every command: an error that names the place."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.main import COMMANDS
from arena.cli.options import Number
from tests.cli.conftest import Arena


def commands() -> Iterator[tuple[list[str], click.Command]]:
    def walk(words: list[str], command: click.Command) -> Iterator[tuple[list[str], click.Command]]:
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command, **command.context_settings)):
                found = command.get_command(click.Context(command, **command.context_settings), name)
                assert found is not None
                yield from walk([*words, name], found)
        else:
            yield words, command

    for name, entry in COMMANDS.items():
        module, function = entry.target.split(":")
        yield from walk([name], getattr(importlib.import_module(module), function))


OPTIONS = [
    (words, command, option)
    for words, command in commands()
    for option in command.params
    if isinstance(option, click.Option) and not option.is_flag and not option.count
]


def needed(command: click.Command) -> list[str]:
    """Arguments and options without which a command says so first."""
    found = []
    for param in command.params:
        if isinstance(param, click.Argument):
            found += ["first"] * (2 if param.nargs == -1 else 1 if param.required else 0)
    return found


def test_every_number_has_bounds() -> None:
    for words, _, option in OPTIONS:
        place = f"{' '.join(words)} {option.opts[0]}"
        assert option.type not in (click.INT, click.FLOAT), place
        assert not isinstance(option.type, click.IntRange | click.FloatRange), place
    assert sum(isinstance(option.type, Number) for _, _, option in OPTIONS) > 60


def test_an_absurd_number_is_refused_with_its_place(arena: Arena) -> None:
    """One option shows it, for all numbers are of one type."""
    for value in ("nan", "-1e999", "1" * 5000, "ten", "", "\x1b[2J"):
        found = arena("match", "first", "random", f"--games={value}", code=2)
        assert "--games" in found.err
        assert "expected a whole number from 1 to " in found.err
        assert len(found.err) < 600
        assert "\x1b" not in found.err
    assert not list(Path().iterdir())


def test_absurd_texts(arena: Arena) -> None:
    """What is no name of anything is an error in words, whatever it holds."""
    texts = ("\x1b[2J", "a\x00b", " ", "x" * 100_000)
    for words, command, option in OPTIONS:
        # commands that look at the machine, or would really write to such a folder, are not asked
        if isinstance(option.type, Number | click.Path | click.Choice) or words[0] in ("doctor", "bench", "check"):
            continue
        for text in texts:
            found = arena(*words, *needed(command), f"{option.opts[0]}={text}", code=None)
            assert found.code == 2 or not text.strip(), (words, option.opts, text)
            assert "\x1b" not in found.err
