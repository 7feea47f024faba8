"""Folders that strangers have written: nothing outside is written, nothing runs unasked, nothing hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.bundle import BundleFile
from arena.cli.main import main
from arena.league.book import enqueue
from arena.league.league_settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission, named_bot, submission_of
from arena.league.versions import Version
from arena.league.views import fetch
from tests.league.leagues import enter, league

EVIL = "from pathlib import Path\nPath({!r}).write_text('ran')\ndef act(view, moves):\n    return moves[0]\n"
PATHS = ["/abs", "a/../../up.py", "a//b", "./a.py", "C:/x.py", "a\\b.py", "x\n.py", ""]


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """From when it is called on, another user is at work."""
    monkeypatch.chdir(tmp_path)
    return lambda: monkeypatch.setattr("os.getuid", lambda: os.stat(tmp_path).st_uid + 1)


def arena(*args: object) -> int:
    return main([str(arg) for arg in args])


@pytest.fixture
def run(tmp_path: Path, stranger: Callable[[], None]) -> Path:
    """A small run."""
    assert arena("match", "random", "first", "--games", 4, "--seed", 1, "--workers", 1, "--out", "run") == 0
    return tmp_path / "run"


def submitted(league: League, *paths: str) -> Version:
    files = {path: BundleFile(b"x") for path in paths}
    return enqueue(league, Submission("mine", None, paths[0], files)).version


@pytest.mark.parametrize("path", PATHS)
def test_a_planted_path_is_not_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(LeagueError):
        submission_of({"a.py": BundleFile(b"x"), path: BundleFile(b"x")}, named_bot("a.py"))
    with league(tmp_path / "league") as made, pytest.raises(LeagueError):  # a database that others have changed
        fetch(made, submitted(made, path), tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_files_are_not_written_through_links(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "lib").symlink_to(tmp_path)
    (tmp_path / "bot" / "a.py").symlink_to(tmp_path / "target")
    for path in ("lib/a.py", "a.py"):
        with league(tmp_path / path.replace("/", "-")) as made, pytest.raises(LeagueError, match="is not empty"):
            fetch(made, submitted(made, path), tmp_path / "bot")
    assert not (tmp_path / "target").exists()
    assert not (tmp_path / "a.py").is_file()


def test_tables_replace_planted_links(run: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (run / "standings.csv").unlink()
    (run / "standings.csv").symlink_to(precious)
    (run / "timing.csv").unlink()
    os.mkfifo(run / "timing.csv")
    assert arena("export", run) == 0
    assert precious.read_text() == "mine"
    assert (run / "standings.csv").read_text().startswith("rank")
    assert (run / "timing.csv").is_file()


def test_a_strangers_run_is_not_played_unasked(
    tmp_path: Path, stranger: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tmp_path / "ran"
    Path("evil.py").write_text(EVIL.format(str(ran)))
    command = ("match", "evil=evil.py", "random", "--games", 4, "--seed", 1, "--workers", 1, "--out", "run")
    assert arena(*command) == 0
    ran.unlink()
    assert arena("run", "run", "--games", 8) == 0  # one's own
    assert ran.exists()
    ran.unlink()
    stranger()
    capsys.readouterr()
    assert arena("run", "run", "--games", 12) == 2
    err = capsys.readouterr().err
    assert "evil: evil=evil.py (isolation none)" in err
    assert "--trust" in err
    for command in ("standings", "verify", "replay", "export"):
        assert arena(command, "run") == 0
    assert not ran.exists()
    assert arena("run", "run", "--games", 12, "--trust") == 0
    assert ran.exists()


def test_a_strangers_league_plays_in_the_sandbox_or_not_at_all(
    tmp_path: Path, stranger: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    with league(tmp_path / "open", isolation="none") as made:
        enter(made, "ann", "bob")
    stranger()
    assert arena("league", "work", tmp_path / "open", "--max-games", 2) == 2
    assert "--isolation sandbox" in capsys.readouterr().err
    assert arena("league", "work", tmp_path / "open", "--max-games", 2, "--trust", "--workers", 1) == 0


READS = (
    "rate {}.csv",
    "run {}.toml",
    "match first random --rules ./{}.toml",
    "league create x --config {}.toml",
    "replay {}.csv",
)


@pytest.mark.parametrize("name", READS)
def test_files_that_go_on_for_ever_are_not_read(stranger: Callable[[], None], name: str) -> None:
    for end in ("csv", "toml"):
        os.mkfifo(f"pipe.{end}")
        Path(f"device.{end}").symlink_to("/dev/zero")
    for what in ("pipe", "device"):
        assert arena(*name.format(what).split()) == 2


@pytest.mark.parametrize("text", ["bots = " + str(["random"] * 20_000), "games = " + "9" * 5000, "x = " + "[" * 10_000])
def test_settings_without_end_are_one_clear_error(
    stranger: Callable[[], None], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("big.toml").write_text(text)
    assert arena("run", "big.toml") == 2
    assert len(capsys.readouterr().err) < 500


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena.cli.main", "rules"]
    with open("/dev/full", "w") as full:
        said = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        unsaid = subprocess.run(command, stdout=full, stderr=full, cwd=tmp_path)
    assert said.returncode == unsaid.returncode == 2
    assert said.stderr.startswith("Error: ")
    assert said.stderr.count("\n") == 1
