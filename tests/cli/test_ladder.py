"""`arena ladder`: a bot is placed on the ladder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Arena, json_of

pytestmark = [pytest.mark.process, pytest.mark.slow]
LADDER = 'bots = ["random", "first", "greedy"]\ngames = 4\nseed = 5\n'
QUIET = ("--workers", 1)


def test_a_bot_is_placed(arena: Arena) -> None:
    Path("mine.toml").write_text(LADDER)
    call = ("ladder", "counter", "--config", "mine.toml", *QUIET, "--games", 4)
    found = json_of(*call, "--json")["standings"]
    assert [one["rules"] for one in found] == ["base"]
    assert [(rung["bot"], rung["games"]) for rung in found[0]["met"]] == [("greedy", 4), ("first", 4)]
    assert "games (" not in arena(*call).err, "they were played before"
    assert "'arena ladder --show' is now 'arena standings ladder'" in arena("ladder", "--show", code=2).err
