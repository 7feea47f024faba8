"""`arena league` and `arena submit`, as organisers and authors call them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.errors import ArenaError
from arena.isolation import process
from arena.isolation.levels import Isolation
from arena.isolation.sandbox.bubblewrap import SandboxMissing, require_bubblewrap, sandboxed
from tests.cli.conftest import Arena, program
from tests.league.leagues import (
    BROKEN,
    FIRST,
    LAST,
    RAISES,
    RANDOM,
    shorten_check,
    skip_check,
    sound,
    written,
)

QUICK = (
    "--isolation",
    "none",
    "--move-ms",
    0,
    "--error",
    100,
    "--most-games",
    16,
    "--sample",
    3,
    "--games",
    4,
)
ONE = ("--workers", 1)


@pytest.fixture(autouse=True)
def no_check(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept submissions unchecked, which takes a second each, except in tests with `real_check`."""
    if "real_check" not in request.fixturenames:
        skip_check(monkeypatch)


@pytest.fixture
def real_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check submissions as a league does, with few games."""
    shorten_check(monkeypatch)


def values(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture
def open_(arena: Arena) -> Arena:
    """A league called open, and the files of some bots."""
    arena("league", "create", "open", *QUICK)
    written(Path("bots"), first=FIRST, last=LAST, random=RANDOM, raises=RAISES, broken=BROKEN)
    return arena


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a league of three bots, made once."""
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        skip_check(patch)
        written(Path("bots"), first=FIRST, last=LAST, random=RANDOM, raises=RAISES, broken=BROKEN)
        assert main(["league", "create", "open", *map(str, QUICK)]) == 0
        for name in ("first", "last", "random"):
            assert main(["submit", f"bots/{name}.py", "--league", "open", "--workers", "1"]) == 0
    return folder


@pytest.fixture
def played(three: Path, arena: Arena) -> Arena:
    """The same with three bots in it."""
    shutil.copytree(three, ".", dirs_exist_ok=True)
    return arena


# ---------------------------------------------------------------- set up


def test_create(arena: Arena) -> None:
    out = arena("league", "create", "open", *QUICK).out
    assert "Created the league open in leagues/open: rules base, isolation none, no clock." in out
    assert "arena submit bots/mine.py --league open" in out
    assert "already" in arena("league", "create", "open", *QUICK, code=2).err
    found = values(arena("league", "standings", "open", "--json").out)
    assert found["settings"]["error"] == 100
    assert (found["standings"], found["games"]) == ([], 0)


def test_create_from_a_file(arena: Arena) -> None:
    Path("my.toml").write_text(
        'rules = "tactical"\nisolation = "none"\n[placement]\nerror = 30\nsample = 5\n'
    )
    out = arena("league", "create", "mine", "--config", "my.toml", "--error", 50, "--dir", "here/there").out
    assert "in here/there" in out
    assert "--league here/there" in out
    found = values(arena("league", "standings", "here/there", "--json").out)["settings"]
    assert (found["name"], found["rules"], found["error"], found["sample"]) == ("mine", "tactical", 50, 5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("create", "../up"), "is not a valid name for a league"),
        (("create", "open", "--config", "nosuch.toml"), "nosuch.toml: cannot be read"),
        (("create", "open", "--rules", "bsae"), "unknown rule set 'bsae'"),
        (("create", "open", "--games", "3"), "an even number"),
        (("create", "open", "--anchor-elo", "3"), "belongs to rating.anchor"),
        (("standings", "open"), "there is no league 'open'. Create one with: arena league create open"),
        (
            ("standngs", "open"),
            "no command 'standngs'; did you mean 'standings'? ('arena league --help' lists",
        ),
        (("standings", "open", "--at", "1", "--history", "2"), "choose one"),
    ],
)
def test_wrong_use(arena: Arena, args: tuple[str, ...], message: str) -> None:
    assert message in arena("league", *args, code=2).err
    assert not Path("leagues").exists()


def test_the_sandbox_is_what_is_usual(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """And without it nothing is made or played, unless another level is asked for."""
    def missing() -> Any:
        raise SandboxMissing("bots cannot be sandboxed here: install bubblewrap")

    settings = values_of_new(arena) if is_usable() else None
    assert settings is None or settings["isolation"] == "sandbox"
    monkeypatch.setitem(process.CONFINED, Isolation.SANDBOX, (missing, sandboxed))
    assert "install bubblewrap" in arena("league", "create", "open", code=2).err
    assert not Path("leagues/open").exists()
    if settings is not None:
        written(Path("bots"), first=FIRST)
        assert "install bubblewrap" in arena("submit", "bots/first.py", "--league", "boxed", code=2).err
        assert values(arena("league", "show", "boxed", "first", "--json", code=2).out or "{}") == {}
        arena("submit", "bots/first.py", "--league", "boxed", "--isolation", "none", *ONE)


def values_of_new(arena: Arena) -> dict[str, Any]:
    arena("league", "create", "boxed")
    found: dict[str, Any] = values(arena("league", "standings", "boxed", "--json").out)["settings"]
    return found


def is_usable() -> bool:
    try:
        require_bubblewrap()
    except ArenaError:
        return False
    return True


@pytest.mark.sandbox
@pytest.mark.skipif(not is_usable(), reason="no sandbox on this machine")
@pytest.mark.usefixtures("real_check")
def test_in_the_sandbox(arena: Arena) -> None:
    arena("league", "create", "open", *QUICK[4:])
    written(Path("bots"), first=FIRST, thief="open('/etc/passwd').read()\n" + LAST, last=LAST)
    for name, code in (("first", 0), ("thief", 1), ("last", 0)):
        found = arena("submit", f"bots/{name}.py", "--league", "open", *ONE, code=code)
    assert [line["bot"] for line in values(arena("league", "standings", "open", "--json").out)["standings"]]
    assert "2 bots, 16 games" in found.out
    reason = values(arena("league", "show", "open", "thief", "--json").out)["versions"][0]["reason"]
    assert "/etc/passwd" in reason


# ---------------------------------------------------------------- submit


def test_submit(open_: Arena) -> None:
    found = open_("submit", "bots/first.py", "--league", "open", *ONE)
    assert "first v1 is accepted" in found.err
    assert "open: rules base, isolation none, no clock; 1 bot, 0 games" in found.out
    found = open_("submit", "bots/last.py", "--league", "open", "--json", *ONE)
    result = values(found.out)
    assert (result["bot"], result["version"], result["outcome"], result["games"]) == ("last", 1, "active", 16)
    assert {line["bot"]: line["new"] for line in result["standings"]} == {"first": False, "last": True}


def test_the_same_file_twice(played: Arena) -> None:
    found = played("submit", "bots/last.py", "--league", "open")
    assert "open already has this content, as last v1, submitted 20" in found.err
    assert "3 bots" in found.out
    assert values(played("submit", "bots/last.py", "--league", "open", "--json").out)["outcome"] == "known"
    Path("bots/copy.py").write_text(LAST)
    err = played("submit", "bots/copy.py", "--league", "open", code=2).err
    assert "open already has this content, as last v1" in err


def test_a_new_version(played: Arena) -> None:
    Path("bots/last.py").write_text("# better\n" + LAST)
    found = played("submit", "bots/last.py", "--league", "open", "--json", *ONE)
    assert "It replaces v1" in found.err
    shown = values(played("league", "show", "open", "last", "--json").out)
    assert [(v["version"], v["state"]) for v in shown["versions"]] == [(2, "active"), (1, "replaced")]
    assert shown["versions"][1]["elo"] is not None


@pytest.mark.parametrize(
    ("name", "reason"), [("raises", "ValueError: no idea"), ("broken", "not valid Python")]
)
@pytest.mark.usefixtures("real_check")
def test_refused(open_: Arena, name: str, reason: str) -> None:
    found = open_("submit", f"bots/{name}.py", "--league", "open", *ONE, code=1)
    assert f"{name} v1 is refused" in found.err
    assert reason in found.err
    assert "Traceback" not in found.err.split("is refused")[0]
    assert "No bot is in the table yet" in found.out
    again = open_("submit", f"bots/{name}.py", "--league", "open", *ONE, code=1)
    assert f"{name} v1 was refused" in again.err
    assert "--again" in again.err
    assert "is refused" in open_("submit", f"bots/{name}.py", "--league", "open", "--again", *ONE, code=1).err
    shown = open_("league", "show", "open", name).out
    assert reason in shown


def test_names_and_authors(open_: Arena) -> None:
    open_("submit", "bots/first.py", "--league", "open", "--name", "ann", "--author", "Ann", *ONE)
    assert (
        "--author 'Ann'" in open_("submit", "bots/last.py", "--league", "open", "--name", "ann", code=2).err
    )
    out = open_("submit", "bots/last.py", "--league", "open", "--name", "ann", "--author", "Ann", *ONE).out
    assert "Ann" in out
    assert (
        "is not a valid name for a bot"
        in open_("submit", "bots/last.py", "--league", "open", "--name", "a b", code=2).err
    )


def test_a_bot_of_many_files(open_: Arena) -> None:
    source = "from helper import act as chosen\n\ndef act(view, moves):\n    return chosen(view, moves)\n"
    written(Path("bots/mine"), bot=source, helper=LAST)
    assert "helper" in open_("submit", "bots/mine/bot.py", "--league", "open", *ONE, code=1).err
    open_("submit", "bot.py", "--folder", "bots/mine", "--league", "open", "--name", "two", *ONE)
    files = values(open_("league", "show", "open", "two", "--json").out)["versions"][0]["files"]
    assert [file["path"] for file in files] == ["bot.py", "helper.py"]
    open_("league", "fetch", "open", "two", "--to", "back")
    assert Path("back/helper.py").read_text() == LAST
    Path("back/helper.py").write_text("other")
    err = open_("league", "fetch", "open", "two", "--to", "back", code=2).err
    assert "already exists with different content" in err


def test_the_file_may_be_deleted(played: Arena) -> None:
    for path in Path("bots").iterdir():
        path.unlink()
    assert "4 games" in played("league", "play", "open", "--games", 4, *ONE).err


# ---------------------------------------------------------------- look


def test_standings(played: Arena) -> None:
    out = played("league", "standings", "open").out
    lines = out.splitlines()
    assert lines[0].startswith("open: rules base, isolation none, no clock; 3 bots, ")
    assert [line.split()[0] for line in lines[4:7]] == ["1", "2", "3"]
    assert "Change: since event 3" in out
    found = values(played("league", "standings", "open", "--json").out)
    assert set(found["standings"][0]) == {
        "rank", "bot", "version", "author", "elo", "elo_error95", "new", "elo_change", "rank_change", "games",
        "wins", "draws", "losses", "score", "forfeits", "hash",
    }  # fmt: skip
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3]
    assert sum(line["elo"] for line in found["standings"]) == pytest.approx(0)
    # a bot that has come moves the mean; what the others moved is shown without that
    moved = [line["elo_change"] for line in found["standings"] if not line["new"]]
    assert sum(moved) == pytest.approx(0)
    assert "**open: rules base" in played("league", "standings", "open", "--format", "markdown").out


def test_standings_as_they_were(played: Arena) -> None:
    now = values(played("league", "standings", "open", "--json").out)["standings"]
    last = values(played("league", "standings", "open", "--at", 4, "--json").out)
    assert [(line["bot"], line["elo"]) for line in last["standings"]] == [
        (one["bot"], one["elo"]) for one in now
    ]
    before = values(played("league", "standings", "open", "--at", 3, "--json").out)
    assert {line["bot"] for line in before["standings"]} == {"first", "last"}
    assert "No bot was in the table" in played("league", "standings", "open", "--at", 1).out
    assert "after event 4" in played("league", "standings", "open", "--at", "2100-01-01").out
    for wrong, message in (
        ("99", "numbered from 1 to 4"),
        ("yesterday", "a date such as"),
        ("1999-01-01", "created after that"),
    ):
        assert message in played("league", "standings", "open", "--at", wrong, code=2).err
    history = played("league", "standings", "open", "--history", 2).out
    assert "#3" in history
    assert "#2" not in history


def test_history(played: Arena) -> None:
    played("league", "retire", "open", "last", "--reason", "too \x1b[2Jweak")
    found = values(played("league", "history", "open", "--json").out)["events"]
    assert [(line["kind"], line["bot"]) for line in found] == [
        ("created", None), ("accepted", "first"), ("accepted", "last"), ("accepted", "random"), ("retired", "last"),
    ]  # fmt: skip
    assert found[3]["elo"] is not None
    assert found[4]["elo_before"] is not None
    out = played("league", "history", "open").out
    assert "last v1 retired" in out
    assert "\x1b" not in out


def test_show(played: Arena) -> None:
    out = played("league", "show", "open", "last").out
    assert "last v1 against" in out
    assert "was never met" in played("league", "show", "open", "last", "--against", "last").out
    found = values(played("league", "show", "open", "last", "--against", "first", "--json").out)
    assert [line["opponent"] for line in found["opponents"]] == ["first"]
    assert "did you mean 'last'" in played("league", "show", "open", "lst", code=2).err
    assert "has no version 3" in played("league", "show", "open", "last", "--version", 3, code=2).err


def test_csv_is_for_programs(played: Arena) -> None:
    rows = list(csv.DictReader(io.StringIO(played("league", "standings", "open", "--format", "csv").out)))
    assert len(rows) == 3
    assert float(rows[0]["elo"]) > float(rows[1]["elo"])


def test_exported_games_can_be_rated(played: Arena) -> None:
    assert "games in games.csv" in played("league", "export", "open", "--to", "games.csv").err
    rated = values(played("ratings", "games.csv", "--json").out)["ratings"]
    found = values(played("league", "standings", "open", "--json").out)["standings"]
    assert [row["bot"] for row in rated] == [f"{line['bot']} v{line['version']}" for line in found]
    assert [row["elo"] for row in rated] == pytest.approx([line["elo"] for line in found])
    record = next(csv.DictReader(io.StringIO(Path("games.csv").read_text())))["record"]
    assert "five stones" in played("replay", record, "--record").out or "adjacent" in record
    assert played("league", "export", "open").out == Path("games.csv").read_text()


def test_list(played: Arena) -> None:
    played("league", "create", "other", *QUICK)
    found = values(played("league", "list", "--json").out)["leagues"]
    assert [(line["name"], line["bots"]) for line in found] == [("open", 3), ("other", 0)]
    assert "other" in played("league", "list").out


def test_list_with_damaged_leagues(arena: Arena) -> None:
    arena("league", "create", "open", *QUICK)
    whole = Path("leagues/open/league.sqlite").read_bytes()
    damaged = {
        "empty": b"", "garbage": b"no database at all " * 100, "cut": whole[: len(whole) // 2],
        "holes": whole[:4096] + bytes(len(whole) - 4096),
    }  # fmt: skip
    for name, content in damaged.items():
        Path("leagues", name).mkdir()
        Path("leagues", name, "league.sqlite").write_bytes(content)
    for name, sql in {
        "json": "UPDATE meta SET value = '{' WHERE key = 'settings'",
        "unset": "DELETE FROM meta WHERE key = 'settings'",
        "other": "UPDATE meta SET value = '{}' WHERE key = 'settings'",
        "tables": "DROP TABLE events",
    }.items():
        Path("leagues", name).mkdir()
        Path("leagues", name, "league.sqlite").write_bytes(whole)
        with contextlib.closing(sqlite3.connect(Path("leagues", name, "league.sqlite"))) as db:
            db.execute(sql)
            db.commit()
        damaged[name] = b""
    found = arena("league", "list")
    assert [line.split()[0] for line in found.out.splitlines()[2:]] == ["open"]
    assert {line.split(" cannot be read: ")[0] for line in found.err.splitlines()} == set(damaged)
    told = values(arena("league", "list", "--json").out)
    assert [one["name"] for one in told["leagues"]] == ["open"]
    assert sorted(one["name"] for one in told["unread"]) == sorted(damaged)
    assert all(one["reason"] for one in told["unread"])
    shutil.rmtree("leagues/open")
    assert arena("league", "list").out == "No league in leagues/ can be read.\n"


def test_no_command_shows_the_secret(played: Arena) -> None:
    from arena.league.store import open_league

    with open_league("open", write=False) as league:
        secret = league.meta("secret")
    for args in (("standings", "open"), ("history", "open"), ("show", "open", "first"), ("list",)):
        for form in ("--format=table", "--json"):
            found = played("league", *args, form)
            assert secret not in found.out + found.err
    assert secret not in played("league", "export", "open").out


# ---------------------------------------------------------------- run


def test_play(played: Arena) -> None:
    before = values(played("league", "standings", "open", "--json").out)["games"]
    found = played("league", "play", "open", "--games", 20, "--json", *ONE)
    result = values(found.out)
    assert (result["played"], result["interrupted"], result["games"]) == (20, False, before + 20)


def test_play_needs_two(open_: Arena) -> None:
    assert "open has no bot in the table; play needs two" in open_("league", "play", "open", code=2).err


def test_retire(played: Arena) -> None:
    done = played("league", "retire", "open", "last", "--reason", "cheats")
    assert "2 bots" in done.out
    assert "last is out of the table." in done.err
    assert "anchor" not in done.err
    assert "'last' was retired" in played("submit", "bots/last.py", "--league", "open", code=2).err
    assert "already" in played("league", "retire", "open", "last", code=2).err
    assert "cheats" in played("league", "show", "open", "last").out
    done = played("league", "retire", "open", "last", "--undo")
    assert "3 bots" in done.out
    assert "last is back." in done.err
    assert "no bot 'nobody'" in played("league", "retire", "open", "nobody", code=2).err


@pytest.mark.usefixtures("real_check")
def test_a_bot_whose_file_was_not_submitted(open_: Arena) -> None:
    source = f"from pathlib import Path\nPath(__file__).with_name('weights.txt').read_text()\n{LAST}"
    written(Path("bots"), heavy=source)
    Path("bots/weights.txt").write_text("1 2")
    err = open_("submit", "bots/heavy.py", "--league", "open", code=1).err
    assert "weights.txt is beside it" in err
    assert "arena submit heavy.py --folder bots ..." in err


@pytest.mark.usefixtures("real_check")
def test_a_bot_whose_helper_was_not_submitted(open_: Arena) -> None:
    written(Path("bots"), helped="import helper\n\ndef act(view, moves):\n    return moves[0]\n", helper="")
    err = open_("submit", "bots/helped.py", "--league", "open", code=1).err
    assert "No module named 'helper'" in err
    assert "arena submit helped.py --folder bots ..." in err


def test_the_anchor_is_not_retired_silently(arena: Arena) -> None:
    written(Path("bots"), first=FIRST, last=LAST)
    arena("league", "create", "open", *QUICK, "--anchor", "first")
    for name in ("first", "last"):
        arena("submit", f"bots/{name}.py", "--league", "open")
    assert "It is the anchor. Its rating is none" in arena("league", "retire", "open", "first").err
    assert (
        "It is the anchor. Its rating is 0 again" in arena("league", "retire", "open", "first", "--undo").err
    )


def interrupted(process: subprocess.Popen[str], ready: Callable[[], bool]) -> tuple[int, str, str]:
    """Press Ctrl-C when it has got so far."""
    until = time.monotonic() + 60
    while not ready() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def games_of(folder: Path) -> int:
    from arena.league.store import open_league

    with open_league(folder, write=False) as league:
        return int(league.one("SELECT count(*) FROM games"))


def test_ctrl_c_ends_play(played: Arena, tmp_path: Path) -> None:
    folder = tmp_path / "leagues" / "open"
    before = games_of(folder)
    process = program("league", "play", "open", *ONE, cwd=tmp_path)
    code, out, err = interrupted(process, lambda: games_of(folder) > before)
    assert code == 0, err
    assert "3 bots" in out
    assert "Traceback" not in err
    sound(folder)
    assert not (folder / ".playing").exists()


def test_ctrl_c_in_a_placement(arena: Arena, tmp_path: Path) -> None:
    arena("league", "create", "open", *QUICK, "--most-games", 100_000, "--error", 1)
    folder = tmp_path / "leagues" / "open"
    written(Path("bots"), first=FIRST, last=LAST)
    arena("submit", "bots/first.py", "--league", "open", *ONE)
    process = program("submit", "bots/last.py", "--league", "open", *ONE, cwd=tmp_path)
    code, out, err = interrupted(process, lambda: games_of(folder) > 0)
    assert code == 130, err
    assert "Interrupted: last v1 is placing, " in err
    assert "arena league play" in err
    assert "Not in the table yet: last v1 (placing)" in out
    sound(folder)


def test_help_of_all_commands(arena: Arena) -> None:
    from arena.cli.league import COMMANDS

    shown = arena("league", "--help").out
    for name, entry in COMMANDS.items():
        assert f"  {name}" in shown
        assert entry.help in shown
        assert "Usage: arena league" in arena("league", name, "--help").out


def test_leagues_are_completed(played: Arena, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "arena league standings o")
    monkeypatch.setenv("COMP_CWORD", "3")
    capsys.readouterr()
    main([])
    assert "open" in capsys.readouterr().out
