"""`arena new`: a bot, and a folder to start from."""

from __future__ import annotations

import keyword
import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from arena.errors import ArenaError
from arena.paths import data_folder
from arena.text import counted, quoted

_BOT = "mybot"
IGNORED = "results/\nleagues/\nsite/\n*.enc\n__pycache__/\n"
COPIED = (
    ("configs", "**/*.toml", "configs"),
    ("examples", "**/*", "examples"),
    ("bots", "*.py", "examples/bots"),  # to read; in bots/ they would replace the program's own bots of the same names
    ("bots", "wire/**/*", "bots"),
)
"""The files of a workspace: the packaged folder, the pattern of files to copy, and the target folder."""
REPOSITORY = (
    ("examples/class_repository", "*", "."),
    ("examples/class_repository/workflows", "*", ".github/workflows"),
)
"""The files of a repository for a class, in the same form."""
_KINDS = (".py", ".toml", ".c", ".js", ".java", ".go", ".ts", ".md", ".npz", ".yml")


def new_command(name: str | None, workspace: Path | None, repository: bool) -> None:
    """Run `arena new`."""
    if workspace is None and (name is None or repository):
        raise click.UsageError(
            "--repository needs --workspace DIR" if repository else "give the NAME of a bot, or --workspace DIR"
        )
    name = _BOT if name is None else name.removesuffix(".py")
    _check_name(name)
    bot = (data_folder("examples") / f"{_BOT}.py").read_text(encoding="utf-8")
    bot = bot.replace(_BOT, name).replace(class_name(_BOT), class_name(name))
    if workspace is not None:
        home = Path("bots") / name if repository else Path("bots")  # a bot reads its folder: one for each author
        made = _make_workspace(workspace, {home / f"{name}.py": bot.encode()}, REPOSITORY if repository else COPIED)
        if made:
            click.echo(_next_steps(workspace, name, repository))
        return
    path = Path("bots") / f"{name}.py"
    if not _write_new(path, bot.encode()):
        raise ArenaError(f"{path} already exists; choose another name")
    click.echo(
        f"Wrote {path}. Try it, and check it before you submit it:\n\n"
        f"  arena match {path.as_posix()} random --games 200\n  arena check {path.as_posix()}\n\n"
        f"Once it is in Git, is a change better than what you committed?\n\n  arena sprt {path.as_posix()}"
    )


def class_name(name: str) -> str:
    """Return the name of a bot's class.

    >>> class_name("my_first_bot")
    'MyFirstBot'
    """
    return "".join(part.capitalize() for part in name.split("_"))


def _check_name(name: str) -> None:
    """Raise ArenaError if `name` cannot be a bot's name."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        rule = "lower-case letters, digits and _, starting with a letter, and no keyword of Python"
        raise ArenaError(f"{quoted(name)} cannot be a bot's name; use {rule}")
    if (data_folder("bots") / f"{name}.py").is_file():
        raise ArenaError(f"'{name}' is the name of a reference bot; choose another name")


def _make_workspace(folder: Path, files: dict[Path, bytes], copied: Iterable[tuple[str, str, str]]) -> bool:
    """Write files and copies of packaged ones into a folder; say and return whether something was written."""
    files = {**files, Path(".gitignore"): IGNORED.encode()}
    for source_name, pattern, target in copied:
        source = data_folder(source_name)
        for path in _sources(source, pattern):
            files[Path(target) / path.relative_to(source)] = path.read_bytes()
    kept = [path for path, data in files.items() if not _write_new(folder / path, data)]
    click.echo(f"{counted(len(files) - len(kept), 'file')} written to {folder.as_posix()}/")
    if kept:
        names = [path.as_posix() for path in kept[:5]] + (["..."] if len(kept) > 5 else [])
        click.echo(f"Already there, not changed: {', '.join(names)}")
    return len(kept) < len(files)


def _sources(folder: Path, pattern: str) -> list[Path]:
    """Return the files to copy, without those that compilers and editors leave behind."""
    paths = sorted(path for path in folder.glob(pattern) if path.is_file() and path.suffix in _KINDS)
    return [path for path in paths if not any(part[0] in "._" for part in path.relative_to(folder).parts)]


def _write_new(path: Path, data: bytes) -> bool:
    """Write a file unless it exists; return whether it was written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as file:
            file.write(data)
    except OSError as error:
        if isinstance(error, FileExistsError) and os.path.lexists(path):
            return False
        raise ArenaError(f"cannot write {path}: {error.filename}: {error.strerror}") from None
    return True


def _next_steps(folder: Path, bot: str, repository: bool) -> str:
    if repository:
        return (
            f"{(folder / 'README.md').as_posix()} says how to set it up on GitHub. Once it is committed, is a"
            f" change better? arena sprt bots/{bot}/{bot}.py"
        )
    change = "" if str(folder) == "." else f"  cd {shlex.quote(str(folder))}\n"
    return f"Try:\n\n{change}  arena run quick\n  arena match bots/{bot}.py random --games 200\n  arena replay latest 1"
