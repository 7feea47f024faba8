"""Every verdict and every rating is shown with who forfeited: the line, the key in JSON, the exit code."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Arena, content

pytestmark = pytest.mark.process
WAYS = {"sometimes": "0.2", "always": "1"}
BOT = """
from arena import Bot

class Bad(Bot):
    def __init__(self, x: int = 1):
        self.begun = True

    def begin(self, setup):
        self.begun = True

    def act(self, view, moves):
        begun, self.begun = self.begun, False
        if begun and view.rng.random() < {share}:
            raise ValueError("I do not feel well")
        return moves[0]
"""
QUIET = ("--seed", 3, "--workers", 1, "--quiet")
SPRT = ("--elo0", 0, "--elo1", 20, "--max-pairs", 12)

Playing = Callable[[str, str], tuple[object, ...]]

#: Command lines that play two bots and show a verdict or a rating; `-o run` is where they store the games.
PLAYING: dict[str, Playing] = {
    "match": lambda a, b: ("match", a, b, "--games", 24, *QUIET, "-o", "run"),
    "tournament": lambda a, b: ("tournament", a, b, "third=random", "--games", 12, *QUIET, "-o", "run"),
    "sprt": lambda a, b: ("sprt", a, b, *SPRT, *QUIET, "-o", "run"),
    "compare": lambda a, b: ("compare", a, b, "--variants", "base,tactical", "--games", 16, *QUIET, "-o", "run"),
}
#: Command lines that show what one of them has stored.
READING: dict[str, tuple[str, tuple[object, ...]]] = {
    "run match": ("match", ("run", "run", "--workers", 1, "--quiet")),
    "run sprt": ("sprt", ("run", "run", "--workers", 1, "--quiet")),
    "compare --from": ("compare", ("compare", "--from", "run")),
    "standings": ("match", ("standings", "run")),
    "standings of sprt": ("sprt", ("standings", "run")),
    "standings of compare": ("compare", ("standings", "run")),
    "standings --all": ("match", ("standings", "run", "--all")),
    "standings --versions": ("match", ("standings", "run", "--versions")),
    "standings --without": ("tournament", ("standings", "run", "--without", "third")),
    "standings of records": ("match", ("standings", "games.txt")),
    "rate": ("match", ("rate", "run")),
    "rate --only": ("tournament", ("rate", "run", "--only", "bad,random")),
}


@pytest.fixture(params=[False, True], ids=["first", "second"])
def bots(arena: Arena, request: pytest.FixtureRequest) -> Callable[[str], tuple[str, str]]:
    """Write the bot, and return it and its opponent, in both orders."""

    def write(way: str) -> tuple[str, str]:
        Path("bad.py").write_text(BOT.format(share=WAYS[way]))
        return ("random", "bad.py") if request.param else ("bad.py", "random")

    return write


def check_shown(arena: Arena, *command: object) -> None:
    """Check the line of a command, that the command in it works, and the key in JSON."""
    text = arena(*command, code=None).out
    (line, *_) = [line for line in text.splitlines() if "bad" in line and "by exception" in line]
    assert re.search(r"bad(: | forfeited )\d+ of \d+ games", line), line
    look = re.search(r"arena (replay .*)$", line)
    assert look is not None, line
    assert "ValueError: I do not feel well" in arena(*shlex.split(look[1])).out
    lines = content(arena(*command, "--json", code=None).out)["forfeits"]
    assert lines
    for row in lines:
        assert {"bot", "kind", "games", "reason", "game"} <= row.keys()
        assert (row["bot"], row["kind"]) == ("bad", "exception")
        assert 0 < row["games"] < 24


@pytest.mark.parametrize("name", PLAYING)
def test_what_plays_says_who_forfeited(arena: Arena, bots: Callable[[str], tuple[str, str]], name: str) -> None:
    command = PLAYING[name](*bots("sometimes"))
    assert arena(*command, code=None).code != 1, "some forfeits are no fault of the run"
    check_shown(arena, *command)
    assert arena(*command, "--strict", code=1).err.endswith("lost by forfeit (--strict).\n")


@pytest.mark.parametrize("name", READING)
def test_what_shows_stored_games_says_who_forfeited(arena: Arena, name: str) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["sometimes"]))
    kind, command = READING[name]
    arena(*PLAYING[kind]("bad.py", "random"), code=None)
    arena("export", "run", "--records", "games.txt") if "games.txt" in command else None
    assert arena(*command, code=None).code != 1
    check_shown(arena, *command)


@pytest.mark.parametrize("name", [*PLAYING, *READING])
def test_a_bot_that_forfeits_all_is_an_exit_code(
    arena: Arena, bots: Callable[[str], tuple[str, str]], name: str
) -> None:
    kind, command = READING.get(name, (name, ()))
    playing = PLAYING[kind](*bots("always"))
    assert "bad forfeited every game." in arena(*playing, code=1).err
    if command:
        arena("export", "run", "--records", "games.txt") if "games.txt" in command else None
        found = arena(*command, code=1)
        assert "bad forfeited every game." in found.err
        assert "bad forfeited all " in found.out
    arena(*(command or playing), "--json", code=1)


def test_two_broken_bots_are_an_exit_code(arena: Arena) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["always"]))
    assert "Every game was forfeited." in arena(*PLAYING["match"]("bad.py", "worse=bad.py"), code=1).err


def test_a_verdict_is_not_changed_and_its_file_says_it(arena: Arena) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["sometimes"]))
    out = arena(*PLAYING["sprt"]("bad.py", "random"), code=None).out
    assert out.index("by exception") < out.index("Verdict: ")
    (line,) = content(Path("run/summary.json").read_text())["forfeits"]
    assert line["reason"] == "", "reasons may hold times"


@pytest.mark.parametrize("kind", ["match", "sprt", "compare"])
def test_pages_say_it_without_the_reasons(arena: Arena, kind: str) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["sometimes"]))
    arena(*PLAYING[kind]("bad.py", "random"), code=None)
    said = r"bad forfeited \d+ of \d+ games by exception\."
    arena("report", "run", "--replays", 0, "-o", "page.html")
    assert re.search(said, html.unescape(Path("page.html").read_text()))
    command = ("compare", "--from", "run") if kind == "compare" else ("standings", "run")
    page = arena(*command, "--print", "html", code=None).out
    assert re.search(said, html.unescape(page))
    assert "do not feel well" not in page


def test_an_older_version_is_counted_but_no_fault_and_not_to_be_replayed(arena: Arena) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["always"]))
    command = PLAYING["match"]("bad.py", "random")
    arena(*command, code=1)
    Path("bad.py").write_text("def act(view, moves):\n    return moves[0]\n")
    arena(*command)
    shown = arena("standings", "run", "--versions")
    assert "bad, version 1 forfeited all 24 games by exception\n" in shown.out
    (line,) = content(arena("standings", "run", "--versions", "--json").out)["forfeits"]
    assert line == {"bot": "bad, version 1", "kind": "exception", "games": 24, "reason": "", "game": ""}


def test_a_list_of_games_does_not_tell(arena: Arena) -> None:
    Path("games.csv").write_text("first,second,score\n" + "a,b,1\nb,a,0\n" * 12)
    assert content(arena("rate", "games.csv", "--json").out).get("forfeits") is None


# ---------------------------------------------------------------- commands that play in their own way


@pytest.mark.parametrize(("way", "code"), [("sometimes", 0), ("always", 1)])
def test_the_ladder(arena: Arena, way: str, code: int) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS[way]))
    Path("configs").mkdir()
    Path("configs/ladder.toml").write_text('bots = ["random", "first"]\nseed = 5\n')
    command = ("ladder", "bad.py", "--games", 12, "--workers", 1, "--quiet")
    out = arena(*command, code=code).out
    assert re.search(r"bad forfeited (\d+ of|all) 24 games by exception: ValueError.*; arena replay ", out)
    arena(*command, "--strict", code=1)
    if way == "always":  # also as a rung
        Path("configs/ladder.toml").write_text('bots = ["bad.py", "first"]\nseed = 5\n')
        found = arena("ladder", "random", *command[2:], code=1)
        assert "bad forfeited all 12 games" in found.out


@pytest.mark.parametrize(("way", "code"), [("sometimes", 3), ("always", 1)])
def test_tuning(arena: Arena, way: str, code: int) -> None:
    pytest.importorskip("optuna")
    Path("bad.py").write_text(BOT.format(share=WAYS[way]))
    command = ("tune", "bad.py", "--param", "x:1..2", "--trials", 1, "--games", 2, "--confirm", 24)
    command += ("--seed", 3, "--workers", 1)
    out = arena(*command, code=code).out
    look = re.search(r"tuned forfeited (\d+ of|all) 24 games by exception: .*; arena (replay .*)", out)
    assert look is not None, out
    assert "ValueError" in arena(*shlex.split(look[2])).out
    lines = content(arena(*command, "--json", code=code).out)["forfeits"]
    assert {line["bot"] for line in lines} == {"tuned", "default"}
    assert lines[0].keys() == {"bot", "kind", "games", "reason", "game"}
