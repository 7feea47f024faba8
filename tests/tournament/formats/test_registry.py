"""A tournament format is declared in one place: a made-up one goes from settings to games and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from arena.settings import text, whole
from arena.tournament.config import ConfigError, config_from_dict
from arena.tournament.formats import FORMATS
from arena.tournament.formats.round_robin import round_robin
from arena.tournament.formats.schedule import Format, FormatSettings


@dataclass(frozen=True)
class LapSettings(FormatSettings):
    laps: int = whole(2, 1, 9, "how often all bots meet")
    shown: str | None = text(None, 20, "what is written on the flag", shapes_results=False)

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        if self.laps > len(bots):
            yield "laps", f"expected no more laps than bots, found {self.laps}"


LAPS = Format(
    "laps",
    "all bots meet several times",
    lambda design, settings: round_robin(design.bots, 2 * settings.laps),
    LapSettings,
    games_from="laps.laps",
)
BOTS = ["ann", "bob", "cid"]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "laps", LAPS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "lap"}, "series, sprt, laps, found 'lap'; did you mean 'laps'?"),
        ({"format": "laps", "laps": {"laps": 0}}, "laps.laps: expected a whole number from 1 to 9, found 0"),
        ({"format": "laps", "laps": {"lap": 1}}, "laps.lap: unknown key; did you mean 'laps'?"),
        ({"format": "laps", "laps": {"laps": 4}}, "laps.laps: expected no more laps than bots, found 4"),
        (
            {"format": "laps", "laps": {"shown": "x" * 21}},
            "laps.shown: expected at most 20 characters, found 21",
        ),
        ({"format": "laps", "games": 5}, 'games: not used by format = "laps"; use laps.laps instead'),
        ({"format": "laps", "own_deals": True}, "own_deals: belongs to round-robin and gauntlet"),
        ({"laps": {"laps": 1}}, 'the table [laps] belongs to format = "laps"'),
    ],
)
def test_its_mistakes_are_reported_like_all_others(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from_dict({"bots": BOTS, **settings}, "t.toml")
    assert message in str(caught.value)
