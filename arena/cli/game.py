"""`arena rules`, `arena explain`, `arena perft`: the game itself, without bots."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.options import complete_rules
from arena.errors import ArenaError
from arena.paths import read_small_file

if TYPE_CHECKING:
    from arena.game.rules import Rules


@click.command()
@click.argument("names", nargs=-1, shell_complete=complete_rules)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rules(names: tuple[str, ...], as_json: bool) -> None:
    """List rule sets, show one, or compare two.

    Without NAMES all are listed; one is shown with all its options; of two the differences are shown. A rule set
    is a name, a TOML file, or either with overrides: iello-tactical:hand_size=6,scout_return=top
    """
    from arena.game.rules import load_rules

    if len(names) > 2:
        raise ArenaError(
            f"{len(names)} rule sets given; expected none (lists all), one (shows it) or two (compares them)"
        )
    found = [load_rules(name) for name in names]
    if not found:
        _list_rules(as_json)
    elif len(found) == 1:
        _show_rules(found[0], as_json)
    else:
        _compare_rules(found[0], found[1], as_json)


def _list_rules(as_json: bool) -> None:
    from tabulate import tabulate

    from arena.game.rules import SHORT_NAMES, load_rules, preset_names

    all_rules = [load_rules(name) for name in preset_names()]
    short = {name: alias for alias, name in SHORT_NAMES.items()}
    if as_json:
        click.echo(json.dumps({one.name: one.options for one in all_rules}, indent=2))
        return
    columns = ("tactics", "values", "hand_size", "claim_window")
    rows = [[one.name, short.get(one.name, ""), *(_shown(getattr(one, key)) for key in columns)] for one in all_rules]
    click.echo(tabulate(rows, headers=["rule set", "short", *columns]))
    click.echo("\narena rules NAME shows all options, arena rules A B the differences between two.")


def _show_rules(one: Rules, as_json: bool) -> None:
    from arena.game.rules import MEANINGS, OPTIONS

    if as_json:
        click.echo(json.dumps({"name": one.name, "edition": one.edition, **one.options}, indent=2))
        return
    click.echo(f"{one.name} (card names of {one.edition})\n")
    for key, values in OPTIONS.items():
        choices = " | ".join(_shown(value) for value in values) if key != "hand_size" else "1..12"
        click.echo(f"{key:<14}{_shown(getattr(one, key)):<18}{MEANINGS[key]} ({choices})")


def _compare_rules(a: Rules, b: Rules, as_json: bool) -> None:
    from tabulate import tabulate

    from arena.game.rules import differences

    changes = differences(a, b)
    if as_json:
        click.echo(json.dumps({key: {a.name: old, b.name: new} for key, (old, new) in changes.items()}, indent=2))
    elif not changes:
        click.echo(f"{a.name} and {b.name} are the same game.")
    else:
        rows = [[key, _shown(old), _shown(new)] for key, (old, new) in changes.items()]
        click.echo(tabulate(rows, headers=["option", a.name, b.name]))


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@click.command()
@click.option("--mine", metavar="CARDS", help="The claimant's side: r1,r2,r3 (wilds *J *7 *123, bound *J=r7).")
@click.option("--theirs", metavar="CARDS", default="", help="The opposing side; may be empty.")
@click.option("--seen", metavar="CARDS", default="", help="Clan cards face up on other stones or discarded.")
@click.option("--mud", is_flag=True, help="Mud on the stone: four cards per side.")
@click.option("--fog", is_flag=True, help="Fog on the stone: only sums count.")
@click.option("--first", type=click.Choice(["mine", "theirs"]), help="Which side was completed first.")
@click.option("--rules", "rules_name", default="iello-tactical", show_default=True, shell_complete=complete_rules)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Answer the positions of a JSON file.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON, one object per line.")
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
    """Can the stone be claimed? If not, which cards refute it?

    \b
    arena explain --mine r1,r2,r3 --theirs b2,b3 --seen b4
    arena explain --file positions.json --json

    Only clan cards that are face up count in a proof: cards in hands and tactic cards not yet played are no
    argument.
    """
    if (mine is None) == (file is None):
        raise ArenaError("give either --mine (and --theirs, --seen ...) or --file")
    if file is not None:
        _explain_file(file, as_json)
        return
    from arena.game.explain import judge_claim, read_side
    from arena.game.rules import load_rules

    assert mine is not None
    one = load_rules(rules_name)
    modes = ["mud"] * mud + ["fog"] * fog
    verdict = judge_claim(one, read_side(one, _cards(mine)), read_side(one, _cards(theirs)), _cards(seen), modes, first)
    if as_json:
        click.echo(
            json.dumps({"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)})
        )
    else:
        click.echo(f"The claim {'holds' if verdict.holds else 'does not hold'}: {verdict.reason}.")


def _cards(text: str) -> list[str]:
    return [card.strip() for card in text.replace(" ", ",").split(",") if card.strip()]


def _explain_file(file: Path, as_json: bool) -> None:
    from arena.game.positions import answer

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
    for position, found in answers:
        expected = position.get("expect")
        right += found == expected
        if as_json:
            click.echo(json.dumps({"id": position.get("id"), "answer": found}))
        else:
            words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in found.items())
            wrong = "" if expected is None or found == expected else f"   (expected {json.dumps(expected)})"
            click.echo(f"{position.get('id', '?')}  {words}{wrong}")
    if not as_json and any("expect" in position for position, _ in answers):
        click.echo(f"\n{right} of {len(answers)} as expected")


@click.command()
@click.option(
    "--rules", "rules_name", metavar="R", default="iello-base", show_default=True, shell_complete=complete_rules
)
@click.option("--seed", type=options.SEED, default=1, show_default=True, help="Seed of the deal.")
@click.option("--deal", "number", type=options.DEAL, default=0, show_default=True, help="Number of the deal.")
@click.option("--depth", type=options.whole(0, 12), required=True, help="Counted in moves (decisions), not turns.")
@click.option("--divide", is_flag=True, help="Count each first move separately.")
@click.option("--chosen-claims", is_flag=True, help="Claims are moves, for both seats, instead of automatic.")
@click.option("--record", metavar="TEXT", help="Start at the end of this record instead of at a deal.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def perft(
    rules_name: str,
    seed: int,
    number: int,
    depth: int,
    divide: bool,
    chosen_claims: bool,
    record: str | None,
    as_json: bool,
) -> None:
    """Count move sequences of a given length, to compare engines: if the counts agree, so do the rules.

    Games that end before the depth do not count. Draws follow the deal, so nothing is random.
    """
    from arena.game.deals import make_deal
    from arena.game.engine import State
    from arena.game.record import parse_record, replay
    from arena.game.rules import load_rules

    if record is not None:
        state = replay(parse_record(record))
    else:
        one = load_rules(rules_name)
        state = State(one, make_deal(one, seed, number), (not chosen_claims, not chosen_claims))
    start = time.perf_counter()
    counts: dict[str, int] = {}
    if divide and depth:
        for move in state.legal_moves():
            after = state.copy()
            after.apply(move)
            counts[move.text] = after.perft(depth - 1)
    leaves = sum(counts.values()) if counts else state.perft(depth)
    seconds = time.perf_counter() - start
    if as_json:
        found: dict[str, Any] = {"rules": state.rules.name, "depth": depth, "leaves": leaves}
        click.echo(json.dumps(found | ({"divide": counts} if divide else {})))
        return
    for text, count in counts.items():
        click.echo(f"{text:<16}{count:>16,}")
    click.echo(f"{leaves:,} sequences of {depth} moves ({seconds:.2f} s)")
