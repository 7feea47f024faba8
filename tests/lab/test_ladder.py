"""The ladder: which matches it has, which rungs a bot meets, and what is said of its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.lab.ladder import Met, Standing, candidate, ladder_config
from arena.stats.sprt import SprtTest, sprt_result
from arena.tournament.config import BotSetting
from tests.cli.conftest import Arena, arena, json_of  # noqa: F401


def rungs(*names: str) -> tuple[BotSetting, ...]:
    return tuple(BotSetting(name, name) for name in names)


def test_the_ladder_that_comes_along() -> None:
    config = ladder_config()
    names = config.bot_names
    assert {"random", "greedy", "formations", "counter", "odds", "net", "champion"} == {*names}
    assert config.games >= 1000


def test_a_ladder_needs_a_seed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('bots = ["random", "first"]\n')
    with pytest.raises(ArenaError, match=r"mine\.toml: a ladder needs a seed"):
        ladder_config(str(tmp_path / "mine.toml"))


def test_a_bot_is_not_its_own_rung() -> None:
    bot, others = candidate("greedy", rungs("random", "greedy", "first"))
    assert (bot.name, [rung.name for rung in others]) == ("greedy", ["random", "first"])
    bot, others = candidate("random=greedy", rungs("random", "first"))
    assert (bot.name, len(others)) == ("random-candidate", 2)


def met(number: int, rung: str, *counts: int) -> Met:
    return Met(number, rung, sprt_result(SprtTest(-30, 30), counts), Path("there"))


def test_what_is_said_of_a_place() -> None:
    won, even, lost = (2, 0, 10, 0, 40), (3, 0, 5, 0, 3), (40, 0, 10, 0, 2)
    names = ("random", "greedy", "counter", "odds")
    found = Standing("mine", "base", names, (met(3, "counter", *lost), met(2, "greedy", *even), met(1, "random", *won)))
    assert found.above == 1
    assert found.sentence() == "base: above rung 1, random; as good as greedy; beaten by counter (86.5%)"
    assert Standing("mine", "base", names, (met(4, "odds", *won),)).sentence() == "base: above the highest rung, odds"
    lowest = Standing("mine", "base", names, (met(1, "random", *lost),)).sentence()
    assert lowest == "base: not above the lowest rung, random; beaten by random (86.5%)"


@pytest.mark.slow
@pytest.mark.process
def test_a_bot_is_placed(arena: Arena) -> None:  # noqa: F811
    """By the command."""
    Path("mine.toml").write_text('bots = ["random", "first", "greedy"]\ngames = 4\nseed = 5\n')
    call = ("ladder", "counter", "--config", "mine.toml", "--workers", 1, "--games", 4)
    found = json_of(*call, "--json")["standings"]
    assert [one["rules"] for one in found] == ["base"]
    assert [(rung["bot"], rung["games"]) for rung in found[0]["met"]] == [("greedy", 4), ("first", 4)]
    assert "games (" not in arena(*call).err, "they were played before"
