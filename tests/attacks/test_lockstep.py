"""Bots that are quick and honest until they are not, while many of their games are played in step.

The rows must be those of the same games played one by one, with the forfeits in exactly the games where they belong.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation.python.bot import PythonBot
from arena.bots.isolation.python.messages import DRAWS, HAS_END, HAS_OBSERVE
from arena.game.rules import load_rules
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Referee
from arena.tournament.referee.rows import GameSettings
from arena.tournament.runner.logs import LOG
from tests.attacks.runs import LIMITS, Attack, attack, harmless
from tests.tournament.runner.runs import games, play

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix"),
]

SEED = 11
GAMES = 24


def can_play_in_step(remote: object) -> bool:
    """What the player asks, but for how quick the bot was: that depends on what else this machine does."""
    flags = HAS_OBSERVE | HAS_END | DRAWS
    return isinstance(remote, PythonBot) and remote._flags is not None and not remote._flags & flags


def played(folder: Path, one: Attack, in_step: bool, patch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """All games of an attacker and two harmless bots, in step or one by one; workers are forked from this process."""
    patch.setattr(
        "arena.tournament.runner.dispatch._CHUNK_S", 60.0
    )  # many games at a time, however slow this machine is
    patch.setattr(Player, "in_step", property(lambda player: in_step and can_play_in_step(player.remote)))
    bots = [one.setting(folder), harmless("ann"), {"spec": "first", "name": "bob"}]
    data = {"name": "step", "bots": bots, "games": GAMES, "seed": SEED, "isolation": "process"}
    data |= {"format": "gauntlet", "gauntlet": {"hero": one.name}}
    run = folder / ("in_step" if in_step else "one_by_one")
    play(run, data, 1, limits=replace(LIMITS, decision_s=0.7))
    assert ("games are played one by one" in (run / LOG).read_text()) == in_step
    return games(run)


def meant(one: Attack, rows: list[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """The games in which the attacker means to misbehave: pairing, deal, game."""
    settings = GameSettings(load_rules("base"), SEED)
    referee = Referee(settings, [])
    found = set()
    for _, a, b, deal, game, *_ in rows:
        first, second = (a, b) if game == 0 else (b, a)
        starter = referee._deal(deal).starter
        seat = starter if first == one.name else 1 - starter
        if referee._seeds(deal, first, second)[seat] % one.params.get("one_in", 8) == 0:
            found.add((a, b, deal, game))
    return found


@pytest.mark.parametrize(
    "one",
    [
        attack("misbehaves_in", "exception", how="raises"),
        attack("misbehaves_in", "crash", how="exits"),
        attack("misbehaves_in", "illegal move", how="plays_illegally"),
        *(
            pytest.param(one, marks=pytest.mark.soak)
            for one in (
                attack("misbehaves_in", "illegal move", how="plays_nonsense"),
                attack("misbehaves_in", "protocol", how="forges"),
                attack("misbehaves_in", "timeout", how="hangs", one_in=32),
            )
        ),
    ],
    ids=lambda one: one.name,
)
def test_a_fault_in_step_is_the_same_fault_of_the_same_game(
    one: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = played(tmp_path, one, True, monkeypatch)
    apart = played(tmp_path, one, False, monkeypatch)
    if one.kind in (
        "protocol",
        "timeout",
    ):  # how much of two messages comes at once is chance, and so are times
        together, apart = ([row[:-1] for row in rows] for rows in (together, apart))
    assert together == apart
    wanted = meant(one, apart)
    assert wanted
    assert {row[1:5] for row in apart if re.search(f"forfeit {one.kind}", str(row))} == wanted


def test_who_takes_too_much_for_many_tables_plays_at_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """54 open files a bot: more than the 128 of a process already at the third table, before a card is seen there."""
    one = attack("tells_its_twin", how="files")
    together = played(tmp_path, one, True, monkeypatch)
    assert "forfeit" not in str(together)
    assert together == played(tmp_path, one, False, monkeypatch)


def test_nobody_plays_a_game_twice_by_failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would know all cards the second time."""
    one = attack("remembers_second_chance", "illegal move")
    together = played(tmp_path, one, True, monkeypatch)
    assert not [row for row in together if "secret read" in str(row)]
    failed = {row[1:5] for row in together if "forfeit illegal move" in str(row)}
    assert failed
    assert failed <= meant(one, together)  # some games are over before
    assert together == played(tmp_path, one, False, monkeypatch)


def test_failing_once_is_no_way_out_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = attack("misbehaves_in", "exception", how="raises", once=True)
    together = played(tmp_path, one, True, monkeypatch)
    forfeits = {row[1:5] for row in together if "forfeit exception" in str(row)}
    assert forfeits
    assert forfeits <= meant(one, together)
