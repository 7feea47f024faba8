"""`arena league play` and `retire`, Ctrl-C, help and completion."""

from __future__ import annotations

from typing import Any

import pytest

from arena.cli.main import main
from tests.cli.conftest import Arena


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


def test_leagues_are_completed(played: Arena, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "arena league show o")
    monkeypatch.setenv("COMP_CWORD", "3")
    capsys.readouterr()
    main([])
    assert "open" in capsys.readouterr().out
