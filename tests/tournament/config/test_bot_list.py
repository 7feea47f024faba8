"""Patterns, folders and `exclude` in a list of bots: which files they stand for, and under which names these play."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BotWarning
from arena.tournament.config import ConfigError, TournamentConfig, config_from_dict, load_config

BOT = "def act(view, moves):\n    return moves[0]\n"
FILES = ("ann", "_base", ".hidden", "helper", "helper2", "group1/ben", "group1/cleo", "group2/ben", "group2/dora")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the bots of a class into cups/class, beside the tournament, and work in the folder above."""
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        add(f"cups/class/{name}.py")
    (tmp_path / "cups/class/notes.txt").touch()
    return tmp_path


def add(path: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(BOT)


def read(bots: list[Any], exclude: list[Any] | None = None, file: str = "cups/t.toml") -> TournamentConfig:
    """Read a file with these bots; JSON lists of strings are TOML, tables are written by hand."""
    entries = [entry if entry[0] == "{" else json.dumps(entry) for entry in bots]
    left_out = "" if exclude is None else f"exclude = {json.dumps(exclude)}\n"
    Path(file).write_text(f"bots = [{', '.join(entries)}]\n{left_out}")
    return load_config(file, exist=True)


def specs(config: TournamentConfig) -> list[str]:
    return [bot.spec.removeprefix("cups/class/").removesuffix(".py") for bot in config.bots]


@pytest.mark.parametrize(
    ("bots", "found"),
    [
        (["class/*"], ["ann", "helper", "helper2"]),
        (["class/[ac]??.py", "random"], ["ann", "random"]),
        (["random", "class/group*/"], ["random", "group1/ben", "group1/cleo", "group2/ben", "group2/dora"]),
        (["class/a*.py:depth=2", "random"], ["ann.py:depth=2", "random"]),
    ],
)
def test_entries_stand_for_files(bots: list[str], found: list[str]) -> None:
    assert specs(read(bots)) == found


def test_a_folder_of_its_own_holds_one_bot_and_files_without_one_are_named() -> None:
    for path in ("ann/ann", "ann/other", "bob/bot", "bob/other", "cid/first", "cid/second"):
        add(f"cups/each/{path}.py")
    Path("cups/each/cid/tools.py").write_text("def pick(moves):\n    return moves[0]\n")
    Path("cups/each/cid/part.py").write_text("if True:\n    class Bot: ...\n")
    with pytest.warns(BotWarning, match=r"^no bot in cups/each/cid/tools\.py$"):
        config = read(["each/*/"])
    names = ["ann/ann", "bob/bot", "cid/first", "cid/part", "cid/second"]
    assert [bot.spec for bot in config.bots] == [f"cups/each/{name}.py" for name in names]
    assert len(read(["each/ann/", "each/bob/other.py"]).bots) == 3


def test_specs_work_from_the_working_directory(place: Path) -> None:
    wanted = ["cups/class/ann.py", "cups/class/helper.py", "cups/class/helper2.py"]
    for file in ("cups/t.toml", "./cups/../cups/t.toml", str(place / "cups/t.toml")):
        config = read(["class/"], file=file)
        assert [bot.spec for bot in config.bots] == wanted
    assert [Path(bot.path) for bot in config.find_bots()] == [place.resolve() / spec for spec in wanted]
    os.chdir("cups/class/group1")
    assert read(["class/"], file="../../t.toml").bots[0].spec == "../../class/ann.py"


def test_a_file_in_the_working_directory_comes_before_one_beside_the_tournament() -> None:
    config = read(["class/ann.py:depth=2", "x=class/helper.py"])
    assert [*zip(config.bot_names, specs(config))] == [("ann:depth=2", "ann.py:depth=2"), ("x", "helper")]
    add("class/ann.py")
    assert [bot.spec for bot in read(["class/ann.py", "random"]).bots] == ["class/ann.py", "random"]


def test_exclude() -> None:
    bots = ["class/**/*.py", "random", "class/group2/dora.py"]
    assert specs(read(bots, ["class/helper*.py", "class/group1/"])) == ["ann", "group2/ben", "random", "group2/dora"]
    assert specs(read(bots, ["class/g*", "class/helper.py", "class/x*"])) == ["ann", "helper2", "random"]


def test_a_table_gives_its_settings_to_every_file() -> None:
    bots = read(['{ spec = "class/helper*.py", isolation = "sandbox", params = { depth = 2 } }']).bots
    assert [bot.name for bot in bots] == ["helper:depth=2", "helper2:depth=2"]
    assert all(bot.params == {"depth": 2} and bot.isolation == "sandbox" for bot in bots)


SANDBOX = '{ spec = "class/*.py", isolation = "sandbox" }'


@pytest.mark.parametrize(
    ("bots", "found"),
    [
        (["class/helper.py", "class/"], [("helper", None), ("ann", None), ("helper2", None)]),
        (["class/", "Anna=class/ann.py"], [("helper", None), ("helper2", None), ("Anna", None)]),
        (["class/a*.py", SANDBOX], [("ann", None), ("helper", "sandbox"), ("helper2", "sandbox")]),
        (["mine", "../bots/"], [("mine", None), ("yours", None)]),
        (["greedy", "greedy/"], [("greedy", None), ("zoe", None)]),  # a name comes before a folder
    ],
)
def test_a_file_that_several_entries_name_plays_once(bots: list[str], found: list[tuple[str, str | None]]) -> None:
    for path in ("bots/mine.py", "bots/yours.py", "cups/greedy/zoe.py"):
        add(path)
    assert [(bot.name, bot.isolation) for bot in read(bots).bots] == found


def test_files_of_one_name_get_the_name_of_their_folder() -> None:
    config = read(["class/group*/*.py"])
    assert config.bot_names == ("group1-ben", "cleo", "group2-ben", "dora")
    for path in ("a/x/eve", "b/x/eve", "c/eve"):
        add(f"cups/more/{path}.py")
    assert read(["more/**/*.py"]).bot_names == ("a-x-eve", "b-x-eve", "c-eve")
    assert read(["class/group1/ben.py", "class/group*/b*"]).bot_names == ("ben", "group2-ben")


@pytest.mark.parametrize(
    ("bots", "exclude", "message"),
    [
        (["random", "clas/"], [], "bots, entry 2: clas/: found no bot file (looked for clas/*.py in {cups})"),
        (["x=class/"], [], "entry 1: the name 'x' is for one bot, but class/ stands for all bot files there"),
        (
            ["class/anm.py", "random"],
            [],
            "entry 1: no bot cups/class/anm.py: there is no such file in {cups}/class; did",
        ),
        (["*/" * 2000], [], "cannot be used: maximum recursion depth exceeded"),
        (["*\0", "a\0.py", "a\0"], ["a\0", "*\0"], "exclude, entry 1: 'a\\x00' cannot be used: embedded null byte"),
        (["class/"], ["class/hlper.py"], "exclude, entry 1: 'class/hlper.py': there is no such file in {cups}/class;"),
        (["class/"], ["class/*.py"], "bots, entry 1: class/: `exclude` leaves out all bot files there"),
        (
            ["class/"],
            [3],
            "exclude: expected a string or a list of strings, found the number 3",
        ),
    ],
)
def test_mistakes(place: Path, bots: list[str], exclude: list[Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message.format(cups=place.resolve() / "cups"))):
        read(bots, exclude)


def test_the_expanded_list_is_stored() -> None:
    config = read(["class/", "class/group*/"], ["class/helper*.py"])
    stored = json.loads(json.dumps(config.to_dict()))
    assert [bot["spec"] for bot in stored["bots"]][:2] == ["cups/class/ann.py", "cups/class/group1/ben.py"]
    add("cups/class/zoe.py")
    assert config_from_dict(stored, "stored") == config
    assert "zoe" in specs(load_config("cups/t.toml"))
