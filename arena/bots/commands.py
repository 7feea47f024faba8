"""Bots that are commands: `cmd:./mybot --fast`, `cmd:node bots/mine.js`, in any language.

The text after `cmd:` is split into words as a shell would, with quotes (`shlex`), but no shell is started: there
are no variables, wildcards or pipes. The first word is the program: a file if it has a slash, else what PATH finds,
else a file of the folder. Every other word that is the path of an existing file means that file. The bot's own folder
is that of the first of these files that is not a program of the system; the command is run there.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.bots.faults import BotError
from arena.errors import did_you_mean

PREFIX = "cmd:"
#: Where the system's programs are. The sandbox shows these folders to bots that are commands.
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM = tuple(f"{folder}/" for folder in SYSTEM_FOLDERS)
_SPEC = re.compile(r"(?:(?P<name>[^:=/\\]+)=)?\s*cmd:(?P<command>.*)", re.DOTALL)
_INTERPRETER = re.compile(r"(python|pypy|node|deno|bun|java|ruby|perl|lua|luajit|php|julia|Rscript|dotnet)[\d.]*")
_SCRIPT = re.compile(r"[\w./~-]+\.(py|js|mjs|cjs|ts|rb|pl|lua|php|jl|R|jar)")
_EXAMPLE = "cmd:./mybot --fast or cmd:node bots/mine.js"


@dataclass(frozen=True)
class Command:
    """A command that was found: its words with absolute paths, the bot's own files, and a hash over everything.

    `files` are the files it names that are not programs of the system, or else the program. The hash covers the
    command as written and the contents of these files, not what they load in turn.
    """

    argv: tuple[str, ...]
    files: tuple[Path, ...]
    source_hash: str


def split_spec(text: str) -> tuple[str | None, str] | None:
    """Own name and target (with `cmd:`) of the spec of a command, None for other specs.

    >>> split_spec("quick=cmd:./mybot --level=3"), split_spec("bots/cmd.py")
    (('quick', 'cmd:./mybot --level=3'), None)
    """
    match = _SPEC.fullmatch(text.strip())
    if match is None:
        return None
    name = match["name"]
    return (name.strip() if name else None), PREFIX + match["command"].strip()


def command_words(target: str) -> list[str]:
    """The words of a command; `BotError` if there are none or a quote is unclosed.

    >>> command_words("cmd:./mybot --name 'two words' a=b,c:d")
    ['./mybot', '--name', 'two words', 'a=b,c:d']
    """
    try:
        words = shlex.split(target.removeprefix(PREFIX))
    except ValueError as error:
        raise BotError(f"the command of the bot '{target}' cannot be read: {error}".replace("No ", "no ")) from None
    if not words or not words[0]:
        raise BotError(f"the bot '{target}' names no program; write {_EXAMPLE}")
    if "\0" in target:
        raise BotError(f"the command of the bot {target!r} holds a NUL; no program can be given one")
    return words


def command_name(target: str) -> str:
    """The name in tables of a command that was given none: that of the first file that is not an interpreter.

    >>> command_name("cmd:node bots/wire/js/counter.js"), command_name("cmd:./mybot --fast"), command_name("cmd:mybot")
    ('counter', 'mybot', 'mybot')
    """
    try:
        words = command_words(target)
    except BotError:  # said by whoever looks for the command
        return target
    looks = [word for word in words if not word.startswith("-") and re.search(r"/|\w\.\w+$", word)]
    own = [Path(word).stem for word in looks if not word.startswith(_SYSTEM)]
    named = [stem for stem in own if not _INTERPRETER.fullmatch(stem)]
    return (named or own or [Path(words[0]).stem])[0] or words[0]


def find_command(target: str, here: Path) -> Command:
    """The program and the files of a command, seen from the folder `here`; `BotError` if there is no program."""
    words = command_words(target)
    program = _program(words[0], target, here)
    argv, own = [str(program)], []
    if not _is_system(program) and "/" in words[0]:
        own.append(program)
    for word in words[1:]:
        path = here if word.startswith("-") else _absolute(here / os.path.expanduser(word))
        if os.path.isfile(path):
            word = str(path)
            if not _is_system(path):
                own.append(path)
        argv.append(word)
    if own in ([], [program]):
        _check_script(words, target, here)
    files = tuple(dict.fromkeys(own)) or (program,)
    return Command(tuple(argv), files, command_hash(target, files))


def _check_script(words: list[str], target: str, here: Path) -> None:
    """`BotError` for an interpreter whose script, its first argument that is not an option, does not exist."""
    script = next((word for word in words[1:] if not word.startswith("-")), "")
    if _INTERPRETER.fullmatch(Path(words[0]).name) and _SCRIPT.fullmatch(script):
        path = here / os.path.expanduser(script)
        raise BotError(f"no file {script} for the bot '{target}': {_why_missing('./', path, here)}")


def _program(word: str, target: str, here: Path) -> Path:
    import shutil  # not needed by the processes of Python bots, which start sooner without it

    on_path = shutil.which(word) if "/" not in word else None
    path = _absolute(Path(on_path) if on_path else here / os.path.expanduser(word))
    if os.path.isdir(path):  # unlike `Path.is_dir` it takes names of any length
        raise BotError(f"the program of the bot '{target}' is a folder: {path}; name the program in it")
    if not os.path.isfile(path):
        raise BotError(f"no program {word} for the bot '{target}': {_why_missing(word, path, here)}")
    if not os.access(path, os.X_OK):
        raise BotError(
            f"the program of the bot '{target}' is not executable; chmod +x {path}, or name what runs it: "
            f"cmd:{_interpreter(path)} {word}"
        )
    return path


def _why_missing(word: str, path: Path, here: Path) -> str:
    if "/" not in word:
        near = did_you_mean(word, _programs())
        return f"it is neither on PATH nor a file in {here}{near}"
    if not os.path.isdir(path.parent):
        return f"there is no folder {path.parent}"
    names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    sources = [name for name in names if Path(name).stem == path.name]
    if sources:
        return f"there is {', '.join(sources)}, but no program made from it; build it first"
    near = did_you_mean(path.name, names)
    return f"there is no such file in {path.parent}{near}"


def _programs() -> Iterable[str]:
    for folder in os.get_exec_path():
        if os.path.isdir(folder):
            yield from os.listdir(folder)


def _interpreter(path: Path) -> str:
    known = {".py": "python3", ".js": "node", ".mjs": "node", ".rb": "ruby", ".pl": "perl", ".lua": "lua", ".sh": "sh"}
    return known.get(path.suffix, "PROGRAM")


def _absolute(path: Path) -> Path:
    """The path with links resolved, unless they lead to the system: the Python of a virtual environment stays in it."""
    plain = Path(os.path.abspath(path))
    real = Path(os.path.realpath(path))
    return plain if _is_system(real) else real


def _is_system(path: Path) -> bool:
    return str(path).startswith(_SYSTEM) or os.path.realpath(path).startswith(_SYSTEM)


def command_hash(target: str, files: Iterable[Path]) -> str:
    """SHA-256 over the hashes of the command as written and of each file."""
    total = hashlib.sha256(hashlib.sha256(target.encode("utf-8", "surrogateescape")).digest())
    for path in files:
        try:
            with path.open("rb") as stream:
                total.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise BotError(f"cannot read {path} of the bot '{target}': {error.strerror}") from None
    return total.hexdigest()


def check_unchanged(target: str, files: Iterable[str], source_hash: str) -> None:
    """`BotError` if a file of a command has changed since the command was found."""
    if command_hash(target, map(Path, files)) != source_hash:
        raise BotError(f"a file of the bot '{target}' has changed since it was named; start again with the new one")
