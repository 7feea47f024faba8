"""`arena watch`: two bots at the table, or a stored game, move by move."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.options import chosen_games, complete_bots
from arena.text import indented, one_line

if TYPE_CHECKING:
    from arena.results.reading.game import GameFilter
    from arena.terminal.session import Session

_GAME = re.compile(r"([^/]+/)?[0-9]+(/[0-9]+/[0-9]+)?")


@click.command()
@click.argument("what", nargs=-1, metavar="A B | DIR GAME", shell_complete=complete_bots)
@click.option("--rules", metavar="R", shell_complete=options.complete_rules, help="For two bots. Default: base.")
@click.option("--seed", type=options.SEED, metavar="S", help="For two bots. Default: drawn at random, and shown.")
@click.option("--isolation", type=options.ISOLATION, default="process", show_default=True, help="Where bots run.")
@click.option("--pace", type=options.real(0.05, 60), default=1.0, metavar="S", help="Seconds per move. Default: 1.")
@click.option("--move", "begin", type=options.whole(0), default=0, metavar="N", help="Start after move N, paused.")
@chosen_games
def watch(
    what: tuple[str, ...],
    rules: str | None,
    seed: int | None,
    isolation: str,
    pace: float,
    begin: int,
    wanted: GameFilter,
) -> int:
    """Watch bots A and B play, or a game that is stored, at a chosen pace; step back and forth.

    \b
    arena watch greedy odds --rules tactical --pace 0.5
    arena watch latest 17
    arena watch latest 1 --bot mybot --lost

    DIR GAME is what arena replay takes. Keys: space plays and stops, arrows step, c and C go to the next claim and the
    one before, + and - change the pace, h the hands that are seen, f who sits below, 12g goes to move 12, q leaves.
    Without a terminal the whole game is printed.
    """
    stored = len(what) == 1 or (len(what) == 2 and _GAME.fullmatch(what[1]) is not None)
    if stored:
        if rules is not None or seed is not None:
            raise click.UsageError("--rules and --seed are for a game of two bots; a stored game has its own")
        return _watch_stored(what[0], what[1] if len(what) == 2 else None, wanted, pace, begin)
    if len(what) != 2:
        raise click.UsageError(f"expected two bots, or a run and a game of it; found {len(what)} words")
    if not wanted.all:
        raise click.UsageError("--bot and the options like it choose among stored games")
    return watch_bots(what, rules or "base", seed, isolation, pace, begin)


def watch_bots(
    bots: tuple[str, ...], rules: str, seed: int | None, level: str, pace: float = 1.0, begin: int = 0
) -> int:
    """Play a game of two bots and show it meanwhile."""
    from arena.bots.spec import find_bots
    from arena.cli.replay import show_whole
    from arena.game.rules import load_rules
    from arena.lab.tournament import drawn_seed
    from arena.results.reading.game import StoredGame
    from arena.terminal.lines import on_screen
    from arena.terminal.session import Seating, Session
    from arena.terminal.shots import Film

    one, other = find_bots(bots)
    number = drawn_seed() if seed is None else seed
    found = load_rules(rules)
    seating = Seating(found, number, (one, other), (one.name, other.name), level=level)
    film = Film(found)
    session = Session(seating, film)
    if on_screen():
        from arena.terminal.viewer import Viewer

        Viewer(film, pace, begin, begin == 0).run_session(session, _end_text)
    else:
        session.play()
        assert session.result is not None
        show_whole(StoredGame.of(session.result))
    click.echo(f"{one_line(one.name)} - {one_line(other.name)}, rules {found.name}, seed {number}.")
    if session.result is not None:
        click.echo(_end_text(session))
    return 0


def _end_text(session: Session) -> str:
    from arena.game.record import parse_record
    from arena.results.board import result_line
    from arena.results.reading.game import StoredGame

    assert session.result is not None
    stored = StoredGame.of(session.result)
    text = result_line(parse_record(stored.record), stored.names)
    return text + (f"\n  {indented(stored.reason.strip())}" if stored.reason.strip() else "")


def _watch_stored(source: str, game: str | None, wanted: GameFilter, pace: float, begin: int) -> int:
    from arena.cli.replay import show_whole
    from arena.results.sources import read_one
    from arena.terminal.lines import on_screen

    stored = read_one(source, game, wanted)
    if not on_screen():
        show_whole(stored, begin)
        return 0
    from arena.terminal.shots import Film
    from arena.terminal.viewer import Viewer

    film = Film.of(stored)
    if begin >= len(film.shots):
        raise click.UsageError(f"--move {begin}: the game has {len(film.shots) - 1} moves")
    Viewer(film, pace, begin, begin == 0).run()
    return 0
