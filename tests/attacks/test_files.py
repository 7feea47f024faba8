"""Bots whose files are the attack: no code runs when they are looked for, and odd files are refused with a reason."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.spec import find_bot
from arena.cli.main import main
from arena.errors import ArenaError
from tests.attacks.runs import needs_sandbox, planted, stage
from tests.tournament.runner.runs import forfeits, play

pytestmark = pytest.mark.process

HONEST = "def act(view, moves):\n    return moves[0]\n"
posix = pytest.mark.skipif(os.name != "posix", reason="files that only Unix has")


def test_looking_for_a_bot_runs_nothing_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = stage(tmp_path / "bots", "ships_modules")
    monkeypatch.chdir(file.parent)
    for spec in ("bot.py", str(file), "x=./bot.py"):
        assert find_bot(spec).path == str(file)
    assert not hasattr(builtins, "planted_by_attack")
    assert planted(tmp_path, tmp_path / "bots", file.parent) == []


@pytest.mark.slow
def test_the_program_loads_nothing_from_the_folder_it_is_started_in(tmp_path: Path) -> None:
    file = stage(tmp_path / "bots", "ships_modules")
    program = Path(sys.executable).with_name("arena")
    if not program.exists():
        pytest.skip("the program is not installed beside this Python")
    command = [str(program), "match", "bot.py", "random", "--games", "2", "--isolation", "process"]
    command += ["--workers", "1", "--out", str(tmp_path / "run")]
    ended = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert forfeits(tmp_path / "run") == {}
    assert planted(tmp_path, tmp_path / "bots", file.parent) == []


def test_finding_a_class_in_a_package_runs_nothing_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil" / "inner").mkdir(parents=True)
    for folder in (tmp_path / "evil", tmp_path / "evil" / "inner"):
        (folder / "__init__.py").write_text("raise SystemExit('this was run')\n")
    (tmp_path / "evil" / "inner" / "bot.py").write_text(HONEST)
    monkeypatch.chdir(tmp_path)
    found = find_bot("evil.inner.bot:Bot")
    assert found.path == str(tmp_path / "evil" / "inner" / "bot.py")
    assert not [name for name in sys.modules if name.partition(".")[0] == "evil"]
    for spec in ("evil.inner.nothing:Bot", "evil.nothing.bot:Bot", "nothing.bot:Bot", "evil.inner.bot.more:Bot"):
        with pytest.raises(ArenaError, match="there is no module"):
            find_bot(spec)


@posix
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "there is no such file"),
        (Path.mkdir, "is a folder"),
        (lambda path: path.symlink_to("/dev/zero"), "there is no such file"),
        (lambda path: path.symlink_to(path), "loop|there is no such file"),
        (lambda path: path.touch() or os.truncate(path, 1 << 40), "2,000 files or 256 MiB"),
    ],
    ids=["pipe", "folder", "device", "link to itself", "hole"],
)
def test_special_files_are_rejected(make: Callable[[Path], object], reason: str, tmp_path: Path) -> None:
    make(tmp_path / "bot.py")
    with pytest.raises(ArenaError, match=f"(?i){reason}"):
        find_bot(str(tmp_path / "bot.py"))


@needs_sandbox
def test_names_that_a_shell_or_a_terminal_would_obey_and_a_link(tmp_path: Path) -> None:
    """The link is followed to the file, and nothing else of its folder is shown."""
    bots = []
    for name in ("-rf.py", "quo'te\"new\nline \x1b[31m\r$(id)%s\u00fc\u4e2d\U0001f40d.py", "real.py"):
        folder = tmp_path / name.removesuffix(".py")
        folder.mkdir()
        (folder / name).write_text(f"import os\nassert os.listdir() == [{name!r}]\n" + HONEST)
        bots.append({"spec": str(folder / name), "name": f"odd{len(bots)}"})
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "other.py").write_text(HONEST)
    (tmp_path / "bots" / "link.py").symlink_to(bots[-1]["spec"])
    bots[-1]["spec"] = str(tmp_path / "bots" / "link.py")
    data = {"name": "t", "bots": bots, "games": 2, "seed": 1, "isolation": "sandbox"}
    assert play(tmp_path / "run", data, 1).left_out == {}
    assert forfeits(tmp_path / "run") == {}


def test_a_file_name_that_is_no_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.py")
    try:
        file.write_text(HONEST)
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    for spec in (str(file), f"x={file}"):
        assert main(["match", spec, "random", "--games", "2", "--out", str(tmp_path / "run")]) == 2
        error = capsys.readouterr().err
        assert error.startswith("Error: the")
        error.encode("utf-8")
    assert not (tmp_path / "run").exists()
