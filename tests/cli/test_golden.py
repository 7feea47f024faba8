"""What commands print and say, whole: golden.txt has command lines, their output, and files that they need.

`ARENA_GOLDEN=1 pytest tests/cli/test_golden.py` writes it anew; look at the difference before you commit it. A part
begins with `== NAME` and an empty folder. Its lines:

    + FILE    write a file, from the lines after it that begin with |
    $ LINE    run `arena LINE`, with <FILE as standard input or >FILE for what it prints
    : TEXT    what was printed
    ! TEXT    what was said on stderr
    = CODE    the exit code, if it is not 0

All other lines are for readers.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.paths import data_folder
from tests.cli.conftest import Arena
from tests.cli.league.conftest import no_check

__all__ = ["no_check"]  # a fixture
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("no_check")]

GOLDEN = Path(__file__).with_name("golden.txt")
VARIES = {
    r"(?m)^\S+ v\d+: placing.*\n": "",  # as often as there is time
    r"Usage: .*\n(Try .* for help\.\n\n)?": "",
    r"\d{4}-\d\d-\d\d( \d\d:\d\d)?": "DATE",
    r'"seconds": [\d.]+': '"seconds": N',
    r"Python 3\.\d+": "Python 3",
    r"\d+ files written": "N files written",
    r"uses [\d.]+ MiB": "uses N MiB",
    r"\b(?=\w*[a-f])(?=\w*\d)[0-9a-f]{8,64}\b": "HASH",
    r"\d[\d.,]* (ms|games/s|s|MB)\b": r"N \1",
}


def parts() -> dict[str, str]:
    """Return the parts of the file by their names."""
    texts = re.split("^== ", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in texts)}


def fixed(text: str) -> str:
    """Return what was printed without what varies, folders, times and hashes, and how to get help."""
    text = text.replace(os.getcwd(), "HERE").replace(str(data_folder("bots").parent), "ARENA")
    for path in Path("results").glob("*-????"):
        text = text.replace(path.name, f"{path.name[:-4]}MARK")
    for pattern, instead in VARIES.items():
        text = re.sub(pattern, instead, text)
    return text


def marked(mark: str, text: str) -> Iterator[str]:
    yield from ((mark + line).rstrip() for line in fixed(text).splitlines())


def played(arena: Arena, text: str, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run the commands of a part and yield its lines with what they print."""
    file = Path()
    for line in text.splitlines():
        if line.startswith("+ "):
            file = Path(line[2:])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        elif line.startswith("|"):
            with open(file, "a") as opened:
                opened.write(f"{line[2:]}\n")
        if line.startswith("$ "):
            words = shlex.split(line[2:])
            given = [word[1:] for word in words if word.startswith("<")]
            data = b"".join(Path(name).read_bytes() for name in given)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            result = arena(*(word for word in words if word[:1] not in ("<", ">")), code=None)
            yield line
            if to := [word[1:] for word in words if word.startswith(">")]:
                Path(*to).write_text(result.out)
            else:
                yield from marked(": ", result.out)
            yield from marked("! ", result.err)
            yield from [f"= {result.code}"] * bool(result.code)
        elif line[:1] not in (":", "!", "="):
            yield line


@pytest.mark.parametrize("name", parts())
def test_what_commands_print(arena: Arena, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("arena.league.store.secrets.randbits", lambda bits: 5)
    wanted = parts()[name]
    found = "\n".join(played(arena, wanted, monkeypatch)) + "\n"
    if os.environ.get("ARENA_GOLDEN"):
        texts = parts() | {name: found}
        GOLDEN.write_text("".join(f"== {one}\n{text}" for one, text in texts.items()), encoding="utf-8")
    else:
        assert found == wanted
