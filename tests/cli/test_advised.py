"""Every command that the program advises works, whatever it is about: a run, a comparison, records or a league."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

from arena.paths import data_folder
from tests.cli.conftest import Arena
from tests.cli.league.conftest import QUICK, no_check

__all__ = ["no_check"]  # a fixture
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("no_check")]

COMMAND = re.compile(r"(?<=')arena [a-z]+ [^\n']*|(?<!')arena [a-z]+ (?:'[^'\n]*'|[^\n<';(),]|,(?! ))*")
PLACEHOLDER = re.compile(r"\b(RUN|FOLDER|DIR|GAME|NAME|BOT|N)\b|\.\.\.|\[|run\.toml")
QUICKLY = {
    "run": "--dry-run",
    "match": "--dry-run",
    "sprt": "--dry-run",
    "check": "--games 2 --rules base --isolation process",
    "submit": "--workers 1",
    "create": "--set isolation=none",
    "work": "--max-games 0 --workers 1",
}
FAULTY = """
def act(view, moves):
    if view.turns > 3 and len(moves) % 5 == 1:
        raise ValueError
    return moves[0]
"""
DEAD = "def act(view, moves):\n    raise ValueError\n"
LAST = "def act(view, moves):\n    return moves[-1]\n"
FIELDS = {
    "match": "match mine.py random --games 4",
    "lost": "match faulty.py greedy --games 24",
    "dead": "match dead.py greedy --games 4",
    "round-robin": "tournament mine.py faulty.py random --games 24",
    "swiss": "tournament mine.py faulty.py random --games 4 --format swiss",
    "knockout": "tournament mine.py faulty.py random --games 4 --format knockout",
    "gauntlet": "tournament mine.py faulty.py random --games 4 --format gauntlet",
    "series": "tournament mine.py faulty.py random --format series",
    "sprt": "sprt mine.py random --max-pairs 4",
    "comparison": "compare mine.py faulty.py random --variants base,expert --games 4",
}
LOOK = ("standings run", "standings run --all", "rate run", "standings run --versions", "report run --replays 0 -o -")
OF_LEAGUE = (
    *("standings LEAGUE", "league history LEAGUE", "league"),
    *("submit mine.py --league LEAGUE", "standings LEAGUE", "run LEAGUE"),
    *("submit faulty.py --league LEAGUE", "submit strong.py --league LEAGUE --author Ann"),
    *("standings LEAGUE", "standings LEAGUE faulty", "standings LEAGUE --all", "standings LEAGUE --versions"),
    *("rate LEAGUE", "replay LEAGUE", "report LEAGUE --replays 0 -o -", "league create open --out LEAGUE"),
    *("league retire LEAGUE faulty", "submit faulty.py --league LEAGUE"),
    *("league people LEAGUE --set budget.disk_mb=1 --set budget.author_mb=1", "submit large.py --league LEAGUE"),
    *("league pause LEAGUE", "submit random --league LEAGUE", "league people LEAGUE"),
)
REFUSED = (
    *("standings latest", "standings nowhere", "runs", "submit mine.py", "league history open", "run games/x.txt"),
    *("compare mine.py random", "sprt random", "play nowhere.txt", "explain", "debug mine.py latest"),
    *("check faulty.py --rules base --games 2 --isolation process", "rules --learn"),
)


def advised(texts: Iterable[str]) -> list[str]:
    """Return the commands that texts advise, without those with words such as RUN or a file to be written."""
    found = {command.strip().rstrip(".") for text in texts for command in COMMAND.findall(text)}
    return sorted(command for command in found if not PLACEHOLDER.search(command))


def write_bots() -> None:
    strong = (data_folder("bots") / "greedy.py").read_text(encoding="utf-8")
    large = f"{LAST}\n# {'x' * 2**20}"
    for name, text in {"mine": LAST, "dead": DEAD, "faulty": FAULTY, "strong": strong, "large": large}.items():
        Path(f"{name}.py").write_text(text)
    Path("bots").mkdir()
    Path("bots/mine.py").write_text(LAST)


def said(arena: Arena, *lines: str) -> list[str]:
    results = [arena(*line.split(), code=None) for line in lines]
    return [html.unescape(text) for result in results for text in (result.out, result.err)]


def check_advice(arena: Arena, texts: Iterable[str]) -> None:
    """Give the commands that texts advise."""
    commands = advised(texts)
    assert commands
    for command in commands:
        words = shlex.split(command)[1:]
        if "--play" in words:
            words.remove("--play")  # until Ctrl-C
        more = QUICKLY.get(words[1] if words[0] == "league" else words[0], "")
        found = arena(*words, *more.split(), code=None)
        assert found.code in (0, 1, 3, 4), (command, found.err)


@pytest.mark.parametrize("field", FIELDS)
def test_what_is_advised_of_a_run_is_not_refused(arena: Arena, field: str) -> None:
    write_bots()
    arena("league", "create", "open", *QUICK)
    told = said(arena, f"{FIELDS[field]} --seed 3 --workers 1 --out run --quiet", *LOOK)
    if field == "comparison":
        told += said(arena, "compare --from run")
    else:
        told += said(arena, "export run --records games.txt", "standings games.txt")
    assert field != "dead" or "arena check dead.py" in "".join(told)
    check_advice(arena, told)


@pytest.mark.parametrize("folder", ["leagues/open", "my leagues/first"])
def test_what_is_advised_of_a_league_is_not_refused(arena: Arena, folder: str) -> None:
    write_bots()
    told = [arena("league", "create", "open", *QUICK, "--out", folder).out]
    for line in OF_LEAGUE:
        result = arena(*(folder if word == "LEAGUE" else word for word in line.split()), code=None)
        told += [html.unescape(result.out), result.err]
    check_advice(arena, told)


def test_what_is_advised_instead_of_what_is_refused_is_not_refused(arena: Arena) -> None:
    write_bots()
    check_advice(arena, said(arena, *REFUSED))
