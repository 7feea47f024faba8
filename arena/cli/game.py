"""`arena rules` and `arena explain`: the game itself, without bots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from arena.cli.options import as_json, complete_rules
from arena.errors import ArenaError
from arena.game.explain import answer, judge_claim, read_side
from arena.game.rules import MEANINGS, OPTIONS, SHORT_NAMES, Rules, differences, load_rules, preset_names
from arena.paths import read_small_file


@click.command()
@click.argument("names", nargs=-1, shell_complete=complete_rules)
@as_json
def rules(names: tuple[str, ...], as_json: bool) -> None:
    """List rule sets, show one, or compare two.

    \b
    arena rules
    arena rules tactical
    arena rules base expert

    Without NAMES, list all rule sets. For one name, show its options; for two, show the differences. A rule set is a
    name, a TOML file, or either with changed options: iello-tactical:hand_size=6,scout_return=top
    """
    if len(names) > 2:
        raise ArenaError(
            f"{len(names)} rule sets given; expected none (lists all), one (shows it) or two (compares them)"
        )
    named = [load_rules(name) for name in names]
    if not named:
        _list_rules(as_json)
    elif len(named) == 1:
        _show_rules(named[0], as_json)
    else:
        _compare_rules(named[0], named[1], as_json)


def _list_rules(as_json: bool) -> None:
    all_rules = [load_rules(name) for name in preset_names()]
    short = {name: alias for alias, name in SHORT_NAMES.items()}
    if as_json:
        click.echo(json.dumps({rules.name: rules.options for rules in all_rules}, indent=2))
        return
    columns = ("tactics", "values", "hand_size", "claim_window")
    rows = [
        [rules.name, short.get(rules.name, ""), *(_shown(getattr(rules, key)) for key in columns)]
        for rules in all_rules
    ]
    click.echo(tabulate(rows, headers=["rule set", "short", *columns]))
    click.echo("\n'arena rules NAME' shows all options, 'arena rules NAME1 NAME2' the differences between two.")


def _show_rules(rules: Rules, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"name": rules.name, "edition": rules.edition, **rules.options}, indent=2))
        return
    click.echo(f"{rules.name} (card names of {rules.edition})\n")
    for key, values in OPTIONS.items():
        choices = " | ".join(_shown(value) for value in values) if key != "hand_size" else "1..12"
        click.echo(f"{key:<14}{_shown(getattr(rules, key)):<18}{MEANINGS[key]} ({choices})")


def _compare_rules(a: Rules, b: Rules, as_json: bool) -> None:
    changes = differences(a, b)
    if as_json:
        click.echo(json.dumps({key: {a.name: old, b.name: new} for key, (old, new) in changes.items()}, indent=2))
    elif not changes:
        click.echo(f"{a.name} and {b.name} are the same game.")
    else:
        rows = [[key, _shown(old), _shown(new)] for key, (old, new) in changes.items()]
        click.echo(tabulate(rows, headers=["option", a.name, b.name]))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


@click.command()
@click.option("--mine", metavar="CARDS", help="The claimant's side: r1,r2,r3 (wild cards *J *7 *123, bound *J=r7).")
@click.option("--theirs", metavar="CARDS", default="", help="The opposing side; may be empty.")
@click.option("--seen", metavar="CARDS", default="", help="Clan cards face up on other stones or discarded.")
@click.option("--mud", is_flag=True, help="The stone has Mud: four cards per side.")
@click.option("--fog", is_flag=True, help="The stone has Fog: only sums count.")
@click.option("--first", type=click.Choice(["mine", "theirs"]), help="Which side was completed first.")
@click.option(
    "--rules",
    "rules_name",
    metavar="R",
    default="iello-tactical",
    show_default=True,
    shell_complete=complete_rules,
    help="Rule set.",
)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Answer the positions in a JSON file.")
@as_json
def explain(
    mine: str | None,
    theirs: str,
    seen: str,
    mud: bool,
    fog: bool,
    first: str | None,
    rules_name: str,
    file: Path | None,
    as_json: bool,
) -> None:
    """Say whether a stone can be claimed, and if not, which cards refute the claim.

    \b
    arena explain --mine r1,r2,r3 --theirs b2,b3 --seen b4
    arena explain --file positions.json --json

    Only clan cards that are face up count in a proof; cards in hands and tactic cards that were not played do not.
    """
    if (mine is None) == (file is None):
        raise ArenaError("give either --mine (and --theirs, --seen ...) or --file")
    if file is not None:
        _explain_file(file, as_json)
        return
    assert mine is not None
    rules = load_rules(rules_name)
    modes = [mode for mode, present in (("mud", mud), ("fog", fog)) if present]
    sides = read_side(rules, _cards(mine)), read_side(rules, _cards(theirs))
    verdict = judge_claim(rules, *sides, _cards(seen), modes, first)
    if as_json:
        click.echo(
            json.dumps({"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)})
        )
    else:
        click.echo(f"The claim {'holds' if verdict.holds else 'does not hold'}: {verdict.reason}.")


def _cards(text: str) -> list[str]:
    return [card.strip() for card in text.replace(" ", ",").split(",") if card.strip()]


def _explain_file(file: Path, as_json: bool) -> None:
    try:
        content = json.loads(read_small_file(file))
    except OSError as error:
        raise ArenaError(f"cannot read {file}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file} is not JSON: {error}") from None
    positions = content.get("positions") if isinstance(content, dict) else content
    if not isinstance(positions, list):
        raise ArenaError(f"{file} holds no positions: a list, or an object with the key 'positions'")
    answers = [(position, answer(position)) for position in positions]  # all or nothing
    right = 0
    for position, given in answers:
        expected = position.get("expect")
        right += given == expected
        if as_json:
            click.echo(json.dumps({"id": position.get("id"), "answer": given}))
        else:
            words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in given.items())
            wrong = "" if expected is None or given == expected else f"   (expected {json.dumps(expected)})"
            click.echo(f"{position.get('id', '?')}  {words}{wrong}")
    if not as_json and any("expect" in position for position, _ in answers):
        click.echo(f"\n{right} of {len(answers)} as expected")
