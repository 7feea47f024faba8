"""Rule sets: the presets are RULES.md §6, overrides, files of one's own, and what is said about mistakes."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from arena.game.cards import EDITION_NAMES
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import (
    MEANINGS,
    OPTIONS,
    SHORT_NAMES,
    Rules,
    RulesError,
    differences,
    load_rules,
    preset_names,
    written_out,
)
from tests.oracle import PRESETS, Options

#: RULES.md §6 has no values for these in a game without tactic cards.
IDLE_WITHOUT_TACTICS = ("spy_value", "wild_binding", "scout_return", "scout_source", "ruse_targets")


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_the_oracles(name: str) -> None:
    rules = load_rules(name)
    assert rules.name == name == str(rules)
    idle = () if rules.tactics else IDLE_WITHOUT_TACTICS
    for field in fields(Options):
        if field.name in idle:
            continue
        assert getattr(rules, field.name) == getattr(PRESETS[name], field.name), field.name


@pytest.mark.parametrize("name", ["iello-base", "ps-2004-base", "s2-tactical", "battle-line-expert"])
def test_every_override_is_one_difference(name: str) -> None:
    rules = load_rules(name)
    for key, values in OPTIONS.items():
        for value in values:
            text = f"{name}:{key}={str(value).lower() if isinstance(value, bool) else value}"
            changed = load_rules(text)
            assert changed.name == text
            assert getattr(changed, key) == value
            old = rules.options[key]
            assert differences(rules, changed) == ({} if old == value else {key: (old, value)})
            assert load_rules(changed.canonical).options == changed.options
            again = load_rules(changed.text)
            assert (again.options, again.edition) == (changed.options, changed.edition)
            if changed.tactics or not rules.tactics:
                State(changed, make_deal(changed, 1, 0))  # any combination can be played


def test_overrides_in_any_order_and_with_blanks() -> None:
    rules = load_rules("tactical: scout_return=top , hand_size=6")
    assert rules.name == "iello-tactical:hand_size=6,scout_return=top"
    assert load_rules(rules.name) == rules
    assert load_rules("tactical:scout_return=top").canonical == "s2-tactical"
    assert load_rules("base:tactics=true,hand_size=7").canonical == "iello-tactical"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ielo-base", "unknown rule set 'ielo-base'; did you mean 'iello-base'\\?"),
        ("base:hand_size=6,values", "'values' in rule set .* is not an override; write option=value"),
        ("base:hand_sze=6", "unknown option 'hand_sze' in rule set .*; did you mean 'hand_size'\\? \\(options: "),
        ("base:hand_size=13", "option 'hand_size' in rule set .* is '13'; it can be 1, 2, "),
        ("base:hand_size=" + "9" * 5000, "unknown rule set: a name of 5015 characters"),
        ("base:values=9,values=10", "option 'values' is given twice"),
        ("missing.toml", "cannot read the rule set missing.toml: No such file"),
    ],
)
def test_mistakes_in_names(text: str, words: str) -> None:
    with pytest.raises(RulesError, match=words):
        load_rules(text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hand_sice = 7", "unknown option 'hand_sice' in .*my.toml; did you mean 'hand_size'"),
        ('hand_size = "7"', "option 'hand_size' in .*my.toml is '7'; it can be 1"),
        ('claim_window = "afterplay"', "did you mean 'after_play'"),
        ('name = "my game"', "'name' in .* must be a word without blanks"),
        ('edition = "battleline"', "'edition' in .*my.toml is 'battleline'; .*did you mean 'battle-line'"),
        ("edition = []", "'edition' in .*my.toml is"),
    ],
)
def test_mistakes_in_files(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "my.toml").write_text(f'base = "tactical"\n{line}\n')
    with pytest.raises(RulesError, match=words):
        load_rules(str(tmp_path / "my.toml"))


def test_a_file_says_what_differs_from_its_base(tmp_path: Path) -> None:
    (tmp_path / "six.toml").write_text('base = "tactical"\nhand_size = 6\n')
    (tmp_path / "top.toml").write_text('name = "house"\nbase = "tactical"\nhand_size = 6\nscout_return = "top"\n')
    six, top = (load_rules(str(tmp_path / name)) for name in ("six.toml", "top.toml"))
    assert (six.name, six.options) == ("six", load_rules("tactical:hand_size=6").options)
    assert (top.name, top.options) == ("house", load_rules("tactical:hand_size=6,scout_return=top").options)
    changed = load_rules(f"{tmp_path / 'top.toml'}:hand_size=5")
    assert (changed.name, changed.hand_size) == ("house:hand_size=5", 5)
    assert load_rules(changed.canonical).options == changed.options


@pytest.mark.parametrize("edition", EDITION_NAMES)
@pytest.mark.parametrize("base", ["base", "ps-2004-expert", "battle-line-tactical"])
def test_a_file_written_out_keeps_the_names_of_its_cards(tmp_path: Path, base: str, edition: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'base = "{base}"\nedition = "{edition}"\nhand_size = 5\n')
    original, copy = load_rules(str(file)), load_rules(written_out(str(file)))
    assert (copy.options, copy.edition) == (original.options, original.edition) == (original.options, edition)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ('"tacticl"', r"'base' in .*my\.toml: unknown rule set 'tacticl'; did you mean 'tactical'"),
        ("7", r"'base' in .*my\.toml must be the name of a rule set"),
        ('"other.toml"', r"'base' in .*my\.toml must be the name of a rule set"),
    ],
)
def test_mistakes_in_bases(tmp_path: Path, base: str, words: str) -> None:
    (tmp_path / "my.toml").write_text(f"base = {base}\n")
    with pytest.raises(RulesError, match=words):
        load_rules(str(tmp_path / "my.toml"))


def test_what_a_file_may_hold(tmp_path: Path) -> None:
    """No options at all, or a byte order mark; but no bytes that are no text."""
    file = tmp_path / "mine.toml"
    file.write_text("")
    assert load_rules(str(file)).options == Rules("mine").options == load_rules("iello-base").options
    file = tmp_path / "marked.toml"
    file.write_text("hand_size = 5\n", encoding="utf-8-sig")
    assert load_rules(str(file)).hand_size == 5
    file = tmp_path / "bytes.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulesError, match="is not valid TOML"):
        load_rules(str(file))
    with pytest.raises(RulesError, match="cannot read"):
        load_rules(str(tmp_path / "none.toml"))


def test_every_option_is_documented() -> None:
    assert set(MEANINGS) == set(OPTIONS) == set(load_rules("base").options)
    assert {load_rules(short) == load_rules(full) for short, full in SHORT_NAMES.items()} == {True}
    docs = Path(__file__).parents[2] / "docs"
    schema = json.loads((docs / "wire.schema.json").read_text(encoding="utf-8"))["$defs"]["rules"]
    assert list(schema["properties"]) == schema["required"] == ["name", "edition", *OPTIONS]
    for page in ("RULES.md", "wire.md"):
        text = (docs / page).read_text(encoding="utf-8")
        assert [key for key in OPTIONS if f"`{key}`" not in text and f"`{key} " not in text] == []


@pytest.mark.parametrize("name", ["base", "tactical:hand_size=6", "bga-expert"])
def test_a_rule_set_is_shown_by_its_short_name(name: str) -> None:
    assert load_rules(name).short_name == name
    assert load_rules(load_rules(name).name).short_name == name
