"""Who forfeited is said on pages, of older versions, and by commands that play in their own way."""

from __future__ import annotations

import html
import re
import shlex
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
PLAYING = {
    "match": "match bad.py random --games 24 --seed 3 --workers 1 -q -o run",
    "sprt": "sprt bad.py random --elo0 0 --elo1 20 --max-pairs 12 --seed 3 --workers 1 -q -o run",
    "compare": "compare bad.py random --variants base,tactical --games 16 --seed 3 --workers 1 -q -o run",
}


@pytest.mark.parametrize("kind", ["match", "sprt", "compare"])
def test_pages_say_it_without_the_reasons(arena: Arena, kind: str) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["sometimes"]))
    arena(*PLAYING[kind].split(), code=None)
    said = r"bad forfeited \d+ of \d+ games by exception\."
    arena("report", "run", "--replays", 0, "-o", "page.html")
    assert re.search(said, html.unescape(Path("page.html").read_text()))
    command = ("compare", "--from", "run") if kind == "compare" else ("standings", "run")
    page = arena(*command, "--print", "html", code=None).out
    assert re.search(said, html.unescape(page))
    assert "do not feel well" not in page


def test_an_older_version_is_counted_but_no_fault_and_not_to_be_replayed(arena: Arena) -> None:
    Path("bad.py").write_text(BOT.format(share=WAYS["always"]))
    command = PLAYING["match"].split()
    arena(*command, code=1)
    Path("bad.py").write_text("def act(view, moves):\n    return moves[0]\n")
    arena(*command)
    shown = arena("standings", "run", "--versions")
    assert "bad, version 1 forfeited all 24 games by exception\n" in shown.out
    (line,) = content(arena("standings", "run", "--versions", "--json").out)["forfeits"]
    assert line == {"bot": "bad, version 1", "kind": "exception", "games": 24, "reason": "", "game": ""}


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
