"""docs/internals/how-to-add.md is true: a copy of the package with one more of each works from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import arena

pytestmark = [pytest.mark.slow, pytest.mark.process]

Command: TypeAlias = Callable[..., str]

FORMAT = '''
"""Every bot meets the next one in the circle."""

from arena.tournament.formats.schedule import GAMES, Format
from arena.tournament.formats.round_robin import fixed_schedule


def _neighbours(design, settings):
    bots = design.bots
    return fixed_schedule(bots, zip(bots, (*bots[1:], bots[0])), design.games, design.paired)


CIRCLE = Format("circle", "every bot meets the next one", _neighbours, grows=GAMES)
'''
EXECUTOR = '''
"""One worker, however many were asked for."""

from dataclasses import replace

from arena.tournament.runner.executors import LocalExecutor


def single_executor(job, scheduler, sink):
    return LocalExecutor(replace(job, workers=1), scheduler, sink)
'''
OUTPUT = '''
"""The title of each table, and nothing else."""


def write_titles(report):
    return "".join(f"{table.title}!\\n" for table in report.tables)
'''
BORED = """
from arena.bots.bot import BotFault

def act(view, moves):
    if view.turns == 1:  # in the games that it begins
        raise BotFault("boredom", "this game is too long")
    return moves[0]
"""
#: By file: the new module, or where a line is added to one that is there.
NEW = {
    "tournament/formats/circle.py": FORMAT,
    "tournament/runner/single.py": EXECUTOR,
}
LINES = {
    "tournament/formats/__init__.py": [
        ("from arena.tournament.formats.schedule import", "from arena.tournament.formats.circle import CIRCLE\n"),
        ("    SPRT,\n", "    CIRCLE,\n"),
    ],
    "tournament/config.py": [
        (
            '    "local": ExecutorEntry',
            '    "single": ExecutorEntry("arena.tournament.runner.single:single_executor"),\n',
        )
    ],
    "endings.py": [("\n    def __new__", '    BOREDOM = "boredom", "forfeits for boredom"\n')],
    "results/formats.py": [("FORMATS: dict", OUTPUT), ('    "html": ', '    "titles": write_titles,\n')],
    "stats/field.py": [
        (
            "        table.append(row)\n    return pd.DataFrame(table)\n\n\ndef spread_row",
            '        row["drawn"] = row["draws"] / row["games"]\n',
        )
    ],
    "results/table.py": [('    "p_value": "p",\n', '    "drawn": "share",\n')],
}


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs `arena` of a package with one more of each, in a folder of its own; returns what it prints."""
    folder = tmp_path_factory.mktemp("more")
    original, package = Path(arena.__file__).parent, folder / "arena"
    for path in original.rglob("*"):
        copy = package / path.relative_to(original)
        if path.is_file() and "__pycache__" not in path.parts:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(path)
    for name, text in NEW.items():
        (package / name).write_text(text, encoding="utf-8")
    for name, lines in LINES.items():
        text = (original / name).read_text(encoding="utf-8")
        for before, line in lines:
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, line + before)
        (package / name).unlink()
        (package / name).write_text(text, encoding="utf-8")
    (folder / "bored.py").write_text(BORED, encoding="utf-8")

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "arena.cli.main", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_format_is_a_module_and_a_line(command: Command) -> None:
    play = ["tournament", "first", "random", "greedy", "three=first", "--format", "circle", "--seed", "1", "--json"]
    values = json.loads(command(*play, "--games", "2", "--out", "circle"))
    assert (values["format"], values["games_played"]) == ("circle", 8)
    values = json.loads(command("resume", "circle", "--games", "4", "--json"))
    assert (values["games_per_pairing"], values["games_played"]) == (4, 16)


def test_a_forfeit_kind_is_a_member_of_one_enum(command: Command) -> None:
    values = json.loads(
        command("match", "bored.py", "random", "--games", "2", "--seed", "1", "--out", "bored", "--json")
    )
    assert {row["bot"]: row["boredom"] for row in values["standings"]} == {"bored": 1, "random": 0}
    assert "boredom" in command("standings", "bored")


def test_an_executor_is_a_module_and_a_line(command: Command) -> None:
    play = ["match", "first", "random", "--games", "2", "--seed", "1", "--json", "--workers", "3"]
    single = json.loads(command(*play, "--executor", "single", "--out", "single"))
    local = json.loads(command(*play, "--out", "local"))
    assert {**single, "folder": "", "name": ""} == {**local, "folder": "", "name": ""}


def test_an_output_format_is_a_module_and_a_line(command: Command) -> None:
    command("match", "first", "random", "--games", "2", "--seed", "1", "--out", "titles")
    assert command("standings", "titles", "--print", "titles").endswith("!\n")


def test_a_statistic_column_is_in_every_output(command: Command, tmp_path: Path) -> None:
    command("match", "first", "random", "--games", "2", "--seed", "1", "--out", "drawn")
    values = json.loads(command("standings", "drawn", "--all", "--json"))
    assert [row["drawn"] for row in values["scores"]] == [row["draws"] / row["games"] for row in values["scores"]]
    assert "drawn %" in command("standings", "drawn", "--all", "--wide")
    command("standings", "drawn", "--all", "--csv", str(tmp_path))
    assert "drawn" in (tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
