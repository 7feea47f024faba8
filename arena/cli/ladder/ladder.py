"""`arena ladder`: play the ladder of reference bots, or place a bot on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.bots.isolation.levels import ISOLATIONS
from arena.cli import options
from arena.cli.main import INTERRUPTED
from arena.cli.output import csv_folder, output, print_report
from arena.errors import ArenaError


@click.command()
@click.argument("bot", required=False, shell_complete=options.complete_bots)
@click.option(
    "--rules",
    multiple=True,
    metavar="R",
    shell_complete=options.complete_rules,
    help="Rule sets, with commas or several times. Default: base,tactical,expert; BOT: base.",
)
@click.option(
    "--games",
    type=options.whole(2),
    metavar="N",
    help="Games for each two rungs that meet (default: as the file says); with a BOT at most so many against"
    " a rung (default: 300).",
)
@click.option(
    "--config",
    "file",
    default="ladder",
    show_default=True,
    metavar="CONFIG",
    shell_complete=options.complete_configs,
    help="The ladder: a tournament, its bots from the lowest rung up.",
)
@click.option(
    "--out",
    type=options.NewFolder(),
    metavar="DIR",
    help="Where the ladder's matches are kept.  [default: results/ladder]",
)
@click.option("--show", is_flag=True, help="Play nothing: show what is stored.")
@click.option("--isolation", type=click.Choice(ISOLATIONS), help="Where BOT runs; none (default): with your rights.")
@options.workers
@csv_folder
@output
def ladder(
    bot: str | None,
    rules: tuple[str, ...],
    games: int | None,
    file: str,
    out: Path | None,
    show: bool,
    isolation: str | None,
    workers: int | None,
    to: Path | None,
    form: str,
) -> int:
    """Play the ladder of reference bots, or find the rung on which BOT stands.

    Without BOT each rung plays the two below it in each rule set, and the table shows ratings, how each rung does
    against the one below, and the time it takes. The same command resumes; with more --games it goes on.

    With BOT it meets rungs by bisection, in pairs of games, until it is clear whether it is 30 Elo stronger or weaker
    than the rung; the answer is where it stands and what beats it.
    """
    from arena.cli.compare import split_variants
    from arena.cli.playing import with_options
    from arena.lab.ladder import RULES, all_matches, ladder_config, ladder_report, play_ladder
    from arena.paths import RESULTS
    from arena.tournament.runner.progress import progress_for

    wanted = tuple(dict.fromkeys(split_variants(rules, "--rules")))
    config = with_options(ladder_config(file), {"workers": workers})
    if bot is not None:
        if out is not None or show:
            raise ArenaError("--out and --show are for the ladder itself, not for a BOT on it")
        found = standings_of(bot, wanted or RULES[:1], config, games, isolation)
        if found is None:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        from arena.lab.ladder import standing_report

        print_report(standing_report(found), form, to)
        return 0
    if isolation is not None:
        raise ArenaError("--isolation is for a BOT; for the rungs it stands in the ladder's file")
    config = with_options(config, {"games": games})
    folder = out or (Path(config.out) if config.out else RESULTS / config.name)
    wanted = wanted or RULES
    plan = all_matches(config, wanted)
    # a line, no table, while they are played: dozens of matches of two bots, one after the other
    if not show and not play_ladder(plan, folder, progress_for, lambda text: click.echo(text, err=True)):
        click.echo("\nInterrupted; the same command resumes.", err=True)
        return INTERRUPTED
    print_report(ladder_report(config, wanted, folder), form, to)
    return 0


def standings_of(
    bot: str, rules: Sequence[str], config: Any, games: int | None, isolation: str | None
) -> Sequence[Any] | None:
    """Where a bot stands in each rule set; None if that was interrupted."""
    from arena.lab.ladder import MAX_GAMES, stand

    found = []
    for one in rules:
        found.append(
            stand(config, bot, one, games or MAX_GAMES, isolation, tell=lambda text: click.echo(text, err=True))
        )
        if not found[-1].complete:
            return None
    return found


def for_check(bot: str, rules: Sequence[str], isolation: str, as_json: bool) -> Mapping[str, Any] | str | None:
    """What `arena check --ladder` adds to its report; None if it was interrupted."""
    from arena.lab.ladder import ladder_config, standing_report, standing_values
    from arena.results.formats import write

    found = standings_of(bot, rules, ladder_config(), None, isolation)
    if found is None:
        return None
    return standing_values(found) if as_json else write(standing_report(found))
