"""`arena rules` and `arena explain`: the game itself, without bots."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import click
from tabulate import tabulate

from arena.cli.printing import echo_json, refuse_options
from arena.errors import ArenaError
from arena.game import lesson
from arena.game.cards import COLOUR_NAMES
from arena.game.explain import judge_claim, read_side
from arena.game.record import parse_record, replay
from arena.game.rules import MEANINGS, OPTIONS, Rules, differences, load_rules, preset_names
from arena.results.table import Table
from arena.terminal.drawing import Scene, coloured, console_for, draw_board


def rules_command(names: tuple[str, ...], learn: bool, as_json: bool) -> None:
    """Run `arena rules`."""
    if len(names) > 2:
        raise ArenaError(
            f"{len(names)} rule sets given; expected none (lists all), one (shows it) or two (compares them)"
        )
    named = [load_rules(name) for name in names]
    if learn:
        refuse_options("does not go with --learn, which prints text", "as_json")
        if len(named) > 1:
            raise click.UsageError("--learn is about all rule sets or one; drop further names")
        _teach(named[0] if named else None)
    elif as_json:
        echo_json({}, *_rules_tables(named))
    elif not named:
        _list_rules()
    elif len(named) == 1:
        _show_rules(named[0])
    elif changes := differences(*named):
        rows = [[key, _shown(old), _shown(new)] for key, (old, new) in changes.items()]
        click.echo(tabulate(rows, headers=["option", *(rules.short_name for rules in named)]))
    else:
        click.echo(f"{named[0].short_name} and {named[1].short_name} are the same game.")


def _rules_tables(named: Sequence[Rules]) -> list[Table]:
    """Return rule sets for JSON: all or those that were named, and how two differ."""
    shown = named or [*map(load_rules, preset_names())]
    rows = [{"name": rules.name, "edition": rules.edition, **rules.options} for rules in shown]
    tables = [Table("rules", "", rows, files=("name", "edition", *OPTIONS))]
    if len(named) == 2:
        changes = [{"option": key, "first": a, "second": b} for key, (a, b) in differences(*named).items()]
        tables.append(Table("differences", "", changes, files=("option", "first", "second")))
    return tables


def _teach(rules: Rules | None) -> None:
    """Print how the game is played, with the tactic cards and changes of one rule set or of all."""
    width = max(min(shutil.get_terminal_size().columns, 88), 60)
    tactical = rules or load_rules("tactical")
    changes = [lesson.sentence(rules)] if rules else [f"{name}: {text}" for name, text in lesson.editions()]
    parts = [lesson.GAME, lesson.CODES, "Formations, the strongest first:"]
    parts[-1] += "".join(f"\n  {name:<11} {cards}   {what}" for name, cards, what in lesson.FORMATIONS)
    parts += [lesson.TIE, "A game in progress; your side is the lower one:"]
    after = ["\n".join(textwrap.fill(line, width) for line in lesson.BOARD_KEY)]
    if tactical.tactics:
        cards = [f"  {card:<9} {name:<19} {what}" for card, name, what in lesson.tactic_cards(tactical)]
        after.append("\n".join(["The ten tactic cards:", *cards, lesson.LIMIT]))
    after.append("\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in changes))
    after.append("To play: arena play greedy; there, 'hint' and 'why 3' help you.")
    console = console_for()
    console.print(coloured("\n\n".join(parts) + "\n"))
    example = Scene(replay(parse_record(lesson.EXAMPLE)).view(0), ("you", "opponent"))
    console.print(draw_board(example, width))
    console.print(coloured("\n" + "\n\n".join(after)))


def _list_rules() -> None:
    width = shutil.get_terminal_size().columns
    for name, text in lesson.editions():
        click.echo(textwrap.fill(f"{name}: {text}", width, subsequent_indent="  "))
    more = "'arena rules NAME' shows all options, 'arena rules NAME1 NAME2' the differences between two."
    click.echo("\n" + textwrap.fill(more, width))


def _show_rules(rules: Rules) -> None:
    click.echo(f"{rules.name} (card names of {rules.edition})\n")
    for key, values in OPTIONS.items():
        choices = " | ".join(_shown(value) for value in values) if key != "hand_size" else "1..12"
        line = f"{key:<14}{_shown(getattr(rules, key)):<18}{MEANINGS[key]} ({choices})"
        click.echo(textwrap.fill(line, max(shutil.get_terminal_size().columns, 60), subsequent_indent=" " * 32))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def explain_command(
    mine: str,
    theirs: str,
    seen: str,
    mud: bool,
    fog: bool,
    first: str | None,
    rules: str | None,
    as_json: bool,
) -> None:
    """Run `arena explain`."""
    played = load_rules(rules or "base")
    modes = [mode for mode, present in (("mud", mud), ("fog", fog)) if present]
    sides = read_side(played, _cards(mine)), read_side(played, _cards(theirs))
    verdict = judge_claim(played, *sides, _cards(seen), modes, first)
    if as_json:
        echo_json({"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)})
    else:
        click.echo(f"The claim {'holds' if verdict.holds else 'does not hold'}: {verdict.reason}.")


def _cards(text: str) -> list[str]:
    """Return the cards in an option as they are written in records: r7 for R7, red7 and red 7."""
    for letter, name in COLOUR_NAMES.items():
        text = re.sub(rf"\b{name}[ -]*(?=\d)", letter, text, flags=re.IGNORECASE)
    cards = text.lower().replace("*j", "*J").replace(" ", ",").split(",")
    return [card for card in cards if card]
