"""`arena ladder`: play the ladder of reference bots, or place a bot on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli.main import INTERRUPTED
from arena.cli.options import (
    ISOLATION,
    PATH,
    PlayOptions,
    complete_bots,
    complete_configs,
    complete_rules,
    csv_folder,
    games,
    output,
    print_report,
    split_variants,
    workers,
)
from arena.cli.playing import with_settings_of
from arena.errors import ArenaError
from arena.lab.ladder import (
    MAX_GAMES,
    RULES,
    all_matches,
    ladder_config,
    ladder_report,
    play_ladder,
    stand,
    standing_report,
)
from arena.paths import RESULTS
from arena.tournament.config import TournamentConfig
from arena.tournament.runner.progress import progress_for


@click.command()
@click.argument("bot", required=False, shell_complete=complete_bots)
@click.option(
    "--rules",
    multiple=True,
    metavar="R",
    shell_complete=complete_rules,
    help="Rule sets, separated by commas or given several times (default: base,tactical,expert; with BOT: base).",
)
@games
@click.option(
    "--config",
    "file",
    default="ladder",
    show_default=True,
    metavar="CONFIG",
    shell_complete=complete_configs,
    help="The ladder: a tournament whose bots are its rungs, lowest first.",
)
@click.option("-o", "--out", type=PATH, metavar="DIR", help="Where to store the matches (default: results/ladder).")
@click.option("--show", is_flag=True, help="Play nothing: show what is stored.")
@click.option("--isolation", type=ISOLATION, help="Where BOT runs: none (default), in this process, with your rights.")
@workers
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

    \b
    arena ladder --show
    arena ladder bots/mine.py --rules base,tactical

    Without BOT, each rung plays the two below it under each rule set, and the table shows ratings, the score against
    the rung below, and thinking time. To resume, give the same command again; more --games extend the ladder.

    With BOT, it plays pairs of games against single rungs (at most --games per rung, by default 300) until it is clear
    whether it is 30 Elo stronger or weaker than the rung. The result is where BOT stands and what beats it.
    """
    wanted = tuple(dict.fromkeys(split_variants(rules, "--rules")))
    config = with_settings_of(ladder_config(file), PlayOptions(workers=workers))
    if bot is not None:
        if out is not None or show:
            raise ArenaError("--out and --show are for the ladder itself; leave BOT out")
        places = places_of(bot, wanted or RULES[:1], config, games, isolation)
        if places is None:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        print_report(standing_report(places), form, to)
        return 0
    if isolation is not None:
        raise ArenaError("--isolation is for a BOT; the file of the ladder says where its rungs run")
    config = with_settings_of(config, PlayOptions(games=games))
    folder = out or (Path(config.out) if config.out else RESULTS / config.name)
    wanted = wanted or RULES
    plan = all_matches(config, wanted)
    # plain lines instead of a table of each match: there are dozens, of two bots each
    if not show and not play_ladder(plan, folder, progress_for, lambda text: click.echo(text, err=True)):
        click.echo("\nInterrupted; the same command resumes.", err=True)
        return INTERRUPTED
    print_report(ladder_report(config, wanted, folder), form, to)
    return 0


def places_of(
    bot: str, rules: Sequence[str], config: TournamentConfig, games: int | None, isolation: str | None
) -> Sequence[Any] | None:
    """Where a bot stands under each rule set; None if that was interrupted."""
    places = []
    for name in rules:
        place = stand(config, bot, name, games or MAX_GAMES, isolation, tell=lambda text: click.echo(text, err=True))
        if not place.complete:
            return None
        places.append(place)
    return places
