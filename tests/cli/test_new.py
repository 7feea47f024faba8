"""`arena new`: a bot that loads, plays legal games, and is never written over another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.bots.loading import load_bot
from arena.cli.main import COMMANDS, main
from tests.attacks.runs import needs_sandbox
from tests.cli.conftest import Arena

ROOT = Path(__file__).parents[2]


def test_the_skeleton_loads_with_its_parameters(arena: Arena) -> None:
    shown = arena("new", "my_bot").out
    assert "arena match bots/my_bot.py random" in shown
    assert load_bot("bots/my_bot.py:colour=2").params == {"colour": 2.0}
    assert load_bot("my_bot").name == "my_bot"


@pytest.mark.parametrize("page", ["README.md", "docs/tutorials/first-bot.md"])
def test_pages_show_the_bot_that_is_written(arena: Arena, page: str) -> None:
    arena("new", "mybot")
    assert f"```python\n{Path('bots/mybot.py').read_text()}```\n" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.process
def test_the_skeleton_plays_and_beats_chance(arena: Arena) -> None:
    arena("new", "mine")
    settings = ("--games", 40, "--seed", 1, "--rules", "tactical", "--workers", 1)
    found = arena("match", "mine", "random", *settings, "--strict")
    first = next(line for line in found.out.splitlines() if line.split()[:1] == ["1"])
    assert first.split()[1] == "mine"


def test_a_bot_that_asks_a_language_model(arena: Arena) -> None:
    shown = arena("new", "chatty", "--llm").out
    assert '"cmd:python3 bots/chatty.py"' in shown
    bot = Path("bots/chatty.py").read_text()
    assert '"cmd:python3 bots/chatty.py"' in bot
    compile(bot, "chatty.py", "exec")


def test_a_bot_that_is_there_is_left_alone(arena: Arena) -> None:
    arena("new", "mine")
    path = Path("bots/mine.py")
    path.write_text("# my work\n")
    assert "already exists" in arena("new", "mine", code=2).err
    assert path.read_text() == "# my work\n"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("My-Bot", "try 'my_bot'"),
        ("a\nb", r"'a\nb' cannot be a bot's name"),
        ("class", "'class' cannot be a bot's name: it is a Python keyword; try 'class_bot'"),
        ("random", "'random' is the name of a reference bot; choose another name"),
    ],
)
def test_names_that_are_none(arena: Arena, name: str, wanted: str) -> None:
    assert wanted in arena("new", name, code=2).err
    assert not list(Path().rglob("*.py"))


# ---------------------------------------------------------------- the README


README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_all_commands_are_there_and_no_others() -> None:
    told = TEXT[TEXT.index("Commands play (") :].partition("`arena COMMAND")[0]
    listed = set(re.findall(r"`(?:arena )?([a-z]+)`", told))
    assert listed == set(COMMANDS)
    assert set(re.findall(r"`arena ([a-z]+)", TEXT)) | set(re.findall(r"^arena ([a-z]+) ", TEXT, re.M)) <= listed


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
    table = capsys.readouterr().out.rpartition("open: rules base")[2]
    assert re.search(r"^ +\d +mybot +Ann +1 +[+-]\d+ +\d+ +new +100 ", table, re.M), table
    assert not re.search(r" - +- ", table)
