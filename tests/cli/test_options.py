"""Every option of every command changes what it does or is refused by name; if it looks, for every source."""

from __future__ import annotations

import io
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli.main import main
from arena.tournament.store.sqlite import DATABASE
from tests.cli.conftest import Arena, Result, arena, commands, content
from tests.cli.league.conftest import no_check, three
from tests.cli.league.conftest import played as league

__all__ = ["arena", "league", "no_check", "three"]  # fixtures
pytestmark = pytest.mark.process

BOTS = {"run": "random", "both": "random", "games.txt": "random", "open": "random v1"}
"""The sources, a run, a comparison, a file of records and a league, and a bot in each."""
SLOW = ("run", "match", "tournament", "compare", "sprt", "check", "ladder", "report")


def read_table() -> tuple[dict[str, dict[str, tuple[str, str]]], set[tuple[str, str]]]:
    """Return for each option of a command the line without it and what is added; and the options not tried."""
    tried: dict[str, dict[str, tuple[str, str]]] = {}
    others: set[tuple[str, str]] = set()
    name = base = ""
    for line in Path(__file__).with_name("options.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name, _, base = (part.strip() for part in line[1:].partition("]"))
            tried[name] = {}
        elif line.startswith("    "):
            added, reason, _ = line.partition("#")
            added, _, other = (part.strip() for part in added.partition("|"))
            if reason:
                others.add((name, added))
            else:
                tried[name][added.split()[0]] = (other or base, added)
    return tried, others


TRIED, ELSEWHERE = read_table()
LOOKING = [name for name, options in TRIED.items() if any("SOURCE" in base for base, _ in options.values())]


def cases(looking: bool) -> Iterator[Any]:
    for name, options in TRIED.items():
        marks = [pytest.mark.slow] if name in SLOW else []
        for option, source in product(options, BOTS if looking else ("",)):
            if (name in LOOKING) == looking:
                yield pytest.param(name, option, *[source] * looking, marks=marks)


def test_every_option_is_tested() -> None:
    for words, command in commands():
        name = " ".join(words)
        options = {max(param.opts, key=len) for param in command.params if isinstance(param, click.Option)}
        tried = {*TRIED.get(name, ())}
        others = {option for other, option in ELSEWHERE if other == name}
        assert "" in others or options == tried | others, name


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, a comparison and a file of records, which tests must not change."""
    folder = tmp_path_factory.mktemp("stored")
    play = ("--games", "6", "--rules", "tactical", "--seed", "7", "--workers", "1", "--quiet", "--out")
    assert main(["tournament", "random", "first", "greedy", *play, str(folder / "run")]) == 0
    both = ("--variants", "base,tactical", *play[:2], *play[4:])
    assert main(["compare", "random", "first", "greedy", *both, str(folder / "both")]) == 0
    assert main(["export", str(folder / "run"), "--records", str(folder / "games.txt")]) == 0
    return folder


@pytest.mark.parametrize(("command", "option", "source"), [*cases(looking=True)])
def test_an_option_changes_something_or_is_refused(
    arena: Arena,
    stored: Path,
    command: str,
    option: str,
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if source == "open":
        request.getfixturevalue("league")
    monkeypatch.setenv("COLUMNS", "60")  # where tables hide columns
    shown: list[str] = []
    monkeypatch.setattr("click.launch", shown.append)
    game = {"open": "1", "both": "base/1"}.get(source, "1")
    other = BOTS[source].replace("random", "first")

    def done(words: str) -> tuple[Result, list[str], dict[Path, bytes]]:
        for path in (Path("run"), Path("both"), Path("games.txt")):
            shutil.rmtree(path, ignore_errors=True)
            if source == str(path):
                (shutil.copy if path.suffix else shutil.copytree)(stored / path, path)
        shown.clear()
        before = {path for path in Path().rglob("*") if path.is_file()}
        given = [word.replace("GAME", game).replace("SOURCE", source) for word in words.split()]
        given = [word.replace("BOT", BOTS[source]).replace("OTHER", other) for word in given]
        result = arena(*given, code=None)
        new = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and path not in before}
        for path in new:
            path.unlink()
        return result, list(shown), new

    base, added = TRIED[command][option]
    without, with_it = done(base), done(f"{base} {added}")
    assert source != "run" or without[0].code == 0
    if with_it[0].code == 2:
        refused = without[0].code == 2 and with_it == without  # the source itself
        assert refused or option in with_it[0].err
    else:
        assert with_it != without, "nothing changed"
        assert "--json" not in added or content(with_it[0].out)


@pytest.fixture(scope="module")
def workplace(stored: Path, three: Path) -> Path:
    """A folder with bots, tournaments, runs and leagues, which tests must not change."""
    folder = stored.parent / f"{stored.name}-work"
    shutil.copytree(stored, folder)
    shutil.copytree(three, folder, dirs_exist_ok=True)
    shutil.copytree(folder / "leagues" / "open", folder / "leagues" / "second")
    shutil.rmtree(folder / "bots")
    bad = "def act(view, moves):\n    return moves[0] if view.seat else 1 / 0\n"
    for file, text in {
        "bots/mine.py": "def act(view, moves):\n    return moves[len(moves) // 2]\n",
        "bots/bad.py": bad,
        "three.toml": 'bots = ["random", "first", "greedy"]\nseed = 1\n',
        "cup.toml": 'bots = ["first", "random"]\ngames = 2\nseed = 1\n',
        "bad.toml": 'bots = ["bots/bad.py", "random"]\ngames = 2\nseed = 1\n',
        "configs/ladder.toml": 'bots = ["random", "greedy"]\nseed = 1\n',
        "league.toml": 'rules = "expert"\n',
        "deals.txt": "3:1\n3:2\n",
    }.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        once = ("--seed", "1", "--workers", "1", "--quiet", "--out")
        assert main(["match", "first", "random", "--games", "2", *once, "pair"]) == 0
        assert main(["sprt", "first", "random", "--max-pairs", "2", *once, "test"]) == 4
    return folder


def stored_text(path: Path) -> str:
    """The settings of a run, the record of a game; nothing else, since times differ."""
    if path.name == DATABASE:
        with closing(sqlite3.connect(path)) as database:
            return str(database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone())
    return path.read_text(encoding="utf-8") if path.parent.name == "games" else ""


@pytest.mark.usefixtures("no_check")
@pytest.mark.parametrize(("name", "option"), [*cases(looking=False)])
def test_an_option_of_another_command_changes_something_or_is_refused(
    arena: Arena, workplace: Path, name: str, option: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    base, added = TRIED[name][option]
    shown: list[str] = []
    monkeypatch.setattr("click.launch", shown.append)

    def done(number: int, words: str) -> tuple[Result, list[str], dict[Path, str]]:
        place = tmp_path / str(number)
        shutil.copytree(workplace, place)
        monkeypatch.chdir(place)
        monkeypatch.setattr("sys.stdin", io.StringIO())
        shown.clear()
        result = arena(*words.split(), code=None)
        files = {path.relative_to(place): stored_text(path) for path in place.rglob("*") if path.is_file()}
        return result, list(shown), files

    without, with_it = done(1, base), done(2, f"{base} {added}")
    if with_it[0].code == 2:
        assert option in with_it[0].err
    else:
        assert with_it != without, "nothing changed"
        assert "--json" not in added or content(with_it[0].out)
