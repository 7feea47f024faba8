"""The ladder: its rungs, and what is said about a bot's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.lab.rungs import candidate, ladder_config, settings
from arena.tournament.games import ScheduleProgress
from arena.tournament.run_settings import BotSetting
from tests.cli.conftest import Arena, arena  # noqa: F401

WON, EVEN, LOST = (2, 0, 10, 0, 40), (3, 0, 5, 0, 3), (40, 0, 10, 0, 2)


def rungs(*names: str) -> tuple[BotSetting, ...]:
    return tuple(BotSetting(name, name) for name in names)


def test_a_ladder_needs_a_seed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('bots = ["random", "first"]\n')
    with pytest.raises(ArenaError, match=r"mine\.toml: a ladder needs a seed"):
        ladder_config(str(tmp_path / "mine.toml"))


def test_a_bot_is_not_its_own_rung() -> None:
    bot, others = candidate("greedy", rungs("random", "greedy", "first"))
    assert (bot.name, [rung.name for rung in others]) == ("greedy", ["random", "first"])
    bot, others = candidate("random=greedy", rungs("random", "first"))
    assert (bot.name, len(others)) == ("random-candidate", 2)
    with pytest.raises(ArenaError, match="no rung other than this bot"):
        candidate("greedy", rungs("greedy"))


def test_every_rung_is_played() -> None:
    config = settings(ladder_config(), "barca", "tactical", 10, "process")
    met = [(pairing.a, pairing.b) for pairing in config.schedule().pairings(ScheduleProgress())]
    assert met == [("barca", rung) for rung in ladder_config().bot_names]
    assert config.levels == ("process", *["none"] * len(met))


@pytest.mark.slow
@pytest.mark.process
def test_the_command_places_a_bot(arena: Arena) -> None:  # noqa: F811
    Path("configs").mkdir()
    Path("configs/ladder.toml").write_text('bots = ["random", "first"]\nseed = 5\n')
    Path("dead.py").write_text("def act(view, moves):\n    raise KeyError(1)\n")
    options = ("--workers", 1, "--games", 20)
    found = arena("ladder", "greedy", *options)
    assert found.out.startswith("base: greedy is stronger than first, rung 2 of 2\n")
    again = arena("ladder", "greedy", *options)
    assert (again.out, again.err) == (found.out, "\n"), "nothing is played again"
    assert "gauntlet, rules base, 40 games, own deals, seed 5" in arena("standings", "ladder-greedy-base").out
    dead = arena("ladder", "dead.py", *options, code=1).out
    assert dead.startswith("base: dead has no place, for it forfeited every game.\n")
    assert "\ndead forfeited all 40 games by exception: KeyError: 1 (dead.py, line 2); arena replay " in dead
    assert "more games" not in dead


@pytest.mark.process
@pytest.mark.parametrize("command", ["ladder mine.py", "tournament mine.py random first --format gauntlet"])
def test_a_bot_that_cannot_be_loaded_has_no_place(arena: Arena, command: str) -> None:  # noqa: F811
    """No other bot plays the rungs instead; of the rungs, it is left out."""
    Path("mine.py").write_text("1/0\n")
    failed = arena(*command.split(), "--games", "2", "--workers", "1", code=2)
    assert failed.out == ""
    assert "ZeroDivisionError" in failed.err
    Path("configs").mkdir()
    Path("configs/ladder.toml").write_text('bots = ["first", "mine.py", "random"]\nseed = 1\n')
    if command.startswith("ladder"):
        found = arena("ladder", "greedy", "--games", "2", "--workers", "1", code=1)
        assert "\nmine was left out: " in found.err
