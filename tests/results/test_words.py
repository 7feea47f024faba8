"""What is said of figures: who leads, whether that is shown, and commands that work."""

from __future__ import annotations

import html
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.results.run_data import read_run
from arena.results.run_standings import RunStandings, standings
from arena.results.words import findings, next_command
from arena.stats.ratings import Difference
from tests.cli.conftest import Arena, arena  # noqa: F401
from tests.results.synthetic import store_run


def led_by(folder: Path, elo: float, error: float, units: int = 5, **settings: Any) -> RunStandings:
    """Return the standings of a run in which a leads b by `elo`."""
    run = store_run(folder, {"bots": ["greedy", "random"], "games": 10, **settings}, units=units)
    rows = [{"bot": bot, "games": 9, "losses": 2, "forfeits": 0} for bot in "ab"]
    lead = Difference(elo, error, error)
    return replace(standings(read_run(run)), rows=rows, lead=lead, head_to_head=None)


@pytest.mark.parametrize(
    ("gap", "error", "said", "advised"),
    [
        (50.0, 20.0, "Shown (95%): b is 50 ± 20 Elo behind a.", "--bot a --lost"),
        (20.0, 40.0, "Not shown (95%): b is 20 ± 40 Elo behind a.", "--games 82"),
        (0.1, 40.0, "Not shown (95%): b is 0 ± 40 Elo behind a.", "than is practical."),
        (0.0, 40.0, "Not shown (95%): a is placed ahead of b, but not by the ratings.", ""),
        (math.nan, math.nan, "There are too few deals to show that a is ahead of b: play more games.", ""),
    ],
)
def test_whether_the_first_place_is_shown(tmp_path: Path, gap: float, error: float, said: str, advised: str) -> None:
    found = led_by(tmp_path / "run", gap, error)
    assert findings(found) == [said]
    assert next_command(found).endswith(advised)
    assert bool(next_command(found)) == bool(advised)


@pytest.mark.parametrize("settings", [{"format": "swiss"}, {"format": "knockout"}, {"deals": ["1:2", "1:3"]}])
def test_a_run_that_cannot_grow_by_games_is_not_told_to(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert next_command(led_by(tmp_path / "run", 20.0, 40.0, games=4, **settings)) == ""


@pytest.mark.parametrize(
    ("units", "advised"), [(5, ""), (2, "the same 'arena compare' again plays what is left, 6 games")]
)
def test_a_variant_is_not_told_to_grow_alone(tmp_path: Path, units: int, advised: str) -> None:
    assert advised in next_command(led_by(tmp_path / "run", 20.0, 40.0, units=units), is_variant=True)


# ---------------------------------------------------------------- every command that is advised

COMMAND = re.compile(r"arena (?:replay|standings|run|report|match|sprt|check|submit|league|rate|export)[ ][^\n<';]*")
QUICKLY = {
    "run": ["--dry-run"],
    "match": ["--dry-run"],
    "sprt": ["--dry-run"],
    "check": ["--games", "2", "--rules", "base", "--isolation", "process"],
}
FAULTY = """
def act(view, moves):
    if view.turns > 3 and len(moves) % 5 == 1:
        raise ValueError
    return moves[0]
"""
FIELDS: dict[str, tuple[str, ...]] = {
    "match": ("match", "mine.py", "random", "--games", "4"),
    "lost": ("match", "faulty.py", "greedy", "--games", "24"),
    "round-robin": ("tournament", "mine.py", "faulty.py", "random", "--games", "24"),
    "swiss": ("tournament", "mine.py", "faulty.py", "random", "--games", "4", "--format", "swiss"),
    "knockout": ("tournament", "mine.py", "faulty.py", "random", "--games", "4", "--format", "knockout"),
    "gauntlet": ("tournament", "mine.py", "faulty.py", "random", "--games", "4", "--format", "gauntlet"),
    "series": ("tournament", "mine.py", "faulty.py", "random", "--format", "series"),
    "sprt": ("sprt", "mine.py", "random", "--max-pairs", "4"),
    "comparison": ("compare", "mine.py", "faulty.py", "random", "--variants", "base,expert", "--games", "4"),
}


def advised(text: str) -> set[str]:
    """Return the commands that a text advises, without those with words such as RUN or a file to be written."""
    found = {command.strip().rstrip(".") for command in COMMAND.findall(text)}
    return {
        command for command in found if not re.search(r"\b(RUN|FOLDER|DIR|GAME|NAME|BOT)\b|\.\.\.|run\.toml", command)
    }


@pytest.mark.process
@pytest.mark.parametrize("field", FIELDS)
def test_what_is_advised_is_not_refused(arena: Arena, field: str) -> None:  # noqa: F811
    Path("mine.py").write_text("def act(view, moves):\n    return moves[-1]\n")
    Path("faulty.py").write_text(FAULTY)
    played = arena(*FIELDS[field], "--seed", 3, "--workers", 1, "--out", "run", "--quiet", code=None)
    told = [played.out, played.err]
    if field != "comparison":
        arena("export", "run", "--records", "games.txt")
        told.append(arena("standings", "games.txt", code=None).out)
    else:
        told.append(arena("compare", "--from", "run", code=None).out)
    for command in (
        ("standings", "run"),
        ("standings", "run", "--all"),
        ("rate", "run"),
        ("standings", "run", "--versions"),
    ):
        told.append(arena(*command, code=None).out)
    told.append(html.unescape(arena("report", "run", "--replays", 0, "-o", "-", code=None).out))
    commands = advised("\n".join(told))
    assert commands
    arena("league", "create", "open", "--set", "isolation=none", "--out", "open")
    for command in commands:
        _, name, *words = shlex.split(command)
        if name == "submit":
            continue  # to a league of the user's choice
        found = arena(name, *words, *QUICKLY.get(name, []), code=None)
        assert found.code in (0, 1, 3, 4), (command, found.err)
