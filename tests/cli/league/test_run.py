"""`arena league play` and `retire`, Ctrl-C, help and completion."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from tests.bots.processes.waiting import wait_for
from tests.cli.conftest import Arena, program
from tests.cli.league.conftest import ONE, QUICK, values
from tests.league.leagues import (
    FIRST,
    LAST,
    sound,
    written,
)


def test_play(played: Arena) -> None:
    before = values(played("league", "show", "open", "--json").out)["games"]
    found = played("league", "play", "open", "--max-games", 20, "--json", *ONE)
    result = values(found.out)
    assert (result["played"], result["interrupted"], result["games"]) == (20, False, before + 20)


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


def test_the_anchor_is_not_retired_silently(arena: Arena) -> None:
    written(Path("bots"), first=FIRST, last=LAST)
    arena("league", "create", "open", *QUICK, "--set", "rating.anchor=first")
    for name in ("first", "last"):
        arena("submit", f"bots/{name}.py", "--league", "open")
    assert "It is the anchor: without it, the mean of the table is 0" in arena("league", "retire", "open", "first").err
    assert "It is the anchor: its rating is 0" in arena("league", "retire", "open", "first", "--undo").err


def interrupted(process: subprocess.Popen[str], ready: Callable[[], bool]) -> tuple[int, str, str]:
    """Press Ctrl-C when it has got so far."""
    wait_for(lambda: ready() or process.poll() is not None, 60, 0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def games_of(folder: Path) -> int:
    from arena.league.store import open_league

    with open_league(folder, write=False) as league:
        return int(league.value("SELECT count(*) FROM games"))


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


def test_leagues_are_completed(played: Arena, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "arena league show o")
    monkeypatch.setenv("COMP_CWORD", "3")
    capsys.readouterr()
    main([])
    assert "open" in capsys.readouterr().out
