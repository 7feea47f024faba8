"""Settings of a league: the example says what is usual, mistakes are all named."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from arena.league.league_settings import (
    LeagueError,
    LeagueSettings,
    check_author,
    check_name,
    load_settings,
    settings_from_dict,
    stored_settings,
)
from arena.paths import data_folder
from arena.tournament.run_settings import Clock


def test_the_example_is_what_is_usual() -> None:
    assert load_settings(data_folder("configs") / "leagues" / "open.toml", "x", {}) == LeagueSettings("x")
    assert settings_from_dict({}, "x") == LeagueSettings("x")


def test_options_go_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text('rules = "tactical"\n[clock]\nmove_ms = 50\nbank_ms = 900\n[rating]\nanchor = "greedy"\n')
    found = load_settings(file, "x", {"clock": {"move_ms": 70}, "isolation": "process"})
    assert (found.rules, found.isolation, found.clock) == ("tactical", "process", Clock(70, 900))
    assert (found.anchor, found.anchor_elo) == ("greedy", 0.0)
    assert stored_settings(asdict(found)) == found
    unlimited = replace(found, author_mb=None, disk_mb=None)  # as `arena league people --disk-mb 0` sets them
    assert stored_settings(asdict(unlimited)) == unlimited


@pytest.mark.parametrize(
    ("clock", "expected"),
    [({"move_ms": 0}, Clock()), ({"move_ms": 0, "bank_ms": 500}, Clock(None, 500)), ({}, Clock(1000))],
)
def test_a_league_may_be_without_a_clock(clock: dict[str, int], expected: Clock) -> None:
    assert settings_from_dict({"clock": clock}, "x").clock == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"isolation": "sandbx"}, "did you mean 'sandbox'?"),
        ({"rules": "bsae"}, "rules: unknown rule set 'bsae'"),
        ({"placement": {"games": 5}}, "placement.games: games come in pairs"),
        ({"placement": {"eror": 5}}, "placement.eror: unknown key; did you mean 'error'?"),
        ({"placement": 5}, "expected a table [placement]"),
        ({"rating": {"anchor_elo": 5}}, "rating.anchor_elo: needs rating.anchor"),
        ({"rating": {"anchor": "a/b"}}, "rating.anchor: expected the name of a bot"),
        ({"rating": {"prior": 0}}, "rating.prior"),
        ({"name": "../up"}, "'../up' is not a valid name for a league"),
    ],
)
def test_mistakes_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(LeagueError) as caught:
        settings_from_dict(values, "x", "my.toml")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["", "-rf", ".hidden", "a b", "a/b", "ä", "x" * 41, "a\x1b[2J", "a\n"])
def test_invalid_names_are_rejected(name: str) -> None:
    with pytest.raises(LeagueError) as caught:
        check_name(name, "bot")
    assert str(caught.value).isprintable()


def test_authors() -> None:
    assert check_author(" Ännchen von Tharau <a@b> ") == "Ännchen von Tharau <a@b>"
    assert check_author(None) is None
    for text in ("", "a\nb", "a\x1b[2J", "x" * 81):
        with pytest.raises(LeagueError):
            check_author(text)
