"""The reference of settings: all of them, each with its bounds."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.league.settings import LeagueSettings
from arena.settings import settings_of
from arena.tournament.config import BotSetting, Clock, TournamentConfig, settings_reference, tournament_reference
from arena.tournament.formats import FORMATS

ALL = [
    TournamentConfig,
    BotSetting,
    Clock,
    Limits,
    LeagueSettings,
    *(one.settings for one in FORMATS.values()),
]


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.__name__)
def test_every_number_and_text_has_bounds(of: type[Any]) -> None:
    for name, one in settings_of(of).items():
        if one.kind in ("whole number", "number"):
            bounds = (one.least, one.above), (one.most, one.below)
            assert all(any(bound is not None for bound in pair) for pair in bounds), name
        if one.kind == "string":
            assert one.longest > 0, name


def test_every_setting_is_in_the_reference() -> None:
    text = tournament_reference() + settings_reference(LeagueSettings)
    for of in ALL:
        for name, one in settings_of(of).items():
            assert f"| `{name}` |" in text or f"[{name}]" in text or not one.help, name


def test_defaults_of_a_table_are_those_of_its_place() -> None:
    assert "| `move_ms` | a whole number from 1 to 1000000000 | 1000 |" in settings_reference(LeagueSettings)
    assert "| `move_ms` | a whole number from 1 to 1000000000 | no limit |" in tournament_reference()
