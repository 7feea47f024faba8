"""Settings: what is read, what a person is told about mistakes, and the reference of all of them."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.league.league_settings import LeagueSettings
from arena.settings import settings_of
from arena.tournament.config import ConfigError, TournamentConfig, config_from_dict, load_config
from arena.tournament.formats import FORMATS
from arena.tournament.games import ScheduleProgress
from arena.tournament.run_settings import BotSetting, Clock, GauntletSettings

EXAMPLES = sorted((Path(__file__).parents[3] / "configs").glob("*.toml"))


def config(**settings: Any) -> TournamentConfig:
    return config_from_dict({"bots": ["random", "greedy"], **settings}, source="t.toml")


def fault(**settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        config(**settings)
    return str(caught.value)


def test_defaults() -> None:
    assert config() == TournamentConfig(
        name="t", format="round-robin", bots=(BotSetting("random", "random"), BotSetting("greedy", "greedy"))
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gmaes": 10}, "gmaes: unknown key; did you mean 'games'?"),
        ({"metrics": {}}, "metrics: unknown key; for figures of your own, use pandas: docs/howto/questions.md"),
        ({"move_ms": 50}, "move_ms: unknown key; did you mean 'clock.move_ms'?"),
        ({"games": "ten"}, 'games: expected a whole number from 1 to 1000000000, found the string "ten"'),
        ({"pairs": "yes"}, 'pairs: expected true or false, found the string "yes"'),
        ({"format": "swis"}, " match, series, sprt, found 'swis'; did you mean 'swiss'?"),
        ({"name": "a/b"}, "name: expected a line without slashes that can name a folder and a run, found 'a/b'"),
        ({"clock": 50}, "clock: expected a table [clock] with move_ms, bank_ms, found the number 50"),
        ({"swiss": {"rounds": 3}}, 'swiss: the table [swiss] belongs to format = "swiss", but the format is "round-'),
        ({"format": "gauntlet", "gauntlet": {"hero": "gredy"}}, "hero: expected one of the bots (random, greedy)"),
        ({"format": "gauntlet", "gauntlet": {"hero": ["greedy", "greedy"]}}, "hero: 'greedy' is named twice"),
        ({"format": "gauntlet", "gauntlet": {"hero": ["greedy", "random"]}}, "hero: every bot is a hero, so none can"),
        ({"format": "gauntlet", "gauntlet": {"hero": ["a", 7]}}, "a string or a list of strings, found the number 7"),
        ({"format": "series"}, "series: expected either rounds (games of a series) or target (points to reach), found"),
        ({"format": "sprt", "sprt": {"elo0": 10, "elo1": 5}}, "elo0 (10) must be less than elo1 (5)"),
        ({"format": "sprt", "sprt": {"alpha": 0.7}}, "sprt.alpha: expected an error rate between 0 and 0.5, found 0.7"),
        ({"format": "sprt", "games": 100}, "use sprt.max_pairs instead"),
        ({"format": "series", "games": 5, "series": {"rounds": 1}}, "games: not used by format"),
        ({"format": "swiss", "own_deals": True}, "own_deals: belongs to round-robin and gauntlet, not to swiss"),
        ({"format": "match", "bots": ["a", "b", "c"]}, 'bots: format = "match" is for two bots, found 3; for more use'),
        ({"bots": ["random"]}, "bots: expected at least two bots, found 1"),
        ({"bots": ["random", {"name": "x"}]}, "bots, entry 2: spec is missing"),
        ({"bots": ["random", 7]}, "bots, entry 2: expected a bot's name or a table with spec, name, params,"),
        ({"bots": ["random", "random"]}, "a second bot named 'random'; give it another name: { spec = \"random\", "),
        ({"bots": [{"spec": "a", "name": "Ren\u00e9"}, {"spec": "b", "name": "Rene\u0301"}]}, "a second bot named"),
        ({"bots": ["random", {"spec": "x", "params": [1]}]}, "bots, entry 2, params: expected a table of strings, num"),
    ],
)
def test_mistakes(settings: dict[str, Any], message: str) -> None:
    text = fault(**settings)
    assert text.startswith("t.toml: ")
    assert message in text


def test_all_mistakes_at_once() -> None:
    lines = fault(gmaes=1, rules=7, workers=0, clock={"bank": 1}).splitlines()
    assert [line.split(": ")[1] for line in lines] == ["gmaes", "rules", "clock.bank", "workers"]


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "quick.toml").write_text("games = 1\ngames = 2\n", encoding="utf-8")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(ConfigError, match=r"quik\.toml: cannot be read: .*; did you mean 'quick\.toml'\?"):
        load_config(tmp_path / "quik.toml")
    with pytest.raises(ConfigError, match=r"quick\.toml: not valid TOML: .*line 2"):
        load_config(tmp_path / "quick.toml")
    with pytest.raises(ConfigError, match="not valid UTF-8"):
        load_config(tmp_path / "latin.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_canonical_leaves_out_what_makes_no_difference() -> None:
    one = config(seed=1, workers=1, out="x", name="n", limits={"memory_mb": 64}, scheduler="tcp://x:1")
    assert one.canonical() == config(seed=1).canonical()
    assert config(seed=1, isolation="process").canonical() == config(seed=1, isolation="sandbox").canonical()
    changes: list[dict[str, Any]] = [
        *({"seed": 2}, {"games": 7}, {"rules": "expert"}, {"pairs": False}, {"clock": {"move_ms": 1}}),
        *({"own_deals": False}, {"deals": ["1:1", "1:2", "1:3", "1:4"]}, {"bots": ["greedy", "random"]}),
        *({"format": "swiss"}, {"format": "gauntlet"}, {"isolation": "process"}),
    ]
    for change in changes:
        assert config(**{"seed": 1, **change}).canonical() != one.canonical(), change
    json.dumps(one.canonical())
    shared = config(own_deals=False)
    assert config(**shared.to_dict()) == shared


@pytest.mark.parametrize("hero", [None, "greedy", ["greedy"], ["greedy", "random"]])
def test_heroes_are_one_or_several(hero: str | list[str] | None) -> None:
    heroes = (hero,) if isinstance(hero, str) else tuple(hero or ())
    given = {"gauntlet": {"hero": hero}} if hero else {}
    one = config(bots=["greedy", "random", "first"], format="gauntlet", **given)
    assert one.format_settings == GauntletSettings(heroes)
    assert one.canonical()["gauntlet"] == {"hero": heroes[0] if len(heroes) == 1 else [*heroes] or None}
    assert config_from_dict(json.loads(json.dumps(one.to_dict())), source="store") == one


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_examples_are_valid_and_survive_the_store(file: Path) -> None:
    first = load_config(file)
    again = config_from_dict(json.loads(json.dumps(first.to_dict())), source="store")
    assert again == first
    assert next(iter(first.with_seed(1).schedule().tasks(ScheduleProgress()))).deal == 0


def test_there_is_an_example_for_each_format() -> None:
    assert {load_config(file).format for file in EXAMPLES} == set(FORMATS)


ALL = [TournamentConfig, BotSetting, Clock, Limits, LeagueSettings, *(one.settings for one in FORMATS.values())]


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.__name__)
def test_every_number_and_text_has_bounds(of: type[Any]) -> None:
    for name, one in settings_of(of).items():
        if one.kind in ("whole number", "number"):
            bounds = (one.least, one.above), (one.most, one.below)
            assert all(any(bound is not None for bound in pair) for pair in bounds), name
        if one.kind == "string":
            assert one.longest > 0, name


def test_every_setting_is_in_the_reference() -> None:
    text = runpy.run_path(str(EXAMPLES[0].parents[1] / "docs" / "build.py"))["settings"]()
    for of in ALL:
        for name, one in settings_of(of).items():
            assert f"| `{name}` |" in text or f"[{name}]" in text or not one.help, name
