"""`arena league`: a standing league of submitted bots."""

from __future__ import annotations

import click

from arena.cli.group import Entry, LazyGroup

LEAGUE_COMMANDS: dict[str, Entry] = {
    "create": Entry("arena.cli.league.setup:create_command", "Create a league.", "Set up"),
    "people": Entry("arena.cli.league.setup:people_command", "Invite authors; show and limit what they use.", "Set up"),
    "show": Entry("arena.cli.league.show:show_command", "Show a league or a bot, or list the leagues.", "Look"),
    "history": Entry("arena.cli.league.show:history_command", "Show past events, or the log.", "Look"),
    "work": Entry(
        "arena.cli.league.work:work_command", "Check and place submissions, and play more games.", "Run", plays=True
    ),
    "pause": Entry("arena.cli.league.work:pause_command", "Pause, or resume after a pause.", "Run"),
    "retire": Entry("arena.cli.league.work:retire_command", "Take a bot out of the table.", "Run"),
}


@click.group(cls=LazyGroup, entries=LEAGUE_COMMANDS)
def league() -> None:
    """Create and run a standing league: bots are submitted, checked, placed and rated together.

    \b
    arena league create open
    arena submit bots/mine.py --league open
    arena league show open

    LEAGUE is a name in leagues/, or the folder of a league; it can be left out if there is only one. The commands for
    runs also accept it: arena standings, replay, report, plot, export and verify.
    """
