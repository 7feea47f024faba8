"""The commands of `arena`, declared: names, options and help. What each does is imported when it runs."""

from __future__ import annotations

import click

from arena.cli.group import CommandGroup, under, with_options
from arena.cli.league import league
from arena.cli.options import (
    ERROR_TYPE,
    HOW_TO_PLAY,
    ISOLATION,
    PATH,
    PATH_OR_STDOUT,
    TEXT_OR_STDOUT,
    WHAT_TO_PLAY,
    WHAT_TO_PLAY_IN_A_FIELD,
    WHAT_TO_SHOW,
    as_json,
    chosen_bots,
    chosen_games,
    clock,
    complete_bots,
    complete_configs_and_runs,
    complete_leagues,
    complete_rules,
    complete_runs,
    csv_folder,
    error,
    exclude,
    format_option,
    games,
    isolation_of_league,
    json_form,
    league_argument,
    number_option,
    opened,
    out_option,
    output,
    play_options,
    play_too,
    prior,
    quiet,
    rating_of,
    real_option,
    rule_sets,
    rules,
    seed,
    strict,
    trust,
    whole_option,
    workers,
)
from arena.results import PLOT_KINDS
from arena.tournament.run_settings import FORMAT_SETTINGS

_PLAY, _LOOK, _LEAGUE, _WRITE, _GAME = "Play", "Look at results", "League", "Write bots", "The game"

_FIRST = (
    ("rules --learn", "how the game is played"),
    ("play greedy", "play it against a bot"),
    ("run quick", "three bots play a tournament"),
    ("replay latest 1", "one of its games"),
    ("report latest", "its tables, figures and games as a page"),
    ("new mybot", "write a bot of your own"),
    ("match bots/mybot.py random", "how good is it?"),
    ("sprt bots/mybot.py greedy", "is it stronger? (at most 5% wrong verdicts)"),
    ("ladder bots/mybot.py", "where does it stand among reference bots?"),
    ("check bots/mybot.py", "is it fit for a league?"),
)
"""The commands to start with, and what each is for."""


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND ...",
    options_metavar="",
    invoke_without_command=True,
    epilog="'arena COMMAND --help' explains a command; 'arena --version' shows the version. Exit codes: 0 success,"
    " 1 problems found, or a bot that forfeits every game, 2 usage error, 3 and 4 verdicts of sprt and tune, 130"
    " interrupted.",
)
@click.version_option(package_name="schotten-arena", prog_name="arena", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Bot tournaments and match statistics for the card game Schotten-Totten.

    'arena' alone shows the commands to begin with.
    """
    if ctx.invoked_subcommand is None:
        lines = [f"  arena {command:<27} {what}" for command, what in _FIRST]
        text = "Bot tournaments for the card game Schotten-Totten. To begin with:"
        click.echo(
            "\n".join([text, "", *lines, "", "'arena --help' lists all commands, 'arena COMMAND --help' explains one."])
        )


# ---------------------------------------------------------------- play


@cli.declare("run", _PLAY, "Play the tournament of a TOML file, or what is left of a run.", "arena.cli.run", plays=True)
@click.argument("config", metavar="CONFIG|RUN", shell_complete=complete_configs_and_runs)
@play_options(WHAT_TO_PLAY_IN_A_FIELD, HOW_TO_PLAY, WHAT_TO_SHOW)
@trust
def _run() -> None:
    """Play the tournament that CONFIG describes, or what is left of RUN.

    \b
    arena run quick
    arena run mycup.toml --games 200 --workers 4
    arena run results/greedy-random-x7ab --games 400
    python make_cup.py | arena run -

    CONFIG is a TOML file, the name of one that comes with the program, or '-' for standard input. RUN is the folder of
    a run, its name in results/, or 'latest': it keeps the settings with which it was last played.

    Options take precedence over these settings. The run is brought up to date: games of new and of changed bots are
    played, all others stay as they are stored, and bots that CONFIG does not name leave the tables. So after an
    interruption, with a changed file or with another size, give the same command again. --dry-run says what would be
    played.

    To play on RUN runs the bots that it names. If you did not create it, the bots are shown and you are asked first.
    """


@cli.declare("match", _PLAY, "Play two bots against each other.", "arena.cli.run", plays=True)
@click.argument("bot1", shell_complete=complete_bots)
@click.argument("bot2", shell_complete=complete_bots)
@play_options(WHAT_TO_PLAY, HOW_TO_PLAY, WHAT_TO_SHOW)
def _match() -> None:
    """Play BOT1 against BOT2, 100 games by default.

    \b
    arena match greedy random
    arena match bots/mine.py:depth=2 greedy --games 1000 --move-ms 50

    A bot is a name (random), a file (bots/mine.py) or package.module:Class. Parameters follow a colon
    (bots/mine.py:depth=2,style=bold); a name for the tables may come first (deep=bots/mine.py:depth=2).
    """


@cli.declare("tournament", _PLAY, "Play two or more bots, in any format.", "arena.cli.run", plays=True)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bots)
@click.option(
    "--format",
    "format_",
    type=click.Choice([name for name in FORMAT_SETTINGS if name not in ("match", "sprt")]),
    default="round-robin",
    show_default=True,
)
@with_options(format_option("hero", "BOT"), format_option("rounds"), format_option("matches"))
@exclude
@play_options(WHAT_TO_PLAY_IN_A_FIELD, HOW_TO_PLAY, WHAT_TO_SHOW)
def _tournament() -> None:
    """Play every BOT against every other, or in another format. In a gauntlet, the first bot plays all the others.

    \b
    arena tournament greedy counter bots/mine.py
    arena tournament bots/*.py --format gauntlet --hero greedy --hero odds
    arena tournament bots/*.py --format swiss --rounds 7
    arena tournament class/ --exclude 'class/helper*.py'

    Bots are named as in 'arena match'. A folder stands for the bot files in it, and a pattern such as 'group*/*.py' for
    all files that match: without those whose names begin with _ or a dot.
    With --out, the run in that folder is brought up to date as by 'arena run'.
    """


@cli.declare("compare", _PLAY, "Play the same deals under several rule sets.", "arena.cli.compare", plays=True)
@click.argument("bots", nargs=-1, metavar="BOT...", shell_complete=complete_bots)
@click.option(
    "--variants",
    multiple=True,
    metavar="R,R,...",
    help="Rule sets, such as base,tactical:hand_size=6,scout_return=top,expert, or all; may be repeated.",
)
@click.option(
    "--baseline",
    metavar="R",
    shell_complete=complete_rules,
    help="Compare every other variant with this one only, instead of each with each.",
)
@click.option(
    "--from",
    "stored",
    multiple=True,
    metavar="RUN...",
    help="Play nothing: compare stored runs or earlier comparisons.",
)
@exclude
@play_options(
    under("What to play", games, seed, clock, error, rating_of), HOW_TO_PLAY, under("What to show", strict, quiet)
)
@csv_folder
@output
def _compare() -> None:
    """Play the same deals under several rule sets, and show what the rules change.

    \b
    arena compare greedy counter --variants base,tactical,expert
    arena compare --from mycup othercup

    Every BOT plays every other in each variant, on the same deals as far as the decks allow; a folder or a pattern such
    as 'class/*.py' stands for the bot files there. A variant is a rule set, with or without changed options;
    option=value after a comma belongs to the variant before it. Each variant is stored as a run of its own, in
    DIR/VARIANT. The same command with --out DIR brings the comparison up to date: after an interruption, with another
    --games, with other bots or variants.

    The exit code is 1 if a bot forfeited every game of a variant, or with --strict any game.
    """


@cli.declare("sprt", _PLAY, "Play until it is clear whether a bot is stronger.", "arena.cli.run", plays=True)
@click.argument("bot1", shell_complete=complete_bots)
@click.argument("bot2", required=False, shell_complete=complete_bots)
@with_options(*(format_option(key) for key in ("elo0", "elo1", "alpha", "beta", "adjusted", "max_pairs")))
@play_options(under("What to play", rules, seed, clock), HOW_TO_PLAY, WHAT_TO_SHOW)
def _sprt() -> None:
    """Play pairs of games until it is clear whether BOT1 is stronger than BOT2 (a sequential test, SPRT).

    \b
    arena sprt bots/mybot.py
    arena sprt bots/mybot.py bots/mybot.py@v1 --elo0 0 --elo1 10

    BOT1 alone is tested against the last commit's version of it; if nothing has changed since, and for a BOT@REVISION,
    against the version before. Between two versions, the seed follows from both, so each new version plays other
    deals, and asked again unchanged, the command shows the stored verdict.

    Pairs are tested in the order of the schedule, so verdict and length do not depend on the number of workers. To
    continue an interrupted test, give the same command again or use 'arena run DIR'.

    \b
    Exit codes, for scripts and CI:
      0    H1 accepted: BOT1 is shown to be stronger than --elo0
      3    H0 accepted: BOT1 is not shown to be stronger by --elo1
      4    undecided: --max-pairs played
      1    a bot forfeited every game, or with --strict any
      2    wrong use, or an error
      130  interrupted
    """


@cli.declare("play", _PLAY, "Play against a bot.", "arena.cli.play", plays=True)
@click.argument("bot", metavar="BOT|GAME", shell_complete=complete_bots)
@rules
@seed
@click.option(
    "--begin", type=click.Choice(("you", "bot")), help="Who makes the first move (default: the seed decides)."
)
@click.option("--claims", is_flag=True, help="Claim stones yourself. Otherwise each is claimed as soon as it can be.")
@click.option("--isolation", type=ISOLATION, default="process", show_default=True, help="Where bots run.")
@click.option(
    "--from", "place", nargs=3, metavar="RUN GAME MOVE", help="Play on from a stored game, in place of its move MOVE."
)
@click.option("--plain", is_flag=True, help="Play line by line instead of on the whole screen.")
def _play() -> None:
    """Play a game against BOT.

    \b
    arena play greedy
    arena play champion --rules tactical --seed 7
    arena play net --from latest 17 23
    arena play games/greedy-iello-base-7.txt

    Type a move such as r7@3, or choose with the arrow keys. 'help' lists the other commands: hint, why 3, undo, resign,
    quit.

    The game is saved in games/ after every move, as a record for 'arena replay'; it counts in no table. If you leave
    (quit, Ctrl-C, Ctrl-D, or a closed terminal), 'arena play GAME' resumes it, GAME being that file.
    """


@cli.declare("ladder", _PLAY, "Place a bot on the ladder of reference bots.", "arena.cli.author", plays=True)
@click.argument("bot", shell_complete=complete_bots)
@rule_sets("base")
@games
@click.option("--isolation", type=ISOLATION, help="Where BOT runs: none (default), in this process, with your rights.")
@workers
@strict
@quiet
def _ladder() -> None:
    """Play BOT against every rung of the ladder of reference bots, and say where it stands.

    \b
    arena ladder bots/mine.py --rules base,tactical

    BOT plays pairs of games against each rung (--games per rung, by default 100). It is stronger or weaker than a rung
    if the 95% interval of their Elo difference says so. Each rule set is a run in results/, which 'arena standings' and
    'arena replay' read. To resume, give the same command again. The rungs play each other with 'arena run ladder'.

    The exit code is 1 if BOT or a rung forfeited every game, or a rung cannot be loaded, or with --strict any game.
    """


@cli.declare("runs", _LOOK, "List the stored runs.", "arena.cli.runs")
@click.argument("folder", type=PATH, required=False)
@number_option("--limit", "List N runs; 0: all.", 0, default=20)
@output
def _runs() -> None:
    """List the runs and comparisons in FOLDER (default: results), the most recently played first.

    \b
    arena runs
    arena runs --limit 0 --json

    Commands that take a RUN find it by the name shown here, with or without its last four letters; 'latest' is the
    first in the list. To delete a run, delete its folder.
    """


@cli.declare("standings", _LOOK, "Show the table of a run; with --all, all statistics.", "arena.cli.standings")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("bot", required=False)
@click.option("--all", "everything", is_flag=True, help="Show all statistics, and all lines of a large field.")
@click.option(
    "--error",
    type=ERROR_TYPE,
    metavar="E",
    help="With --all: show how many more pairs would bring each 95% error down to E Elo (default: 10).",
)
@prior
@click.option(
    "--adjusted",
    is_flag=True,
    help="Take the luck of the draw out of ratings and errors (about 36 ms per game, once).",
)
@chosen_bots
@click.option("--versions", is_flag=True, help="Compare the versions of bots that changed, against the bots of now.")
@click.option(
    "--files", type=PATH, metavar="DIR", help="With a BOT of a league: also write its files to a new folder DIR."
)
@csv_folder
@output
def _standings() -> None:
    """Show the standings of RUN, even while it is being played. RUN is a path, a name in results/, or 'latest'.

    \b
    arena standings latest
    arena standings mycup --all --csv tables
    arena standings mycup --versions
    arena standings mycup --without random

    For a comparison, show one table per variant. For a league, show its table, or of a BOT (mybot, or mybot@v2) the
    versions, the opponents and the games lost by forfeit.

    With --all, show all statistics: ratings, scores by bot and by opponent with their errors, how many more pairs are
    needed, the advantage of moving first, length, stones and points, endings, forfeits and thinking time. CSV and JSON
    have more tables than the terminal.

    With --versions, show whether changes of bots have helped: all versions of a bot that the run holds, each against
    the bots that play now, and the difference of the one that plays from each other one on the games that both played.

    --without and --only select games after they were played, and the table says so: a choice made with the results in
    view proves little. In Python, arena.load(RUN).games has all games, and arena.rate rates any of them.

    The exit code is 1 if a bot forfeited every game of RUN.
    """


@cli.declare("replay", _LOOK, "List stored games, or show one.", "arena.cli.replay")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@chosen_games
@number_option("--limit", "List N games; 0: all.", 0, default=20)
@click.option("--record", is_flag=True, help="Print only the records of the games.")
@as_json
@out_option("FILE", "Write the game as an HTML page (-: stdout).", PATH_OR_STDOUT)
@opened
def _replay() -> None:
    """List the games of RUN, or show GAME: as text, as JSON, or as a page that plays it.

    \b
    arena replay latest --bot mybot --lost
    arena replay latest 17
    arena replay latest 17 --open

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison or a league, a file of records
    (arena export --records; '-' for standard input), or a record itself. GAME is a game of the run, such as
    greedy/odds/12 (greedy begins, deal 12), or its number from 1; in a comparison base/greedy/odds/12 or base/3; in a
    file its line. --bot and the options after it choose games, and GAME then counts among these. A game lost by forfeit
    ends with the reason.

    --json prints the listed games, or all of GAME with its moves. --open without -o writes game-GAME.html.

    'arena judge' finds the mistakes of a game, and 'arena debug' asks a bot again.
    """


@cli.declare("judge", _LOOK, "Find the turning points and mistakes of a game.", "arena.cli.replay")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@number_option("--nodes", "Nodes searched per move; 0: the net alone.", 0, 10**7, default=2000)
@out_option("FILE", "Write the game as an HTML page with the chances to win (-: stdout).", PATH_OR_STDOUT)
@opened
@output
def _judge() -> None:
    """Show the chance to win after each move of GAME, its turning points and blunders.

    \b
    arena judge latest 17
    arena judge latest mybot/greedy/3 --nodes 200 --open

    RUN and GAME are as for 'arena replay', which lists the games. Each move is judged by what its player could know,
    with the net and the search of the bot champion; all but '--print table' show every move. --open without -o writes
    game-GAME.html.
    """


@cli.declare("report", _LOOK, "Write a run as one HTML page.", "arena.cli.export")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@out_option("FILE", "Default: report.html in the folder of the run; -: stdout.", PATH_OR_STDOUT)
@number_option("--replays", "Number of games to replay.", 0, 1000, default=20)
@opened
@chosen_games
@chosen_bots
@prior
def _report() -> None:
    """Write RUN as one HTML page: standings, all statistics, and games to play through.

    \b
    arena report latest
    arena report latest --bot mybot --lost -o lost.html
    arena report latest --without random

    RUN is the folder of a run (or its name in results/, or 'latest'), even while it is being played, a comparison, a
    league, or a file of records. The page needs no network: send it, print it, open it anywhere. --bot and the options
    after it choose the games to replay; the figures are always about all games, but for those that --without and --only
    leave out.
    """


@cli.declare("plot", _LOOK, "Draw a figure of a run: SVG, PNG or PDF.", "arena.cli.export")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option("--kind", type=click.Choice(PLOT_KINDS), default="standings", show_default=True, help="What to plot.")
@out_option(
    "FILE", "A file name that ends in .svg, .png or .pdf (default: KIND.svg); -: stdout, as SVG.", PATH_OR_STDOUT
)
def _plot() -> None:
    """Draw a figure of RUN for a paper or a post.

    \b
    standings   ratings with their 95% errors
    crosstable  score of each bot against each other bot
    variants    win rates by rule set, for a comparison
    progress    ratings as more games are counted
    lengths     how many games took how many turns
    history     ratings of the versions of a bot by commit

    \b
    arena plot latest --kind progress -o progress.svg

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison, a league, or a file of records.
    PNG and PDF need CairoSVG: pip install 'schotten-arena[plot]'. In a notebook: arena.load(RUN).plot(KIND).
    """


@cli.declare("export", _LOOK, "Write tables, records or moves to files.", "arena.cli.export")
@click.argument("source", metavar="RUN|FILE", shell_complete=complete_runs)
@click.option(
    "--all", "everything", is_flag=True, help="Also write games.csv, and crosstable.csv for more than 100 bots."
)
@out_option("DIR|F.xlsx", "Write to DIR (default: RUN), or all tables to one workbook.")
@click.option(
    "--records",
    type=TEXT_OR_STDOUT,
    metavar="F[.gz]",
    help="Write one record per line, for replay, verify and arena.load. -: stdout. F.parquet: a row per game.",
)
@click.option(
    "--moves",
    type=TEXT_OR_STDOUT,
    metavar="F",
    help="Write one row per decision: .csv, .csv.gz or .parquet. -: stdout.",
)
@click.option(
    "--pgn",
    type=TEXT_OR_STDOUT,
    metavar="F",
    help="Write players and results as PGN, for arena rate, Ordo and BayesElo. -: stdout.",
)
@chosen_games
def _export() -> None:
    """Write the tables of RUN to files: standings.csv, crosstable.csv, summary.json and timing.csv.

    \b
    arena export latest --all
    arena export latest -o cup.xlsx
    arena export latest --records lost.txt --bot mybot --lost
    arena export latest --records games.parquet
    arena export latest --pgn games.pgn

    With --records, --moves or --pgn, only those files are written, with all games or those chosen by --bot and the
    options after it. A workbook has a sheet each for standings, crosstable and games. FILE, a file of records, has no
    tables. A file is written completely or not at all.
    """


@cli.declare("verify", _LOOK, "Check a run by replaying its games.", "arena.cli.runs")
@click.argument("source", metavar="RUN|FILE", shell_complete=complete_runs)
@as_json
def _verify() -> None:
    """Check the database of a run, replay every game, and compare the results with what is stored.

    \b
    arena verify latest
    arena verify leagues/open

    It also checks a comparison, a league or a file of records. The exit code is 1 if anything is damaged or any game
    differs.
    """


@cli.declare("rate", _LOOK, "Rate the bots in any list of games.", "arena.cli.standings")
@click.argument("source", metavar="FILE|RUN", shell_complete=complete_runs)
@prior
@click.option("--anchor", "anchors", multiple=True, metavar="BOT=ELO", help="Fix a bot's rating; may be repeated.")
@click.option("--no-first-advantage", is_flag=True, help="Fix the advantage of moving first at 0.")
@chosen_bots
@click.option("--los", is_flag=True, help="Add the likelihood that each bot is stronger than each other.")
@output
def _rate() -> None:
    """Rate the bots in a list of games, or in a run.

    \b
    arena rate games.csv --anchor greedy=100
    arena rate latest --los
    arena rate latest --without random
    arena export latest --pgn - | arena rate -

    FILE is a CSV file with the header first,second,score or first,second,score,deal: the bot that moved first, the
    other bot, the points of the first (1, 0.5 or 0) and, if games share their cards, any label for the deal. The header
    white,black,result (1-0, 1/2-1/2 or 0-1), semicolons or tabs instead of commas, and the tags of a PGN file are read
    as well, compressed or not. RUN is a run, a comparison, a league or a file of records. '-' stands for a file on
    standard input.

    The exit code is 1 if a bot forfeited every game; lists of games do not tell.
    """


cli.add(league, _LEAGUE)


@cli.declare("submit", _LEAGUE, "Submit a bot to a league.", "arena.cli.league.submit", plays=True)
@click.argument("bot", shell_complete=complete_bots)
@click.option(
    "--league",
    "name",
    metavar="NAME",
    shell_complete=complete_leagues,
    help="The league: a name in leagues/, or a folder (default: the only one).",
)
@click.option("--server", metavar="URL", help="A league on the web, instead of --league.")
@click.option("--author", metavar="TEXT", help="The bot's author; later versions must name the same one.")
@click.option(
    "--folder",
    type=PATH,
    metavar="DIR",
    help="Submit all files in DIR; BOT is a file (or command) in it.",
)
@click.option("--again", is_flag=True, help="Check a refused file again.")
@workers
@isolation_of_league
@trust
@json_form
def _submit() -> None:
    """Submit BOT to a league: store, check and place it, and show the new standings.

    \b
    arena submit bots/mine.py --league open --author Ada
    arena submit bots/mine.py --server https://league.example

    BOT is a file, with any parameters after a colon (bots/mine.py:depth=2) and any name before it (deep=bots/mine.py).
    The files that it has when it plays are submitted with it. One with the same name and different content is a new
    version, which replaces the old one.
    """


@cli.declare("serve", _LEAGUE, "Serve a league on the web.", "arena.cli.league.serve", extra="web", plays=True)
@league_argument
@click.option("--host", default="127.0.0.1", help="Address to listen on (default: 127.0.0.1, this machine only).")
@click.option("--port", type=whole_option(0, 65535), default=8000, show_default=True, metavar="N")
@number_option(
    "--workers", "Games played at the same time (default: one fewer than cores; 0: only serve, play nothing).", 0, 1024
)
@play_too
@click.option("--secure", is_flag=True, help="Mark cookies as Secure. Use this behind HTTPS.")
@number_option("--upload-mb", "Largest upload, in MiB.", 1, 32, default=8)
@number_option("--games", "Games that visitors may play against bots at the same time (0: none).", 0, 1000, default=8)
@click.option(
    "--guests",
    type=whole_option(0, 1000),
    default=2,
    show_default=True,
    metavar="N",
    help="Visitors of one address who may play at the same time without signing in, at most half of all"
    " (0: only authors play).",
)
@isolation_of_league
def _serve() -> None:
    """Serve LEAGUE on the web: its pages, and uploads by invited authors (arena league people).

    \b
    arena serve open --port 8080 --play

    It also plays the league, unless another process does. All commands but arena league work can be used at
    the same time. Stop it with Ctrl-C, which finishes the current games.
    """


@cli.declare("new", _WRITE, "Write a new bot, or set up a folder to work in.", "arena.cli.new")
@click.argument("name", required=False)
@click.option(
    "--workspace",
    type=PATH,
    metavar="DIR",
    help="Set up the folder DIR to work in, with a bot, configurations and examples.",
)
@click.option(
    "--repository", is_flag=True, help="Make the workspace a Git repository that takes bots as pull requests."
)
def _new() -> None:
    """Write a new bot to bots/NAME.py. It plays as it is, and its comments explain what a bot is given.

    \b
    arena new mybot
    arena new --workspace mywork
    arena new --workspace mycup --repository

    With --workspace DIR, the bot (default: mybot) goes to DIR/bots, where bots are found by name. Tournaments to start
    from go to DIR/configs, scripts for the Python interface and the reference bots to DIR/examples. Existing files
    are not changed. DIR can be '.'. With --repository, DIR gets the files of a repository on GitHub instead: workflows
    that check the bots of pull requests, play a cup and publish its table.
    """


@cli.declare("check", _WRITE, "Check a bot before you submit it.", "arena.cli.author", plays=True)
@click.argument("bot", shell_complete=complete_bots)
@rule_sets("base,tactical,expert")
@number_option("--games", "Games per rule set (default: 40).", 2, 1_000_000)
@click.option(
    "--seconds",
    type=real_option(1, 1_000_000),
    metavar="S",
    default=60,
    show_default=True,
    help="Play as many of the games as fit into this time, at least one.",
)
@seed
@clock
@click.option(
    "--isolation",
    type=ISOLATION,
    default="sandbox",
    show_default=True,
    help="Where the bot runs. With none or process, it has all your rights.",
)
@as_json
@click.option("--strict", is_flag=True, help="Exit with code 1 also if there are only warnings.")
def _check() -> None:
    """Check BOT before you submit it: whether it forfeits and repeats its decisions, and how fast it is.

    \b
    arena check bots/mine.py
    arena check bots/mine.py --rules base --games 12 --strict

    BOT is named as in 'arena match', with parameters if needed. It plays against 'random' and against itself, as in a
    league; then the same games are played again, in reverse order and with another hash seed.

    Exit code 1 if there is an error (with --strict, also if there is a warning).
    """


@cli.declare("debug", _WRITE, "Ask a bot again for its moves in a game.", "arena.cli.replay")
@click.argument("bot", shell_complete=complete_bots)
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@click.option("--as", "player", metavar="NAME", help="The player to replace, if BOT did not play under its own name.")
@number_option("--move", "Show only this decision, with all that BOT sees.", 1)
def _debug() -> None:
    """Ask BOT again at each of its decisions in GAME, in this process.

    \b
    arena debug bots/mybot.py latest 17
    arena debug bots/mybot.py latest 17 --move 23
    arena debug bots/new.py latest 17 --as mybot

    RUN and GAME are as for 'arena replay', which lists the games. All decisions of BOT are listed: its move then, its
    move now, and the time it took. With --move N, what the bot sees at that decision, its legal moves, what it prints
    and its answer are shown. The bot decides from the start of the game, and the game continues with the moves that
    were played. A breakpoint() in the bot stops in the Python debugger.
    """


@cli.declare("tune", _WRITE, "Find good parameters for a bot.", "arena.cli.author", plays=True)
@with_options(
    click.argument("bot", shell_complete=complete_bots),
    click.option(
        "--param", "params", multiple=True, metavar="NAME:RANGE", help="Such as depth:1..6, boldness:0..1, style:a|b."
    ),
    click.option("--against", multiple=True, metavar="BOT", help="Opponent; may be repeated (default: BOT as it is)."),
    number_option("--trials", "Proposals to try.", 1, 10_000, default=24),
    number_option("--games", "Games per pairing in a trial.", 2, 10**6, default=200),
    number_option("--confirm", "Games per pairing at the end.", 2, 10**6, default=400),
    rules,
    seed,
    clock,
)
@workers
@out_option("DIR", "Where to store the tuning (default: results/tune-BOT).")
@as_json
def _tune() -> None:
    """Find good parameters for BOT by playing pairs of games.

    \b
    arena tune mybot --param depth:1..6 --param boldness:0..1

    Optuna proposes parameters. All proposals play the same deals; those that fall behind are stopped early. The best
    one then meets BOT as it is, and the opponents, on deals that were not used before. The same seed gives the same
    result for any number of workers. The same command continues an interrupted tuning; with more --trials, or
    games to --confirm, it continues a finished one.

    Exit codes: 0 the winner is stronger than BOT as it is (with a likelihood above 95%), 3 this was not shown, 1 a bot
    forfeited every game of the confirmation.
    """


@cli.declare("doctor", _WRITE, "Check the installation.", "arena.cli.doctor")
@as_json
def _doctor() -> None:
    """Check the installation, and show which levels of isolation work on this machine.

    !! marks what is required but missing (exit code 1), -- what is optional and missing.
    """


@cli.declare("rules", _GAME, "List, show and compare rule sets.", "arena.cli.game")
@click.argument("names", nargs=-1, shell_complete=complete_rules)
@click.option("--learn", is_flag=True, help="Teach the game, and what each rule set (or NAME) changes.")
@as_json
def _rules() -> None:
    """Teach the game, list rule sets, show one, or compare two.

    \b
    arena rules --learn
    arena rules
    arena rules tactical
    arena rules base expert

    Without NAMES, list all rule sets. For one name, show its options; for two, show the differences. A rule set is a
    name, a TOML file, or either with changed options: iello-tactical:hand_size=6,scout_return=top
    """


@cli.declare("explain", _GAME, "Say whether a stone can be claimed, and why.", "arena.cli.game")
@click.option(
    "--mine",
    required=True,
    metavar="CARDS",
    help="The claimant's side: r1,r2,r3 (wild cards *J *7 *123, bound *J=r7).",
)
@click.option("--theirs", metavar="CARDS", default="", help="The opposing side; may be empty.")
@click.option("--seen", metavar="CARDS", default="", help="Clan cards face up on other stones or discarded.")
@click.option("--mud", is_flag=True, help="The stone has Mud: four cards per side.")
@click.option("--fog", is_flag=True, help="The stone has Fog: only sums count.")
@click.option("--first", type=click.Choice(["mine", "theirs"]), help="Which side was completed first.")
@rules
@as_json
def _explain() -> None:
    """Say whether a stone can be claimed, and if not, with which cards the opponent could still win it.

    \b
    arena explain --mine r1,r2,r3 --theirs b2,b3 --seen b4
    arena explain --mine r1,*J,r3 --theirs b2,b3 --fog --rules tactical

    A card is written r7, R7, red7 or 'red 7'. Only clan cards that are face up count in a proof; cards in hands and
    tactic cards that were not played do not.
    """
