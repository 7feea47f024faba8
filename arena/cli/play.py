"""`arena play`: play against a bot."""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from pathlib import Path

import click

from arena.bots.spec import BotSpec, find_bot
from arena.cli.group import INTERRUPTED
from arena.cli.printing import refuse_options
from arena.errors import ArenaError
from arena.game.record import parse_record
from arena.game.rng import derive_seed
from arena.game.rules import load_rules
from arena.results.positions import decisions
from arena.results.sources import read_game
from arena.terminal.input import Left
from arena.terminal.live import is_drawable
from arena.terminal.screens import FullScreen, LineInterface
from arena.terminal.session import Seating, Session, read_unfinished
from arena.tournament.folders import drawn_seed

_GAMES, _SAVED = Path("games"), ".txt"
PERSON = "you"


def play_command(
    bot: str,
    rules: str | None,
    seed: int | None,
    begin: str | None,
    claims: bool,
    isolation: str,
    place: tuple[str, str, str] | None,
    plain: bool,
) -> int:
    """Run `arena play`."""
    if bot.endswith(_SAVED):
        refuse_options("is for a new game; this one goes on as it began", "rules", "seed", "begin", "claims", "place")
        path = Path(bot)
        if not path.is_file():
            raise ArenaError(f"there is no file {path}; start a game with: arena play BOT")
        seating, moves = read_unfinished(path, isolation)
        return _play(seating, path, moves, plain)
    seed = drawn_seed() if seed is None else seed
    spec = find_bot(bot)
    person = PERSON if spec.name != PERSON else f"{PERSON}2"
    if place is not None:
        refuse_options(
            "does not go with --from: rules and seats are those of the stored game", "rules", "begin", "claims"
        )
        seating, moves = _position(*place, seed, spec, person, isolation)
        return _play(seating, _file(seating), moves, plain)
    begins = begin == "you" if begin else derive_seed(seed, "who begins") % 2 == 0
    players = (None, spec) if begins else (spec, None)
    names = (person, spec.name) if begins else (spec.name, person)
    seating = Seating(load_rules(rules or "base"), seed, players, names, claims, isolation)
    return _play(seating, _file(seating), (), plain)


def _position(
    run: str, game: str, move: str, seed: int, bot: BotSpec, person: str, isolation: str
) -> tuple[Seating, tuple[int, ...]]:
    """Seat the person in the place of the bot that made a move of a stored game; return the moves before it as well."""
    made = decisions(found := read_game(run, game))
    if not move.isdecimal() or not 1 <= int(move) <= len(made):
        raise ArenaError(f"game {game} has the moves 1 to {len(made)}; '{move}' is none of them")
    record = parse_record(found.record)
    if record.auto_claim != (True, True):
        raise ArenaError(f"a bot claimed stones itself in game {game}; such a game cannot be played on")
    begins = made[int(move) - 1].seat == record.deal.starter
    players = (None, bot) if begins else (bot, None)
    names = (person, bot.name) if begins else (bot.name, person)
    seating = Seating(record.rules, seed, players, names, level=isolation, deal=record.deal_text)
    return seating, tuple(one.index for one in record.moves[: int(move) - 1])


def _file(seating: Seating) -> Path:
    """Return a file that does not exist, to save a new game to."""
    bot = next(name for name in seating.names if name != seating.person)
    name = re.sub(r"[^\w.]+", "-", f"{bot[:60]}-{seating.rules.name}-{seating.seed}").strip("-.")
    paths = (_GAMES / f"{name}{f'-{number}' if number > 1 else ''}{_SAVED}" for number in itertools.count(1))
    return next(path for path in paths if not path.exists())


def _play(seating: Seating, path: Path, moves: tuple[int, ...], plain: bool) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_plain = plain or not is_drawable(sys.stdin, sys.stdout)
    screen = LineInterface(seating.person) if is_plain else FullScreen(seating.person)
    name = shlex.quote(str(path))
    try:
        screen.run(Session(seating, screen, path, moves))
    except KeyboardInterrupt as gone:
        click.echo(f"The game is saved. Resume it with: arena play {name}")
        return 0 if isinstance(gone, Left) else INTERRUPTED
    click.echo(f"Saved in {path}. Replay it: arena replay {name} 1")
    return 0
