"""`arena init` and `arena config`: what comes with the program, for those who have no checkout of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from arena.errors import ArenaError, did_you_mean
from arena.text import counted, quoted

COPIED = (
    ("configs", "*.toml", "configs"),
    ("configs", "leagues/*.toml", "configs"),
    ("examples", "**/*", "examples"),
    ("bots", "*.py", "examples/bots"),  # to be read; in bots/ they would stand for the names of the program's own
    ("bots", "wire/**/*", "bots"),
)
"""What `arena init` copies: folder of the program, which files, and where to."""
_KINDS = (".py", ".toml", ".c", ".js", ".java", ".go", ".ts", ".md", ".npz")
IGNORED = "results/\nleagues/\n__pycache__/\n"
BOT = "mybot"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
def init(folder: Path) -> None:
    """Make FOLDER (default: this one) a place to work in: folders, a first bot, configurations, examples.

    bots/ is where bots are found by name, configs/ where tournaments are; examples/ holds scripts for the Python
    interface and, below bots/, the reference bots to read. Files that are there already are left as they are.
    """
    from arena.bots.skeleton import SKELETON, class_name
    from arena.paths import data_folder

    bot = SKELETON.format(name=BOT, class_name=class_name(BOT))
    files = {Path("bots") / f"{BOT}.py": bot.encode(), Path(".gitignore"): IGNORED.encode()}
    for name, pattern, target in COPIED:
        source = data_folder(name)
        for path in _sources(source, pattern):
            files[Path(target) / path.relative_to(source)] = path.read_bytes()
    made: list[Path] = []
    kept: list[Path] = []
    for path, data in files.items():
        (made if _write_new(folder / path, data) else kept).append(path)
    _tell(folder, made, kept)


def _sources(folder: Path, pattern: str) -> list[Path]:
    """The files that are copied; none that a compiler or an editor has left."""
    found = sorted(path for path in folder.glob(pattern) if path.is_file() and path.suffix in _KINDS)
    return [path for path in found if not any(part[0] in "._" for part in path.relative_to(folder).parts)]


def _write_new(path: Path, data: bytes) -> bool:
    """Write a file unless there is one of that name. Whether it was written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(data)
    except FileExistsError:
        if os.path.lexists(path):
            return False
        raise ArenaError(f"cannot write {path}: {path.parent} is a file, not a folder") from None
    except NotADirectoryError:
        raise ArenaError(f"cannot write {path}: one of its folders is a file") from None
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror or error}") from None
    return True


def _tell(folder: Path, made: list[Path], kept: list[Path]) -> None:
    where = {".": "this folder"}.get(str(folder), str(folder))
    places = dict.fromkeys(path.parts[0] for path in made)
    for place in places:
        files = [path for path in made if path.parts[0] == place]
        click.echo(f"{place:12} {counted(len(files), 'file')}" if len(files[0].parts) > 1 else place)
    if kept:
        click.echo(f"Left as they were: {', '.join(path.as_posix() for path in kept[:5])}{', ...' * (len(kept) > 5)}")
    if not made:
        click.echo(f"Nothing to do: {where} has it all.")
        return
    change = "" if str(folder) == "." else f"  cd {folder}\n"
    click.echo(
        f"\n{where[0].upper()}{where[1:]} is ready. Try:\n\n{change}  arena run quick\n"
        f"  arena match {BOT} random --games 200\n  arena replay latest 1"
    )


# ---------------------------------------------------------------- configurations


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in shipped() if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_complete)
@click.option("--path", "as_path", is_flag=True, help="Print the path of the file instead of its content.")
def config(name: str | None, as_path: bool) -> None:
    """Print a configuration that comes with the program, to read it or to change a copy. Without NAME: which there are.

    \b
      arena config quick > configs/mine.toml
      arena config rules/iello-tactical
    """
    found = shipped()
    if name is None:
        for key, path in found.items():
            click.echo(f"{key:28} {_subject(path)}".rstrip())
        return
    path = find_config(name, found)
    click.echo(path if as_path else path.read_text(encoding="utf-8"), nl=as_path)


def shipped() -> dict[str, Path]:
    """The files by their names: tournaments, then leagues and rule sets in folders of theirs."""
    from arena.paths import data_folder

    root = data_folder("configs")
    paths = sorted(root.glob("**/*.toml"), key=lambda path: (len(path.parts), path))
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in paths}


def find_config(name: str, found: dict[str, Path]) -> Path:
    """The file of a name such as `quick`, `quick.toml`, `rules/iello-base` or `iello-base`."""
    key = Path(name).as_posix().removesuffix(".toml").removeprefix("configs/")
    for one in (key, *_ends(found, key)):
        if one in found:
            return found[one]
    near = did_you_mean(key, [*found, *(one.rpartition("/")[2] for one in found)])
    raise ArenaError(f"no configuration {quoted(name)} comes with the program{near} (arena config lists them)")


def _ends(found: dict[str, Path], key: str) -> Iterator[str]:
    """Names in folders that end so; a rule set also by its short name."""
    from arena.game.rules import SHORT_NAMES

    key = SHORT_NAMES.get(key, key)
    yield from (one for one in found if one.endswith(f"/{key}"))


def _subject(path: Path) -> str:
    """The first sentence of the comment at the top of a file, which says what it is."""
    lines = takewhile(lambda line: line.strip("# "), path.read_text(encoding="utf-8").splitlines())
    comment = " ".join(line.removeprefix("#").strip() for line in lines if line.startswith("#"))
    return re.split(r"\.(?: |$)|: arena|:$", comment)[0]
