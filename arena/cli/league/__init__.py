"""`arena league`: a standing league of submitted bots."""

from __future__ import annotations

import click

from arena.cli.group import CommandGroup, named
from arena.cli.options import (
    PATH,
    ClockOption,
    as_json,
    isolation_of_league,
    json_form,
    league_argument,
    league_before,
    number_option,
    out_option,
    output,
    play_too,
    real_option,
    rules,
    set_option,
    trust,
    workers,
)

_SET_UP, _LOOK, _RUN = "Set up", "Look", "Run"
LISTED = "arena.cli.league.show:list_leagues"


@click.group(cls=CommandGroup, short_help="Create and run a standing league.", invoke_without_command=True)
@click.pass_context
def league(ctx: click.Context) -> None:
    """Create and run a standing league: bots are submitted, checked, placed and rated together.

    \b
    arena league create open
    arena submit bots/mine.py --league open
    arena standings open
    arena standings open mine

    LEAGUE is a name in leagues/, or the folder of a league; it can be left out if there is only one. The commands for
    runs also accept it: arena standings, replay, report, plot, export and verify. 'arena league' alone lists the
    leagues in leagues/.
    """
    if ctx.invoked_subcommand is None:
        named(LISTED)()


@league.declare("create", _SET_UP, "Create a league.", "arena.cli.league.manage")
@click.argument("name")
@click.option("--config", type=PATH, metavar="FILE.toml", help="Settings of the league.")
@set_option
@rules
@click.option(
    "--move-ms",
    "clock",
    type=ClockOption(least=0),
    metavar="MS[+BANK]",
    help="Milliseconds per decision, and for each game a bank of extra ones (default: 1000; 0: no limit).",
)
@out_option("DIR", "The folder of the league (default: leagues/NAME).")
def _create() -> None:
    """Create the league NAME. Only its budget can be changed later; options take precedence over the file.

    \b
    arena league create open --rules tactical --set placement.error=30
    arena league create open --config open.toml

    Examples of files: configs/leagues in a workspace (arena new --workspace DIR).
    """


@league.declare("people", _SET_UP, "Invite authors; show and limit what they use.", "arena.cli.league.manage")
@league_argument
@click.option("--invite", "author", metavar="AUTHOR", help="Invite AUTHOR, and print a token to sign in with.")
@click.option(
    "--days",
    type=real_option(0.001, 3650),
    default=90,
    show_default=True,
    metavar="N",
    help="With --invite: valid for N days.",
)
@click.option(
    "--admin",
    is_flag=True,
    help="With --invite: make AUTHOR an organiser, who may pause the league, retire bots and invite.",
)
@click.option(
    "--url", metavar="URL", help="With --invite: also print a link for signing in at the server with this address."
)
@click.option("--revoke", metavar="AUTHOR", help="Revoke all invitations of AUTHOR, and sign AUTHOR out.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=N",
    help="A limit: budget.uploads of an author in an hour, budget.submissions in a day, budget.bots, budget.author_mb,"
    " budget.disk_mb of all; may be repeated, 0: no limit.",
)
@as_json
def _people() -> None:
    """Invite authors to LEAGUE; show and limit what they use. Without options, list everybody.

    \b
    arena league people open --invite Ada --url https://league.example
    arena league people open --set budget.submissions=10 --set budget.author_mb=50

    A token is shown only once; an author may have several.
    """


@league.declare("history", _LOOK, "Show past events, or the log.", "arena.cli.league.show")
@league_argument
@click.option("--log", "as_log", is_flag=True, help="Show the log: who did what, when, and with what result.")
@number_option("--limit", "Show only the last N; 0: all.", 0, default=0)
@output
def _history() -> None:
    """Show the history of LEAGUE: bots submitted, replaced and retired, and games played.

    \b
    arena league history open
    arena league history open --log --limit 5
    """


@league.declare("work", _RUN, "Check and place submissions, and play more games.", "arena.cli.league.work", plays=True)
@league_argument
@play_too
@number_option(
    "--max-games",
    "Stop after N more games, which are played while no submission waits (0: stop as soon as none waits).",
    0,
)
@workers
@isolation_of_league
@trust
@json_form
def _work() -> None:
    """Check and place submissions to LEAGUE as they come, until Ctrl-C; then show the table.

    \b
    arena league work open --workers 4
    arena league work open --max-games 1000

    One process plays a league at a time; if there is one, this command waits until it ends. `arena serve` starts one.
    """


@league.declare("pause", _RUN, "Pause, or resume after a pause.", "arena.cli.league.manage")
@league_argument
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown to everybody who waits.")
@click.option("--undo", is_flag=True, help="End the pause; waiting commands continue.")
def _pause() -> None:
    """Pause LEAGUE: games in progress are finished, then everything waits. Bots can still be submitted.

    \b
    arena league pause open --reason "moving to another machine"
    arena league pause open --undo
    """


@league.declare("retire", _RUN, "Take a bot out of the table.", "arena.cli.league.manage")
@league_before
@click.argument("bot")
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown in the history.")
@click.option("--undo", is_flag=True, help="Bring the bot back.")
def _retire() -> None:
    """Take BOT out of the table of LEAGUE. Its games stay in the history but no longer count.

    \b
    arena league retire open oldbot --reason "replaced by newbot"
    """
