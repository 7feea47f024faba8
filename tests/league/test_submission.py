"""Files on their way into a league: what is read, what identifies it, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.bundle import BundleFile
from arena.errors import ArenaError
from arena.league import submission as module
from arena.league.league_settings import LeagueError
from arena.league.submission import named_bot, placed_bot, read_submission, submission_of
from tests.league.leagues import FIRST, LAST, written


def test_a_file_and_what_belongs_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, mine=f"import helper\n{FIRST}", helper=LAST, other=FIRST)
    for name in ("mine.json", "other.json", "table.txt"):
        (tmp_path / name).write_text(name)
    found = read_submission(str(tmp_path / "mine.py:depth=2"))
    assert sorted(found.files) == ["helper.py", "mine.json", "mine.py"]
    assert found.entry == "mine.py:depth=2"
    monkeypatch.setattr(module, "MOST_FILES", 2)
    with pytest.raises(LeagueError, match="more than 2 files"):
        read_submission(str(tmp_path / "mine.py"))


def test_its_name_is_no_part_of_what_it_is(tmp_path: Path) -> None:
    one, two = written(tmp_path, one=FIRST, two=FIRST)
    assert read_submission(str(one)).hash == read_submission(f"other={two}").hash
    assert read_submission(f"other={two}").name == "other"


def test_parameters_are_part_of_what_it_is(tmp_path: Path) -> None:
    (path,) = written(tmp_path, mine="class Mine:\n    def __init__(self, a=1, b=2): ...\n" + FIRST)
    plain, changed = read_submission(str(path)), read_submission(f"{path}:b=3,a=2")
    assert changed.entry == "mine.py:a=2,b=3"
    assert len({plain.hash, changed.hash, read_submission(f"{path}:a=3").hash}) == 3
    assert changed.hash == read_submission(f"{path}:a=2,b=3").hash


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path / "bot", mine=FIRST, helper=LAST)
    written(tmp_path / "bot" / "deep" / "er", data="")
    for hidden in (".git/config", "__pycache__/mine.pyc", "deep/.secret"):
        path = tmp_path / "bot" / hidden
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    found = read_submission("mine.py", tmp_path / "bot")
    assert sorted(found.files) == ["deep/er/data.py", "helper.py", "mine.py"]
    assert (found.name, found.entry) == ("mine", "mine.py")
    before = found.hash
    written(tmp_path / "bot", helper=FIRST)
    assert read_submission("mine.py", tmp_path / "bot").hash != before
    assert read_submission("helper.py", tmp_path / "bot").hash != read_submission("mine.py", tmp_path / "bot").hash


def test_the_bot_is_named_as_seen_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "bots" / "mine", bot=FIRST)
    monkeypatch.chdir(tmp_path)
    assert read_submission("./bot.py", Path("bots/mine")).entry == "bot.py"
    for named in ("bt.py", "bots/mine/bot.py"):
        with pytest.raises(LeagueError, match="the submission has no file"):
            read_submission(named, Path("bots/mine"))
    with pytest.raises(LeagueError, match="no such folder"):
        read_submission("bot.py", Path("bots/mien"))


def test_a_command(tmp_path: Path) -> None:
    program = tmp_path / "bot" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "bot" / "data").write_text("")
    found = read_submission("cmd:./mine --fast", tmp_path / "bot")
    assert (found.name, found.entry) == ("mine", "cmd:./mine --fast")
    assert [(path, file.executable) for path, file in sorted(found.files.items())] == [("data", False), ("mine", True)]
    before = found.hash
    program.chmod(0o700)
    assert read_submission("cmd:./mine --fast", tmp_path / "bot").hash == before
    assert read_submission("cmd:./mine", tmp_path / "bot").hash != before
    with pytest.raises(LeagueError, match="--folder DIR"):
        read_submission("cmd:./mine --fast")


@pytest.mark.parametrize("path", ["{}/secret.txt", "../secret.txt", "{}/nothing", "/dev/stdin", "~/.ssh/id_rsa"])
def test_a_command_with_files_of_others(path: str, tmp_path: Path) -> None:
    """The sandbox would show their folders; and whether a file is there must make no difference."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "bot" / "a.txt").write_text("x")
    with pytest.raises(LeagueError, match="which is not in its folder"):
        read_submission(f"cmd:cat {path.format(tmp_path)}", tmp_path / "bot")


@pytest.mark.parametrize("bot", ["x" * 300, "~nobody/x.py", "cmd:" + "x" * 300])
def test_names_that_no_file_can_have(bot: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    for folder in (tmp_path, None):
        with pytest.raises(ArenaError):
            read_submission(bot, folder)


@pytest.mark.parametrize("bot", ["cmd:./a.py" + " a" * 999, "a.py:x=\x1b[2J", "a.py:x=\udcff", "a.py:x=" + "1" * 999])
def test_entries_that_cannot_be_stored_or_shown(bot: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "a.py").chmod(0o755)
    with pytest.raises(LeagueError, match="at most 1000 printable characters"):
        read_submission(bot, tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "bot", mine=FIRST)
    for target in ("/etc/passwd", "/etc"):
        (tmp_path / "bot" / "data").symlink_to(target)
        with pytest.raises(LeagueError, match="data is a link"):
            read_submission("mine.py", tmp_path / "bot")
        (tmp_path / "bot" / "data").unlink()


def test_a_pipe_does_not_make_us_wait(tmp_path: Path) -> None:
    written(tmp_path / "bot", mine=FIRST)
    os.mkfifo(tmp_path / "bot" / "pipe")
    with pytest.raises(ArenaError, match="not a regular file"):
        read_submission("mine.py", tmp_path / "bot")


def test_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    monkeypatch.setattr(module, "MOST_FILES", 3)
    (path,) = written(tmp_path / "bot", mine=FIRST)
    (tmp_path / "bot" / "large").write_bytes(bytes(1001))
    with pytest.raises(LeagueError, match="more than 3 files or 0 MiB"):
        read_submission("mine.py", path.parent)
    (tmp_path / "bot" / "large").write_bytes(bytes(980))
    with pytest.raises(LeagueError, match="more than 3 files or 0 MiB"):
        read_submission("mine.py", path.parent)
    for name in "abc":
        (tmp_path / "bot" / name).write_text("")
    with pytest.raises(LeagueError, match="more than 3 files"):
        read_submission("mine.py", path.parent)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("arena.bots.bot:Bot", "is not a file"),
        ("a b=greedy", "'a b' is not a valid name for a bot"),
        ("", "names no bot"),
    ],
)
def test_invalid_submissions_are_rejected(bot: str, message: str) -> None:
    with pytest.raises(ArenaError) as caught:
        read_submission(bot)
    assert message in str(caught.value)


def test_a_file_is_no_folder() -> None:
    files = {path: BundleFile(b"") for path in ("bot.py", "lib", "lib/a.py")}
    with pytest.raises(LeagueError, match="a file with the name of a folder, that of lib"):
        submission_of(files, named_bot("bot.py"))


def test_each_submission_has_files_of_its_own(tmp_path: Path) -> None:
    """The same content in another place is another bot."""
    for number, path in enumerate(("mine.py", "deep/mine.py")):
        spec = placed_bot(path, {path: BundleFile(b"x")}, tmp_path / str(number), "mine v1")
        assert spec.loaded_from.read_text() == "x"
        assert spec.path == path
