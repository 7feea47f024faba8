"""`arena play`: a person against a bot."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.main import INTERRUPTED
from arena.cli.terminal.watch import watch_bots
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.terminal.full import FullScreen
    from arena.terminal.lines import Lines
    from arena.terminal.session import Seating

GAMES = Path("games")
PERSON = "you"


@click.command()
@click.argument("bots", nargs=-1, metavar="BOT [BOT2]", shell_complete=options.complete_bots)
@click.option("--rules", default=None, metavar="R", shell_complete=options.complete_rules, help="Default: base.")
@click.option("--seed", type=options.SEED, metavar="S", help="Of cards and chance. Default: random, and shown.")
@click.option("--begin", type=click.Choice(("you", "bot")), help="Who makes the first move. Default: by the seed.")
@click.option("--claims", is_flag=True, help="Claim stones yourself; else each is claimed as soon as it can be.")
@click.option("--isolation", type=options.ISOLATION, default="process", show_default=True, help="Where the bot runs.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: a file in games/.")
@click.option("--resume", "file", type=click.Path(path_type=Path), metavar="FILE", help="Resume a saved game.")
@click.option("--plain", is_flag=True, help="Line by line instead of on the whole screen.")
def play(
    bots: tuple[str, ...],
    rules: str | None,
    seed: int | None,
    begin: str | None,
    claims: bool,
    isolation: str,
    out: Path | None,
    file: Path | None,
    plain: bool,
) -> int:
    """Play a game against BOT. With two bots: watch them play, as arena watch does.

    \b
    arena play greedy
    arena play champion --rules tactical --seed 7

    Type a move such as r7@3, or its beginning and Tab; or choose with the arrow keys. `help` lists what else there is:
    hint, why 3, undo, resign, save, quit.

    The game is saved in games/ after every move, as a record that 'arena replay' shows; it counts in no table. After
    leaving (quit, Ctrl-C, Ctrl-D, or a closed terminal), resume with --resume FILE or with the same command and seed.
    A resigned game is stored as resigned.
    """
    if file is not None:
        if bots or rules or seed is not None or begin or claims or out is not None:
            raise click.UsageError("--resume takes bots, rules and the like from FILE; leave them out")
        session_file, seating, moves = _stored(file, isolation)
    else:
        if len(bots) == 2:
            if begin or claims or out is not None:
                raise click.UsageError("--begin, --claims and --out are for a person who plays; here are two bots")
            return watch_bots(bots, rules or "base", seed, isolation)
        if len(bots) != 1:
            raise click.UsageError(f"expected one bot to play against, or two to watch; found {len(bots)}")
        seating = _seating(bots[0], rules or "base", seed, begin, claims, isolation)
        session_file, moves = _file(seating, out), ()
        if session_file.is_file() and (found := _going_on(session_file, seating)) is not None:
            click.echo(f"Going on with {session_file}.", err=True)
            seating, moves = found
    return _play(seating, session_file, moves, plain)


def _seating(bot: str, rules: str, seed: int | None, begin: str | None, claims: bool, level: str) -> Seating:
    from arena.bots.spec import find_bot
    from arena.game.rng import derive_seed
    from arena.game.rules import load_rules
    from arena.lab.tournament import drawn_seed
    from arena.terminal.session import Seating

    spec = find_bot(bot)
    number = drawn_seed() if seed is None else seed
    first = begin == "you" if begin else derive_seed(number, "who begins") % 2 == 0
    name = PERSON if spec.name != PERSON else f"{PERSON}2"
    bots, names = (None, spec), (name, spec.name)
    if not first:
        return Seating(load_rules(rules), number, (spec, None), (spec.name, name), claims, level)
    return Seating(load_rules(rules), number, bots, names, claims, level)


def _file(seating: Seating, out: Path | None) -> Path:
    """The file of a game; one that is over is not written again."""
    from arena.terminal.session import read_unfinished

    if out is not None:
        if out.exists() and read_unfinished(out) is None:
            raise ArenaError(f"{out} holds a game that is over; name another file, or remove it")
        return out
    bot = next(name for name in seating.names if name != seating.person)
    name = re.sub(r"[^\w.]+", "-", f"{bot[:60]}-{seating.rules.name}-{seating.seed}").strip("-.")
    at = 1
    while True:
        path = GAMES / f"{name}{f'-{at}' if at > 1 else ''}.txt"
        if not path.exists() or read_unfinished(path) is not None:
            return path
        at += 1


def _going_on(path: Path, seating: Seating) -> tuple[Seating, tuple[int, ...]] | None:
    """The game that was begun in a file, if it is the same one."""
    from dataclasses import replace

    from arena.terminal.session import read_unfinished

    found = read_unfinished(path)
    if found is None:
        return None
    same = (seating.rules.canonical, seating.seed, seating.names, seating.claims)
    other = (found.record.rules.canonical, found.seed, found.names, found.claims)
    if same != other:
        raise ArenaError(
            f"{path} holds another, unfinished game: resume it with 'arena play --resume {shlex.quote(str(path))}', "
            "or name another file with --out"
        )
    return replace(seating), found.moves


def _stored(path: Path, level: str) -> tuple[Path, Seating, tuple[int, ...]]:
    from arena.bots.spec import find_bot
    from arena.terminal.session import Seating, read_unfinished

    if not path.is_file():
        raise ArenaError(f"there is no file {path}; 'arena play BOT' begins a game")
    found = read_unfinished(path)
    if found is None:
        raise ArenaError(f"the game in {path} is over; look at it with: arena replay {shlex.quote(str(path))} 1")
    bot = find_bot(found.bot)
    bots = (None, bot) if found.names[0] == found.person else (bot, None)
    return path, Seating(found.record.rules, found.seed, bots, found.names, found.claims, level), found.moves


def _play(seating: Seating, path: Path, moves: tuple[int, ...], plain: bool) -> int:
    from arena.terminal.desk import Left
    from arena.terminal.lines import Lines, on_screen
    from arena.terminal.session import Session, end_text

    path.parent.mkdir(parents=True, exist_ok=True)
    screen: Lines | FullScreen
    if plain or not on_screen():
        screen = Lines(seating.person, str(path))
    else:
        from arena.terminal.full import FullScreen

        screen = FullScreen(seating.person, str(path))
    session = Session(seating, screen, path, moves)
    try:
        screen.run(session, end_text)
    except Left:
        return _left(path)
    except KeyboardInterrupt:
        _left(path)
        return INTERRUPTED
    _tell_end(path)
    return 0


def _left(path: Path) -> int:
    click.echo(f"The game is saved. Resume it with: arena play --resume {shlex.quote(str(path))}")
    return 0


def _tell_end(path: Path) -> None:
    click.echo(f"Saved in {path}. Look at it again: arena replay {shlex.quote(str(path))} 1")
