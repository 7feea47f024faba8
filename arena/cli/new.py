"""`arena new NAME`: a bot that runs, to be changed."""

from __future__ import annotations

import keyword
import os
import re
from pathlib import Path

import click

from arena.errors import ArenaError

SKELETON = '''"""{name}: a bot for Schotten-Totten. Say here what its idea is.

Try it:    arena match bots/{name}.py random --games 200
See it:    arena replay results/... 1
Check it:  arena check bots/{name}.py
"""

from arena import Bot, Move, Setup, View


class {class_name}(Bot):
    """Plays where its card goes best with what lies there already."""

    def __init__(self, colour: float = 3.0, value: float = 4.0) -> None:
        """Parameters are set from outside, typed by these annotations: bots/{name}.py:colour=2,value=5"""
        self.colour = colour
        self.value = value

    def begin(self, setup: Setup) -> None:
        """A new game: setup.seat, setup.rules, setup.seed, setup.clock. Forget the last one here."""

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return one of `moves`. Every choice in the game comes here, one by one.

        view.hand                     own cards, such as ("r7", "b2", "*J")
        view.mine[s], view.theirs[s]  the cards of both sides of stone s + 1, for s in 0..8
        view.owners                   nine letters: a (seat 0), b (seat 1), . (nobody)
        view.unseen                   clan cards that may still come
        view.rng                      a random generator for this game; use no other
        view.phase                    what is to be decided: play, draw, take, ...
        move.kind, move.card, move.stone, str(move)
        """
        mine = view.mine
        worths = [self.worth(mine, move) for move in moves]
        best = max(worths)
        return view.rng.choice([move for move, worth in zip(moves, worths) if worth == best])

    def worth(self, mine: tuple[tuple[str, ...], ...], move: Move) -> float:
        """How good a move looks. Here is where your ideas go."""
        if move.kind != "place" or move.card is None or move.stone is None:
            return 0.0
        worth = 0.0
        for other in mine[move.stone - 1]:
            worth += self.colour * (other[0] == move.card[0])  # one colour: r7 and r8
            worth += self.value * (other[1:] == move.card[1:])  # of a kind: r7 and b7
        return worth
'''


class NewBotError(ArenaError):
    """The skeleton cannot be written."""


@click.command()
@click.argument("name")
def new(name: str) -> None:
    """Write the skeleton of a bot into ./bots/NAME.py: it runs at once and explains what a bot is given."""
    name = name.removesuffix(".py")
    if keyword.iskeyword(name):
        raise NewBotError(
            f"'{name}' cannot be a bot's name: it is a word of Python; try '{name.lower()}_bot'"
        )
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        lower = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        lower += "_bot" * keyword.iskeyword(lower)
        wish = f"; try '{lower}'" if re.fullmatch(r"[a-z][a-z0-9_]*", lower) else ""
        raise NewBotError(
            f"'{name}' cannot be a bot's name: small letters, digits and _, beginning with a letter{wish}"
        )
    path = Path("bots") / f"{name}.py"
    _write(path, SKELETON.format(name=name, class_name=class_name(name)))
    click.echo(
        f"{path} is written. Let it play, and check it before you submit it:\n\n"
        f"  arena match {path.as_posix()} random --games 200\n  arena check {path.as_posix()}"
    )


def class_name(name: str) -> str:
    """The class of a bot.

    >>> class_name("my_first_bot")
    'MyFirstBot'
    """
    return "".join(part.capitalize() for part in name.split("_"))


def _write(path: Path, text: str) -> None:
    from arena.paths import data_folder

    if path.parent.exists() and not path.parent.is_dir():
        raise NewBotError(f"cannot write {path}: {path.parent} is a file, not a folder")
    try:
        path.parent.mkdir(exist_ok=True)
        # never over a file that is there, not even if it appears at this moment
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        raise NewBotError(f"{path} exists already and is left as it is; choose another name") from None
    except OSError as error:
        raise NewBotError(f"cannot write {path}: {error.strerror or error}") from None
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    known = data_folder("bots") / path.name
    if known.is_file() and known.resolve() != path.resolve():
        click.echo(f"Note: '{path.stem}' is also a reference bot; here that name now means {path}.", err=True)
