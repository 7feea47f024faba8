"""`arena replay`: list stored games, or show one: as text, as a page, judged, or with a bot asked again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click

from arena.cli.options import (
    PATH_OR_STDOUT,
    chosen_games,
    complete_bots,
    complete_runs,
    counting,
    gathered,
    opened,
    output,
    print_report,
    whole_option,
    write_page,
)
from arena.results.data_formats import json_text
from arena.results.judge import analyse, game_report, run_losses, run_report, write_losses
from arena.results.pages.game_data import replay_page
from arena.results.positions import game_values
from arena.results.records import is_record, record_lines
from arena.results.sources import (
    GameFilter,
    RecordFile,
    StoredComparison,
    StoredRun,
    find_source,
    list_games,
    listed_values,
    read_game,
)
from arena.terminal.debug import ask
from arena.terminal.lines import print_game

NODES = 2000


@dataclass(frozen=True)
class ReplayOptions:
    """How to show a game: by at most one of `record`, `html`, `ask` and `judge`, else as text or JSON."""

    record: bool
    html: bool
    out: Path | None
    opened: bool
    ask: str | None
    player: str | None
    judge: bool
    nodes: int | None
    everything: bool

    def check(self, form: str) -> None:
        """Refuse options that exclude each other, or that need another option."""
        ways = {"--record": self.record, "--ask": self.ask is not None, "--judge": self.judge}
        ways["--html"] = self.html and not self.judge
        ways["--json"] = form == "json" and not self.judge
        chosen = [option for option, given in ways.items() if given]
        if len(chosen) > 1:
            raise click.UsageError(f"{' and '.join(chosen)} were given together; choose one")
        needs = (
            ("--out", self.out is not None, "--html", self.html),
            ("--open", self.opened, "--html", self.html),
            ("--as", self.player is not None, "--ask", self.ask is not None),
            ("--nodes", self.nodes is not None, "--judge", self.judge),
            ("--all", self.everything, "--judge", self.judge),
            (f"--print {form}", form not in ("table", "json"), "--judge", self.judge),
        )
        for option, given, needed, present in needs:
            if given and not present:
                raise click.UsageError(f"{option} belongs to {needed}; add it")


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@chosen_games
@click.option("--limit", type=whole_option(0), default=20, show_default=True, metavar="N", help="List N games; 0: all.")
@click.option(
    "--move", type=whole_option(0), metavar="N", help="Start after move N. With --ask: show only this decision."
)
@gathered(
    ReplayOptions,
    "options",
    click.option("--record", is_flag=True, help="Print only the records of the games."),
    click.option(
        "--ask",
        metavar="BOT",
        shell_complete=complete_bots,
        help="Replay in this process, asking BOT for its moves again.",
    ),
    click.option("--as", "player", metavar="BOT", help="With --ask: the player to replace, if BOT did not play."),
    click.option("--judge", is_flag=True, help="Show the chance to win after each move, turning points and blunders."),
    click.option(
        "--nodes",
        type=whole_option(0, 10**7),
        metavar="N",
        help="With --judge: nodes searched per move; 0: the net alone (default: 2000 for one game, 0 for a run).",
    ),
    click.option("--all", "everything", is_flag=True, help="With --judge: show every decision."),
    click.option("--html", is_flag=True, help="Write the game as an HTML page. With --judge: with the chances to win."),
    click.option("-o", "--out", type=PATH_OR_STDOUT, metavar="FILE", help="The file of the page (-: stdout)."),
    opened,
)
@output
def replay_command(
    source: str,
    game: str | None,
    wanted: GameFilter,
    limit: int,
    move: int | None,
    options: ReplayOptions,
    form: str,
) -> None:
    """List the games of RUN, or show GAME: as text, as a page, judged, or with a bot asked again.

    \b
    arena replay latest --bot mybot --lost
    arena replay latest 17 --html --open
    arena replay latest 17 --ask bots/mybot.py --move 23
    arena replay latest 17 --judge
    arena replay latest 17 --json

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison or a league, a file of records
    (arena export --records; '-' for standard input), or a record itself. GAME is a game of the run, such as
    greedy/odds/12 (greedy begins, deal 12), or its number from 1; in a comparison base/greedy/odds/12 or base/3; in a
    file its line. --bot and the options after it choose games, and GAME then counts among these. A game lost by forfeit
    ends with the reason.

    --json prints the listed games, or all of GAME with its moves.

    With --ask, all decisions of BOT are listed: its move then, its move now, and the time it took. With --move N, what
    the bot sees at that decision, its legal moves, what it prints and its answer are shown. The bot decides from the
    start of the game, and the game continues with the moves that were played. A breakpoint() in the bot stops in the
    Python debugger.

    With --judge, each move is judged by what its player could know, with the net and the search of the bot champion.
    Without GAME, all games of a run are judged, and the average losses of each bot are stored beside the run, for
    'arena standings RUN --all'.
    """
    options.check(form)
    as_json = form == "json" and not options.judge
    if as_json and move is not None:
        raise click.UsageError("--json prints all moves of a game; leave out --move")
    single = game is not None or is_record(source)
    if not single and wanted.all:
        if options.judge:
            if options.everything or options.html:
                raise click.UsageError("--all and --html are for one game; name it, such as 1")
            _judge_run(source, options.nodes or 0, form)
            return
        if options.html:
            raise click.UsageError(
                f"--html writes one game; name it, such as 1 ('arena report {source}' writes several)"
            )
    shows_game = options.html or options.judge or options.ask is not None
    if not single and not shows_game and not (wanted.all and _holds_one(source)):
        if options.record:
            with find_source(source).games() as games:
                for chosen in games.chosen(wanted):
                    click.echo(chosen.record)
            return
        if as_json:
            click.echo(json_text(listed_values(find_source(source), wanted, limit)), nl=False)
            return
        for line in list_games(find_source(source), wanted, limit):
            click.echo(line)
        return
    found, key = read_game(source, game, wanted), game or "1"
    judged = analyse(found, NODES if options.nodes is None else options.nodes) if options.judge else None
    if options.record:
        click.echo(found.record)
    elif as_json:
        click.echo(json_text(game_values(found)), nl=False)
    elif options.html:
        file = options.out or Path(f"game-{key.replace('/', '-')}.html")
        write_page(replay_page(found, key, judged), file, options.opened)
    elif judged is not None:
        print_report(game_report(found, judged, options.everything), form)
    elif options.ask is not None:
        ask(found, options.ask, options.player, move)
    else:
        print_game(found, move or 0)


def _holds_one(source: str) -> bool:
    """Return whether a file holds a single record, such as a game that was played with `arena play`."""
    found = find_source(source)
    return isinstance(found, RecordFile) and len([*islice(record_lines(found.path), 2)]) == 1


def _judge_run(source: str, nodes: int, form: str) -> None:
    """Judge all games of a run, and store what the moves of each bot lost on average."""
    found = find_source(source)
    if isinstance(found, StoredComparison):
        raise click.UsageError(f"{source} is a comparison; name the folder of one of its runs")
    with found.games() as games:
        count = games.count()
        with counting(count, "Judging") as step:
            losses = run_losses(games, nodes, step)
    if isinstance(found, StoredRun):
        write_losses(losses, found.path)
    print_report(run_report(found.path.name, losses, count), form)
