"""Every option of every command changes what it does or is refused by name; if it looks, for every source."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from tests.cli.conftest import Arena, Result, arena
from tests.cli.league.conftest import played as league
from tests.cli.league.conftest import three

__all__ = ["arena", "league", "three"]  # fixtures
pytestmark = pytest.mark.process

BOTS = {"run": "random", "both": "random", "games.txt": "random", "open": "random v1"}
"""The sources, a run, a comparison, a file of records and a league, and a bot in each."""
FILTERS = {
    "--bot": ("", "--bot BOT"),
    "--against": ("--bot BOT", "--against OTHER"),
    "--won": ("--bot BOT", "--won"),
    "--lost": ("--bot BOT", "--lost"),
    "--forfeits": ("", "--forfeits"),
    "--deal": ("", "--deal 1"),
}
CHOSEN = {"--without": ("", "--without BOT"), "--only": ("", "--only BOT,OTHER")}
PRINTED = {"--print": ("", "--print csv"), "--json": ("", "--json")}
OPTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "standings": {
        "--all": ("", "--all"),
        "--error": ("--all", "--error 3"),
        "--prior": ("", "--prior 9"),
        "--adjusted": ("", "--adjusted"),
        "--versions": ("", "--versions"),
        "--csv": ("", "--csv tables"),
        **CHOSEN,
        **PRINTED,
    },
    "plot": {"--kind": ("", "--kind lengths"), "--out": ("", "--out other.svg")},
    "export": {
        "--all": ("--out .", "--all"),
        "--out": ("--records a.txt", "--out ."),
        "--records": ("--moves a.csv", "--records a.txt"),
        "--moves": ("--records a.txt", "--moves a.csv"),
        "--pgn": ("--records a.txt", "--pgn a.pgn"),
        **{option: (f"--records - {base}", words) for option, (base, words) in FILTERS.items()},
    },
    "report": {
        "--out": ("", "--out other.html"),
        "--replays": ("-o -", "--replays 1"),
        "--open": ("-o a.html", "--open"),
        "--prior": ("-o -", "--prior 9"),
        **{option: (f"-o - --replays 3 {base}", words) for option, (base, words) in {**FILTERS, **CHOSEN}.items()},
    },
    "replay": {
        "--limit": ("", "--limit 1"),
        "--record": ("", "--record"),
        "--json": ("", "--json"),
        "--out": ("GAME", "--out a.html"),
        "--open": ("GAME -o a.html", "--open"),
        **FILTERS,
    },
    "judge": {
        "--nodes": ("GAME --nodes 0", "--nodes 20"),
        "--out": ("GAME --nodes 0", "--out a.html"),
        "--open": ("GAME --nodes 0 -o a.html", "--open"),
        **{option: (f"GAME --nodes 0 {base}", words) for option, (base, words) in PRINTED.items()},
    },
    "rate": {
        "--prior": ("", "--prior 9"),
        "--anchor": ("", "--anchor BOT=100"),
        "--no-first-advantage": ("", "--no-first-advantage"),
        "--los": ("", "--los"),
        **CHOSEN,
        **PRINTED,
    },
    "verify": {"--json": ("", "--json")},
}
"""For each option what is compared: a command line without it, and the words that are added."""
GAMES = {
    "--games": "--games 4",
    "--rules": "--rules tactical",
    "--seed": "--seed 2",
    "--move-ms": "--move-ms 9000",
    "--deals": ("SEEDLESS", "--deals deals.txt"),
    "--error": "--error 9000",
    "--isolation": "--isolation process",
    "--out": "--out here",
    "--set": "--set clock.bank_ms=9000",
    "--dry-run": "--dry-run",
    "--again": "--again random",
    "--json": "--json",
    "--strict": ("bots/bad.py", "--strict"),
    "--quiet": ("LOUD", "--quiet"),
}
ELSEWHERE = {
    ("run", "--trust"): "for a folder of another user (test_run)",
    ("submit", "--trust"): "the same",
    ("league work", "--trust"): "the same",
    ("league work", "--play"): "goes on until Ctrl-C (tests/league)",
    ("submit", "--server"): "needs a server (tests/web)",
    ("standings", "--server"): "the same",
    ("compare", "--json"): "as of standings, on every table",
    ("play", "--plain"): "there is no terminal here (tests/terminal)",
    ("check", "--strict"): "for bots with warnings (test_check)",
    **{
        (command, "--workers"): "makes no difference, except in time"
        for command in ("run", "match", "tournament", "compare", "sprt", "ladder", "submit", "league work", "tune")
    },
    **{
        (command, "--scheduler"): "needs a cluster (tests/tournament/runner)"
        for command in ("run", "match", "tournament", "compare", "sprt")
    },
    **{
        ("serve", option): "needs a server (tests/web)"
        for option in (
            "--host",
            "--port",
            "--workers",
            "--play",
            "--secure",
            "--upload-mb",
            "--tables",
            "--guests",
            "--isolation",
        )
    },
    **{
        ("tune", option): "needs Optuna (tests/lab)"
        for option in (
            "--param",
            "--against",
            "--trials",
            "--games",
            "--confirm",
            "--rules",
            "--seed",
            "--move-ms",
            "--out",
            "--json",
        )
    },
}
"""Options that are not tried here, with the reason."""


def cases() -> Iterator[Any]:
    for command, options in OPTIONS.items():
        marks = [pytest.mark.slow] if command == "report" else []
        for option, source in product(options, BOTS):
            yield pytest.param(command, option, source, marks=marks)


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


@pytest.mark.parametrize(("command", "option", "source"), [*cases()])
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
        given = [word.replace("GAME", game) for word in words.split()]
        given = [word.replace("BOT", BOTS[source]).replace("OTHER", other) for word in given]
        result = arena(command, source, *given, code=None)
        new = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and path not in before}
        for path in new:
            path.unlink()
        return result, list(shown), new

    base, added = OPTIONS[command][option]
    without, with_it = done(base), done(f"{base} {added}")
    assert source != "run" or without[0].code == 0
    if with_it[0].code == 2:
        refused = without[0].code == 2 and with_it == without  # the source itself
        assert refused or option in with_it[0].err
    else:
        assert with_it != without, "nothing changed"
