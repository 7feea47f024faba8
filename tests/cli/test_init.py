"""`arena new`: a folder to work in and a bot to begin with; what the README promises of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.loading import load_bot
from arena.cli.main import main
from tests.attacks.runs import needs_sandbox
from tests.cli.conftest import Arena

ROOT = Path(__file__).parents[2]


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_place_to_work_in(arena: Arena) -> None:
    out = arena("new", "--workspace", "work").out
    assert "files written to work/\n" in out
    made = files(Path("work"))
    assert {"bots/mybot.py", "configs/quick.toml", "configs/leagues/open.toml", ".gitignore"} <= made
    examples = {name for name in files(ROOT / "examples") if "__pycache__" not in name}
    assert {f"examples/{name}" for name in examples} <= made
    assert {f"examples/bots/{path.name}" for path in (ROOT / "bots").glob("*.py")} <= made
    assert not any("__pycache__" in name or name.endswith((".so", ".pyc")) for name in made)
    assert Path("work/configs/quick.toml").read_bytes() == (ROOT / "configs/quick.toml").read_bytes()
    os.chdir("work")
    arena("run", "quick", "--games", 2, "--workers", 1)
    arena("match", "mybot", "random", "--games", 2, "--workers", 1)
    assert "mybot" in arena("replay", "latest", 1).out


def test_nothing_of_the_user_is_touched(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/mybot.py").write_text("mine")
    Path("configs").mkdir()
    Path("configs/quick.toml").symlink_to("nowhere")
    out = arena("new", "--workspace", ".").out
    assert Path("bots/mybot.py").read_text() == "mine"
    assert Path("configs/quick.toml").is_symlink()
    assert "Already there, not changed: bots/mybot.py, configs/quick.toml\n" in out


@pytest.mark.slow
def test_an_installation_has_it_all(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for folder in ("arena", "bots", "configs", "examples"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    installed, work = tmp_path / "installed", tmp_path / "work"
    build = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(installed)]
    plain = {**os.environ, "ARENA_NO_COMPILE": "1"}
    done = subprocess.run(build, cwd=source, env=plain, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    work.mkdir()

    def arena(*words: str) -> str:
        command = [sys.executable, "-m", "arena.cli.main", *words]
        path = {**os.environ, "PYTHONPATH": str(installed)}
        done = subprocess.run(command, cwd=work, env=path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(installed) in arena("doctor")
    arena("new", "--workspace", ".")
    assert "examples/one_game.py" in files(work)
    assert "examples/bots/greedy.py" in files(work)
    assert "bots/wire/c/greedy.c" in files(work)


# ---------------------------------------------------------------- a bot to begin with


def test_the_skeleton_loads_with_its_parameters(arena: Arena) -> None:
    shown = arena("new", "my_bot").out
    assert "arena match bots/my_bot.py random" in shown
    assert load_bot("bots/my_bot.py:colour=2").params == {"colour": 2.0}
    assert load_bot("my_bot").name == "my_bot"


def test_the_readme_shows_the_bot_that_is_written(arena: Arena) -> None:
    arena("new", "mybot")
    assert f"```python\n{Path('bots/mybot.py').read_text()}```\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.process
def test_the_skeleton_plays_and_beats_chance(arena: Arena) -> None:
    arena("new", "mine")
    settings = ("--games", 40, "--seed", 1, "--rules", "tactical", "--workers", 1)
    found = arena("match", "mine", "random", *settings, "--strict")
    first = next(line for line in found.out.splitlines() if line.split()[:1] == ["1"])
    assert first.split()[1] == "mine"


# ---------------------------------------------------------------- the README


README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


@pytest.mark.soak
@pytest.mark.sandbox
@needs_sandbox
def test_the_league_gives_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Followed by the letter, from the bot that `arena new` writes."""
    monkeypatch.chdir(tmp_path)
    block = TEXT[TEXT.index("arena league create") :].partition("```")[0]
    lines = [line for line in re.split(r"\n| && ", block) if line.startswith(("arena league", "arena submit"))]
    assert len(lines) == 4
    for line in ["arena new mybot", *lines]:
        assert main(line.split()[1:]) == 0, capsys.readouterr().err
    table = capsys.readouterr().out.rpartition("open: league, rules base")[2]
    assert re.search(r"^ +\d +mybot v1 +Ann +[+-]\d+ .* new ", table, re.M), table
    assert not re.search(r" - +- ", table)
