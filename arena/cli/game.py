"""`arena rules` and `arena explain`: the game itself, without bots."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from arena.cli.options import PATH, as_json, complete_rules
from arena.errors import ArenaError
from arena.game.explain import answer, judge_claim, read_side
from arena.game.rules import MEANINGS, OPTIONS, Rules, differences, load_rules, preset_names


@click.command()
@click.argument("names", nargs=-1, shell_complete=complete_rules)
@click.option("--learn", is_flag=True, help="Say how the game is played, and what each rule set (or NAME) changes.")
@as_json
def rules(names: tuple[str, ...], learn: bool, as_json: bool) -> None:
    """Teach the game, list rule sets, show one, or compare two.

    \b
    arena rules --learn
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
    if learn:
        if as_json or len(named) > 1:
            raise click.UsageError("--learn is a text, about all rule sets or about one; drop --json and further names")
        _teach(named[0] if named else None)
    elif not named:
        _list_rules(as_json)
    elif len(named) == 1:
        _show_rules(named[0], as_json)
    else:
        _compare_rules(named[0], named[1], as_json)


def _teach(rules: Rules | None) -> None:
    """Print how the game is played; with the tactic cards and changes of one rule set, or of all."""
    from arena.game import lesson
    from arena.terminal.drawing import coloured, draw
    from arena.terminal.lines import console_for
    from arena.terminal.scene import example

    width = max(min(shutil.get_terminal_size().columns, 88), 60)
    tactical = rules or load_rules("tactical")
    told = [lesson.sentence(rules)] if rules else [f"{name}: {text}" for name, text in lesson.editions()]
    parts = [lesson.GAME, "Formations, the strongest first:"]
    parts[-1] += "".join(f"\n  {name:<11} {cards}   {what}" for name, cards, what in lesson.FORMATIONS)
    parts += [lesson.TIE, "A game, seen from your side, which is below:"]
    after = ["\n".join(textwrap.fill(line, width) for line in lesson.LOOK)]
    if tactical.tactics:
        cards = [f"  {card:<9} {name:<19} {what}" for card, name, what in lesson.tactic_cards(tactical)]
        after.append("\n".join(["The ten tactic cards:", *cards, lesson.LIMIT]))
    after.append("\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in told))
    after.append("Play: arena play greedy, where 'hint' and 'why 3' help.")
    console = console_for()
    console.print(coloured("\n\n".join(parts) + "\n"))
    console.print(draw(example(), width))
    console.print(coloured("\n" + "\n\n".join(after)))


def _list_rules(as_json: bool) -> None:
    all_rules = [load_rules(name) for name in preset_names()]
    if as_json:
        click.echo(json.dumps({rules.name: rules.options for rules in all_rules}, indent=2))
        return
    from arena.game import lesson

    width = shutil.get_terminal_size().columns
    for name, text in lesson.editions():
        click.echo(textwrap.fill(f"{name}: {text}", width, subsequent_indent="  "))
    more = "'arena rules NAME' shows all options, 'arena rules NAME1 NAME2' the differences between two."
    click.echo("\n" + textwrap.fill(more, width))


def _show_rules(rules: Rules, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"name": rules.name, "edition": rules.edition, **rules.options}, indent=2))
        return
    click.echo(f"{rules.name} (card names of {rules.edition})\n")
    for key, values in OPTIONS.items():
        choices = " | ".join(_shown(value) for value in values) if key != "hand_size" else "1..12"
        line = f"{key:<14}{_shown(getattr(rules, key)):<18}{MEANINGS[key]} ({choices})"
        click.echo(textwrap.fill(line, max(shutil.get_terminal_size().columns, 60), subsequent_indent=" " * 32))


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
    default="base",
    show_default=True,
    shell_complete=complete_rules,
    help="Rule set.",
)
@click.option("--file", "file", type=PATH, metavar="FILE", help="Answer the positions in FILE, JSON with one per line.")
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
    """Say whether a stone can be claimed, and if not, with which cards the opponent could still win it.

    \b
    arena explain --mine r1,r2,r3 --theirs b2,b3 --seen b4
    arena explain --mine r1,*J,r3 --theirs b2,b3 --fog --rules tactical
    arena explain --file positions.jsonl --json

    Only clan cards that are face up count in a proof; cards in hands and tactic cards that were not played do not.
    FILE may also be a JSON list; docs/RULES.md, section 9, has the keys of a position. If they have the key 'expect',
    the last line says how many answers are as expected.
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
    right = checked = 0
    for position in _positions(file):
        given = answer(position)
        expected = position.get("expect")
        checked += expected is not None
        right += given == expected
        if as_json:
            click.echo(json.dumps({"id": position.get("id"), "answer": given}))
        else:
            words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in given.items())
            wrong = "" if expected is None or given == expected else f"   (expected {json.dumps(expected)})"
            click.echo(f"{position.get('id', '?')}  {words}{wrong}")
    if checked and not as_json:
        click.echo(f"\n{right} of {checked} as expected")


def _positions(file: Path) -> Iterator[Any]:
    """The positions of a file: one JSON object per line, or a JSON list, perhaps under the key `positions`."""
    try:
        with open(file, encoding="utf-8") as lines:
            first = next((line for line in lines if line.strip()), "")
            if _is_position(first):
                yield json.loads(first)
                for number, line in enumerate(lines, start=2):
                    if line.strip():
                        yield _json(line, f"{file}, line {number}")
                return
            content = _json(first + lines.read(), str(file))
    except OSError as error:
        raise ArenaError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ArenaError(f"{file} is not JSON: it is not UTF-8 text") from None
    positions = content.get("positions") if isinstance(content, dict) else content
    if not isinstance(positions, list):
        raise ArenaError(f"{file} holds no positions: one JSON object per line, or a list of them")
    yield from positions


def _is_position(line: str) -> bool:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "positions" not in content


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{source} is not JSON: {error}") from None
