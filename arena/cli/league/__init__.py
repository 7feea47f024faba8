"""`arena league`: a standing league of submitted bots."""

from __future__ import annotations

import click

from arena.cli.main import Entry, LazyGroup

SET_UP, LOOK, RUN, OVERSEE = "Set up", "Look", "Run", "Oversee"
COMMANDS: dict[str, Entry] = {
    "create": Entry("arena.cli.league.setup:create", "Create a league.", SET_UP),
    "invite": Entry("arena.cli.web.invite:invite", "Invite authors to its web pages.", SET_UP),
    "list": Entry("arena.cli.league.setup:list_", "List the leagues here.", SET_UP),
    "standings": Entry("arena.cli.league.look:standings", "Show the table, now or as it was.", LOOK),
    "history": Entry("arena.cli.league.look:history", "Show what has happened.", LOOK),
    "show": Entry("arena.cli.league.look:show", "Show a bot: versions, opponents, forfeits.", LOOK),
    "export": Entry("arena.cli.league.look:export", "Write all games as CSV.", LOOK),
    "site": Entry("arena.cli.web.site:site", "Write its pages as files, for a web host.", LOOK),
    "fetch": Entry("arena.cli.league.look:fetch", "Write a bot's files as they were submitted.", LOOK),
    "log": Entry("arena.cli.league.oversee:log", "Show the audit log.", OVERSEE),
    "budget": Entry("arena.cli.league.oversee:budget", "Show or set what authors may use.", OVERSEE),
    "verify": Entry("arena.cli.league.oversee:verify", "Check it for damage.", OVERSEE),
    "pause": Entry("arena.cli.league.oversee:pause", "Pause it.", OVERSEE),
    "resume": Entry("arena.cli.league.oversee:resume", "Resume it.", OVERSEE),
    "play": Entry("arena.cli.league.run:play", "Play more games to narrow the errors.", RUN),
    "work": Entry("arena.cli.web.serve:work", "Check and place submissions as they come.", RUN),
    "retire": Entry("arena.cli.league.run:retire", "Take a bot out of the table.", RUN),
}


@click.group(cls=LazyGroup, entries=COMMANDS, epilog="To submit a bot: arena submit BOT --league LEAGUE")
def league() -> None:
    """A standing league: bots are submitted, checked, placed and rated together.

    LEAGUE is a name in leagues/, or the folder of a league.
    """
