"""`arena new NAME`: a working bot to start from."""

from __future__ import annotations

import keyword
import os
import re
from pathlib import Path

import click

from arena.bots.skeleton import SKELETON, class_name
from arena.errors import ArenaError
from arena.text import quoted

KAGGLE = '''"""{name}: a function agent(observation, configuration), as Kaggle has them. Describe its idea here.

Try it:    arena match bots/{name}.py random --games 200
See it:    arena replay results/... 1
Check it:  arena check bots/{name}.py
"""

from arena.adapters.kaggle import kaggle_bot


def agent(observation, configuration):
    """Return one of observation.moves, or its place in them. Every choice in the game is made here, one at a time.

    observation.hand                            your cards, such as ["r7", "b2", "*J"]
    observation.mine[s], observation.theirs[s]  the cards of both sides of stone s + 1, for s in 0..8
    observation.owners[s]                       "mine", "theirs" or None
    observation.phase, observation.step         the kind of decision (play, draw, take, ...), turns before this one
    configuration.rules, configuration.hand_size, ...
    """
    def worth(move):
        card, _, stone = move.partition("@")
        if not stone.isdigit():
            return 0
        return sum((other[0] == card[0]) + (other[1:] == card[1:]) for other in observation.mine[int(stone) - 1])

    return max(observation.moves, key=worth)


act = kaggle_bot(agent)
'''


@click.command()
@click.argument("name")
@click.option("--kaggle", is_flag=True, help="Write it as a function agent(observation, configuration), as on Kaggle.")
def new(name: str, kaggle: bool) -> None:
    """Write a new bot to ./bots/NAME.py. It works as it is, and its comments explain what a bot is given."""
    name = name.removesuffix(".py")
    if keyword.iskeyword(name):
        raise ArenaError(f"'{name}' cannot be a bot's name: it is a Python keyword; try '{name.lower()}_bot'")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        lower = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        lower += "_bot" * keyword.iskeyword(lower)
        wish = f"; try '{lower}'" if re.fullmatch(r"[a-z][a-z0-9_]*", lower) else ""
        raise ArenaError(
            f"{quoted(name)} cannot be a bot's name; use lower-case letters, digits and _, starting with a letter{wish}"
        )
    path = Path("bots") / f"{name}.py"
    _write(path, (KAGGLE if kaggle else SKELETON).format(name=name, class_name=class_name(name)))
    click.echo(
        f"Wrote {path}. Try it, and check it before you submit it:\n\n"
        f"  arena match {path.as_posix()} random --games 200\n  arena check {path.as_posix()}"
    )


def _write(path: Path, text: str) -> None:
    from arena.paths import data_folder

    if path.parent.exists() and not path.parent.is_dir():
        raise ArenaError(f"cannot write {path}: {path.parent} is a file, not a folder")
    try:
        path.parent.mkdir(exist_ok=True)
        # never overwrite a file, not even one that appears at this moment
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        raise ArenaError(f"{path} already exists; choose another name") from None
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror or error}") from None
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    known = data_folder("bots") / path.name
    if known.is_file() and known.resolve() != path.resolve():
        click.echo(f"Note: '{path.stem}' is also a reference bot; in this folder the name now means {path}.", err=True)
