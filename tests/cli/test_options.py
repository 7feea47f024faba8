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
from tests.cli.conftest import Arena, Result, arena, commands
from tests.cli.league.conftest import no_check, three
from tests.cli.league.conftest import played as league

__all__ = ["arena", "league", "no_check", "three"]  # fixtures
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

PLAY, QUIET = "--games 2 --seed 1 --workers 1", "--quiet"
GAMES = {
    "--games": "--games 4",
    "--rules": "--rules tactical",
    "--seed": "--seed 2",
    "--move-ms": "--move-ms 9000",
    "--error": "--error 9000",
    "--isolation": "--isolation process",
    "--out": "--out here",
    "--set": "--set clock.bank_ms=9000",
    "--dry-run": "--dry-run",
    "--json": "--json",
}
THREE = f"random first greedy --workers 1 {QUIET}"
PAIR, FIELD = f"match first random {PLAY}", f"tournament first random bots/bad.py {PLAY} {QUIET}"
VARIANTS = f"compare first random --variants base,tactical {PLAY}"
TEST = "sprt first random --max-pairs 2 --seed 1 --workers 1"
CLAIM = "explain --mine r1,r2,r3 --theirs b2,b3"
TRIED: dict[str, tuple[str, dict[str, str | tuple[str, str]]]] = {
    "run": (
        f"run cup.toml --workers 1 {QUIET}",
        {
            **GAMES,
            "--deals": "--deals deals.txt",
            "--again": ("run pair --workers 1", "--again random"),
            "--bot": (f"run three.toml --workers 1 --error 9000 {QUIET}", "--bot random"),
            "--strict": ("run bad.toml --workers 1", "--strict"),
            "--quiet": ("run cup.toml --workers 1", QUIET),
        },
    ),
    "match": (
        f"{PAIR} {QUIET}",
        {
            **GAMES,
            "--deals": (f"match first random --workers 1 {QUIET}", "--deals deals.txt"),
            "--again": (f"{PAIR} {QUIET} -o pair", "--again random"),
            "--strict": (f"match bots/bad.py random {PLAY} {QUIET}", "--strict"),
            "--quiet": (PAIR, QUIET),
        },
    ),
    "tournament": (
        FIELD,
        {
            **GAMES,
            "--deals": (f"tournament first random --workers 1 {QUIET}", "--deals deals.txt"),
            "--format": "--format swiss",
            "--hero": (f"{FIELD} --format gauntlet", "--hero random"),
            "--rounds": (f"{FIELD} --format swiss", "--rounds 1"),
            "--matches": (f"tournament first random --format series --workers 1 --seed 1 {QUIET}", "--matches 2"),
            "--exclude": (f"tournament bots first random {PLAY} {QUIET}", "--exclude bots/bad.py"),
            "--again": (f"tournament first random {PLAY} -o pair", "--again random"),
            "--bot": (f"tournament {THREE} --error 9000", "--bot random"),
            "--strict": "--strict",
            "--quiet": (f"tournament first random {PLAY}", QUIET),
        },
    ),
    "compare": (
        f"{VARIANTS} {QUIET}",
        {
            **{option: words for option, words in GAMES.items() if option != "--rules"},
            "--variants": "--variants expert",
            "--baseline": "--baseline expert",
            "--from": "--from run",
            "--exclude": (
                f"compare bots first random --variants base,tactical {PLAY} {QUIET}",
                "--exclude bots/bad.py",
            ),
            "--again": (f"compare {THREE} --games 6 --variants base,tactical -o both --dry-run", "--again random"),
            "--bot": (f"compare {THREE} --variants base,tactical --error 9000", "--bot random"),
            "--strict": (f"compare bots/bad.py random --variants base,tactical {PLAY}", "--strict"),
            "--quiet": (VARIANTS, QUIET),
            "--csv": "--csv tables",
            "--print": "--print csv",
        },
    ),
    "sprt": (
        f"{TEST} {QUIET}",
        {
            **{option: words for option, words in GAMES.items() if option not in ("--games", "--error")},
            "--elo0": "--elo0 -5",
            "--elo1": "--elo1 50",
            "--alpha": "--alpha 0.01",
            "--beta": "--beta 0.01",
            "--adjusted": "--adjusted",
            "--max-pairs": "--max-pairs 3",
            "--again": (f"{TEST} -o test", "--again random"),
            "--strict": (f"sprt bots/bad.py random --max-pairs 2 --seed 1 --workers 1 {QUIET}", "--strict"),
            "--quiet": (TEST, QUIET),
        },
    ),
    "play": (
        "play first random --seed 1 --isolation none",
        {
            "--rules": "--rules tactical",
            "--seed": "--seed 2",
            "--begin": ("play first --seed 1 --begin you", "--begin bot"),
            "--claims": ("play first --seed 1 --begin you", "--claims"),
            "--from": ("play first --seed 1", "--from run 1 3"),
            "--open": "--open",
        },
    ),
    "ladder": (
        f"ladder first --games 2 --workers 1 {QUIET}",
        {
            "--rules": "--rules tactical",
            "--games": "--games 4",
            "--isolation": "--isolation process",
            "--strict": (f"ladder bots/bad.py --games 2 --workers 1 {QUIET}", "--strict"),
            "--quiet": ("ladder first --games 2 --workers 1", QUIET),
        },
    ),
    "runs": (
        "runs .",
        {
            "--limit": "--limit 1",
            "--prune": ("runs . --limit 1", "--prune --yes"),
            "--trim": ("runs", "--trim run --yes"),
            "--yes": ("runs . --limit 1 --prune", "--yes"),
            "--print": "--print csv",
            "--json": "--json",
        },
    ),
    "league create": (
        "league create other --set isolation=none",
        {
            "--config": "--config league.toml",
            "--set": "--set rules=tactical",
            "--rules": "--rules tactical",
            "--move-ms": "--move-ms 50",
            "--out": "--out here",
        },
    ),
    "league people": (
        "league people open",
        {"--invite": "--invite Ann", "--set": "--set budget.bots=3", "--json": "--json"},
    ),
    "league history": (
        "league history open",
        {"--log": "--log", "--limit": "--limit 1", "--at": "--at 2", "--print": "--print csv", "--json": "--json"},
    ),
    "league work": (
        "league work open --max-games 2 --workers 1",
        {"--max-games": "--max-games 4", "--json": "--json", "--play": "--play"},
    ),
    "submit": (
        "submit bots/mine.py --workers 1 --league open",
        {
            "--league": ("submit bots/mine.py --workers 1", "--league open"),
            "--author": "--author Ann",
            "--folder": ("submit mine.py --workers 1 --league open", "--folder bots"),
            "--json": "--json",
        },
    ),
    "new": (
        "new other",
        {"--workspace": "--workspace w", "--repository": ("new --workspace w", "--repository"), "--llm": "--llm"},
    ),
    "check": (
        "check first --rules base --games 2 --isolation none --seed 1",
        {
            "--rules": "--rules tactical",
            "--games": "--games 4",
            "--seed": "--seed 2",
            "--isolation": "--isolation process",
            "--json": "--json",
        },
    ),
    "debug": ("debug bots/mine.py run 1", {"--as": "--as random", "--move": ("debug first run 1", "--move 2")}),
    "config": ("config", {}),
    "doctor": ("doctor", {"--json": "--json"}),
    "rules": ("rules", {"--learn": "--learn", "--json": "--json"}),
    "explain": (
        CLAIM,
        {
            "--mine": ("explain --theirs b2,b3", "--mine r1,r2,r3"),
            "--theirs": ("explain --mine r1,r2,r3", "--theirs b1,b2"),
            "--seen": "--seen b4",
            "--mud": (f"{CLAIM} --rules tactical", "--mud"),
            "--fog": (f"{CLAIM} --rules tactical", "--fog"),
            "--first": ("explain --mine r1,r2,r3 --theirs b1,b2,b3", "--first theirs"),
            "--rules": ("explain --mine r8,r9,r10 --theirs b2", "--rules battle-line-base"),
            "--json": "--json",
        },
    ),
}
"""For each other command a line, and for each option what is added to it, or to another line."""
PLAYING = ("run", "match", "tournament", "compare", "sprt")
ELSEWHERE = {
    **{
        (name, "--workers"): "makes no difference but in time" for name in (*PLAYING, "ladder", "submit", "league work")
    },
    **{(name, "--scheduler"): "needs a cluster (tests/tournament/runner)" for name in PLAYING},
    **{(name, "--trust"): "for what belongs to another user" for name in ("run", "submit", "league work")},
    **{(name, "--isolation"): "cannot be seen in games of sound bots" for name in ("play", "submit", "league work")},
    ("league pause", ""): "a reason stands in the history, an end needs a beginning (tests/cli/league)",
    ("league retire", ""): "the same",
    **{
        ("league people", option): "go with a token, new each time"
        for option in ("--days", "--admin", "--url", "--revoke")
    },
    ("standings", "--server"): "needs a server (tests/web)",
    ("submit", "--server"): "needs a server (tests/web)",
    ("submit", "--again"): "for a refused file (tests/cli/league)",
    ("standings", "--files"): "for a bot of a league (tests/cli/league)",
    ("play", "--plain"): "there is no terminal here (tests/terminal)",
    ("check", "--seconds"): "ends what takes longer (tests/tournament/test_inspection.py)",
    ("check", "--move-ms"): "for slow bots (tests/tournament/test_inspection.py)",
    ("check", "--strict"): "for warnings (tests/cli/test_check.py)",
    ("serve", ""): "needs a server (tests/web)",
    ("tune", ""): "needs Optuna (tests/lab)",
}
"""Options that are not tried here, "" for all of a command, with the reason."""


def cases() -> Iterator[Any]:
    for command, options in OPTIONS.items():
        marks = [pytest.mark.slow] if command == "report" else []
        for option, source in product(options, BOTS):
            yield pytest.param(command, option, source, marks=marks)


def test_every_option_is_tested() -> None:
    for words, command in commands():
        name = " ".join(words)
        options = {max(param.opts, key=len) for param in command.params if isinstance(param, click.Option)}
        tried = {*OPTIONS.get(name, ()), *(TRIED[name][1] if name in TRIED else ())}
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


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("league people open --days 3", "--days"),
        ("league people open --url https://x", "--url"),
        ("league people open --revoke Ann --json", "--json"),
        ("league pause open --undo --reason x", "--reason"),
        ("submit bots/mine.py --server https://x --workers 2", "--workers"),
        ("submit bots/mine.py --server https://x --author Ann", "--author"),
        ("runs --trim run --limit 3", "--limit"),
        ("runs --prune --json", "--json"),
        ("new mine --workspace w --repository --llm", "--llm"),
        ("compare --from run --games 4", "--games"),
        ("compare --from run --variants base", "--variants"),
        ("standings --server https://x --files y", "--files"),
        ("standings open last --all", "--all"),
        ("standings open --files y", "--files"),
        ("play first random --claims", "--claims"),
    ],
)
def test_an_option_that_does_not_apply_is_refused_by_name(league: Arena, line: str, option: str) -> None:
    assert f"Error: {option} " in league(*line.split(), code=2).err


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
        assert main([*PAIR.split(), "--quiet", "--out", "pair"]) == 0
        assert main([*TEST.split(), "--quiet", "--out", "test"]) == 4
    return folder


def stored_text(path: Path) -> str:
    """The settings of a run, the record of a game; nothing else, since times differ."""
    if path.name == DATABASE:
        with closing(sqlite3.connect(path)) as database:
            return str(database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone())
    return path.read_text(encoding="utf-8") if path.parent.name == "games" else ""


def others() -> Iterator[Any]:
    for name, (_, options) in TRIED.items():
        marks = [pytest.mark.slow] if name in (*PLAYING, "check", "ladder") else []
        yield from (pytest.param(name, option, marks=marks) for option in options)


@pytest.mark.usefixtures("no_check")
@pytest.mark.parametrize(("name", "option"), [*others()])
def test_an_option_of_another_command_changes_something_or_is_refused(
    arena: Arena, workplace: Path, name: str, option: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line, options = TRIED[name]
    base, added = words if isinstance(words := options[option], tuple) else (line, words)
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
