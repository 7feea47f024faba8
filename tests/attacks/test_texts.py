"""Texts of strangers: names, file names, exceptions and classes that are traps. None commands a terminal or a
spreadsheet, and none stops a tournament without a word of whose fault it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.faults import BotError
from arena.bots.loading import load_bot
from arena.game.rules import load_rules
from arena.tournament.games import GameResult, GameTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

PLAIN = "def act(view, moves):\n    return moves[0]\n"
HERE = Path(__file__).parents[2]
ESCAPE, TURNED = "\x1b", "\u202e"


def arena(folder: Path, *words: str | bytes, rc: int | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command; nothing that it shows may command a terminal, or be a traceback of ours."""
    command = [sys.executable, "-m", "arena.cli.main", *words]
    world = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120, env=world)
    for shown in (done.stdout, done.stderr):
        text = shown.decode()
        assert ESCAPE not in text
        assert TURNED not in text
        assert 'File "' not in text or str(folder) in text
    assert rc is None or done.returncode == rc, done.stderr
    return done


@pytest.mark.slow
def test_a_file_name_that_is_no_utf8(tmp_path: Path) -> None:
    name = b"caf\xe9.py"
    try:
        (tmp_path / os.fsdecode(name)).write_text(PLAIN)
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    for spec in (name, b"x=" + name):
        done = arena(tmp_path, b"match", spec, b"random", b"--games", b"2", rc=2)
        assert b"Error: the" in done.stderr
    assert not (tmp_path / "results").exists()


# ---------------------------------------------------------------- code that runs where nobody expects it

META = """
class Trap(type):
    armed = False
    def __getattribute__(cls, name):
        if Trap.armed and name not in ("__mro__", "__bases__"): raise {error}
        return type.__getattribute__(cls, name)
class Mine(metaclass=Trap):
    def act(self, view, moves): return moves[0]
Trap.armed = True
"""
NAMED = """
ARMED = []
def spring():
    if ARMED: raise {error}
    return "Named"
class Named(type):
    @property
    def __name__(cls): return spring()
    @property
    def __module__(cls): return spring()
class Odd(Exception, metaclass=Named):
    def __str__(self): raise {error}
    __repr__ = __str__
    @property
    def __class__(self): raise {error}
    @property
    def __traceback__(self): raise {error}
class Thing(metaclass=Named):
    def __repr__(self): raise {error}
    __str__ = __hash__ = __bool__ = __repr__
    def __eq__(self, other): raise {error}
    @property
    def __class__(self): raise {error}
"""
TRAPS = {
    "loading": "raise {error}",
    "class": META,
    "isinstance": NAMED + "ARMED.append(1)\nraise Odd()",
    "name of the class": NAMED
    + "ARMED.append(1)\nMine = Named('Mine', (), dict(act=lambda self, view, moves: moves[0]))",
    "making": "class Mine:\n    def __init__(self): raise {error}\n    def act(self, view, moves): return moves[0]",
    "new": "class Mine:\n    def __new__(cls): raise {error}\n    def act(self, view, moves): return moves[0]",
    "hooks": "class Mine:\n    def act(self, view, moves): return moves[0]\n"
    "    def __getattribute__(self, name): raise {error}",
    "flags": NAMED + "class Mine:\n    auto_claim = Thing()\n    def __init__(self): ARMED.append(1)\n"
    "    def act(self, view, moves): return moves[0]",
    "begin": "class Mine:\n    def begin(self, setup): raise {error}\n    def act(self, view, moves): return moves[0]",
    "act": "def act(view, moves): raise {error}",
    "the exception": NAMED + "def act(view, moves):\n    ARMED.append(1)\n    raise Odd()",
    "what is returned": NAMED + "def act(view, moves):\n    ARMED.append(1)\n    return Thing()",
    "end": "class Mine:\n    def end(self, result): raise {error}\n    def act(self, view, moves): return moves[0]",
    "signature": "class Mine:\n    __signature__ = property(lambda self: 1 / 0)\n"
    "    def __init__(self, x: '{error}' = 1): pass\n    def act(self, view, moves): return moves[0]",
}


ERRORS = ("KeyboardInterrupt", "SystemExit(0)", "type('Own', (BaseException,), dict())()")


@pytest.mark.parametrize("error", ERRORS)
def test_a_trap_is_its_bots_fault(tmp_path: Path, error: str) -> None:
    """A bot that cannot be loaded is a BotError that names it; any other loses its games to an honest one."""
    rival = tmp_path / "rival.py"
    rival.write_text(PLAIN)
    bots, refused = [load_bot(str(rival))], []
    for name, code in TRAPS.items():
        evil = tmp_path / f"{name.replace(' ', '_')}.py"
        evil.write_text(code.format(error=error))
        try:
            bots.append(load_bot(str(evil)))
        except BotError as error_of_it:
            refused.append((evil.stem, str(error_of_it)))
    assert len(bots) > 7
    assert all(stem in text and len(text) > 40 for stem, text in refused), refused
    for seed in range(2):
        referee = Referee(GameSettings(load_rules("base"), seed), [Player.of(one) for one in bots])
        for one in bots[1:]:
            result = GameResult.from_row(referee.play(GameTask(0, 0, 0, "rival", one.name, 0)), "rival", one.name)
            assert result.forfeit_by in (one.name, None), one.name
            assert result.forfeit or one.name in ("signature", "end"), one.name
