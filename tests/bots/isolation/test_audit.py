"""The lines in which a bot's process tells what it asks for: only the bot's own, each place once, never trusted."""

from __future__ import annotations

import json
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.isolation.audit import (
    FILES,
    FOLDERS,
    NETWORK,
    OWN,
    PROCESSES,
    READS,
    Attempt,
    AuditReader,
    read_attempt,
)
from arena.bots.isolation.python.messages import AUDIT_VARIABLE

MARK = "0123456789abcdef"


def heard(folder: Path, bot: str, asked: bool = True) -> tuple[list[Attempt], str]:
    """What is told of a bot that is merely loaded, and what else it writes."""
    path = folder / "mine.py"
    path.write_text(bot)
    code = (
        "import sys\nfrom arena.bots.isolation.audit import audit_if_requested\n"
        "path = sys.argv[1]\naudit_if_requested(path)\n"
        "open('/etc/hostname').close()\nexec(compile(open(path).read(), path, 'exec'), {'__file__': path})\n"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"} | ({AUDIT_VARIABLE: MARK} if asked else {})
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], env=environment, capture_output=True, text=True, timeout=60
    )
    ear = AuditReader(MARK, str(folder))
    rest = ear.read(done.stderr)
    assert ear.characters == len(rest)
    return ear.attempts, rest


def test_calls_of_the_bot_are_told_with_their_lines(tmp_path: Path) -> None:
    bot = (
        "import os, socket, subprocess, sys\n"
        "open('/etc/hostname').read()\n"
        "open(__file__).read()\n"
        "open('/dev/urandom', 'rb').close()\n"
        "open(os.devnull, 'w').close()\n"
        "os.listdir('/etc')\n"
        "os.listdir(os.path.dirname(__file__))\n"
        "socket.socket().close()\n"
        "subprocess.run([sys.executable, '-c', ''])\n"
        "for _ in range(3): os.system('true')\n"
        "os.mkdir(os.path.join(os.path.dirname(__file__), 'new'))\n"
        "print('hello', file=sys.stderr)\n"
    )
    attempts, rest = heard(tmp_path, bot)
    assert rest == "hello\n"
    assert [(one.kind, one.line) for one in attempts] == [
        (READS, 2),
        (FOLDERS, 6),
        (NETWORK, 8),
        (PROCESSES, 9),
        (PROCESSES, 10),
        (FILES, 11),
    ]
    assert all(one.file == str(tmp_path / "mine.py") and not one.importing for one in attempts)
    assert attempts[0].what.startswith("/etc/hostname")


def test_files_beside_it_are_told_each_once(tmp_path: Path) -> None:
    """Also those that are imported, whether or not they were compiled before; not itself, nor what is not there."""
    bot = (
        "import sys; sys.path.insert(0, __file__.rpartition('/')[0])\n"
        "import plain\n"
        "import compiled\n"
        "for name in ('plain.py', 'data.txt', 'data.txt', 'mine.py', 'new.txt'):\n"
        "    try: open(sys.path[0] + '/' + name).close()\n"
        "    except FileNotFoundError: pass\n"
        "open(sys.path[0] + '/data.txt', 'a').close()\n"
    )
    for name in ("plain.py", "compiled.py", "data.txt"):
        (tmp_path / name).write_text("")
    py_compile.compile(str(tmp_path / "compiled.py"))
    attempts, _ = heard(tmp_path, bot)
    assert [(one.kind, one.what, one.line) for one in attempts if one.kind == OWN] == [
        (OWN, str(tmp_path / "plain.py"), 2),
        (OWN, str(tmp_path / "compiled.py"), 3),
        (OWN, str(tmp_path / "data.txt"), 5),
    ]
    assert [(one.kind, one.line) for one in attempts if one.kind != OWN] == [(FILES, 7)]


def test_what_a_library_does_when_it_is_imported_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "bot").mkdir()
    (tmp_path / "library" / "noisy.py").write_text(
        "open('/etc/hostname').close()\nimport socket\nsocket.socket().close()\n"
    )
    bot = f"import sys\nsys.path.append({str(tmp_path / 'library')!r})\nimport noisy\n"
    attempts, _ = heard(tmp_path / "bot", bot)
    assert [(one.kind, one.importing) for one in attempts if one.line == 3] == [(NETWORK, True)]


def test_nothing_is_told_unless_asked(tmp_path: Path) -> None:
    attempts, rest = heard(tmp_path, "import os\nos.system('true')\n", asked=False)
    assert attempts == []
    assert rest == ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        "[" * 5000,
        '["files"]',
        '["nonsense", "open", "", "/b/f", 3, false]',
        '["files", "open", "", "/b/f", "3", false]',
        '["files", 7, "", "/b/f", 3, false]',
        '["files", "open", "", "/b/f", 3, false, 1]',
        "[NaN, 1]",
        '["own", "open", "/etc/passwd", "/b/f", 3, false]',
        '["own", "open", "/b/../etc/passwd", "/b/f", 3, false]',
        '["own", "open", "data.txt", "/b/f", 3, false]',
        '["own", "os.system", "/b/data.txt", "/b/f", 3, false]',
    ],
)
def test_lines_that_are_none(line: str) -> None:
    assert read_attempt(line, "/b") is None
    ear = AuditReader(MARK, "/b")
    assert ear.read(f"before\n\x1e{MARK}{line}\nafter\n") == "before\nafter\n"
    assert ear.attempts == []


def test_marks_of_others_are_output() -> None:
    ear = AuditReader(MARK, "/b")
    text = "\x1effff" + json.dumps(["files", "open", "", "/b/f", 3, False]) + "\n"
    assert ear.read(text) == text
    assert ear.attempts == []
    assert ear.characters == len(text)


def test_a_flood_is_bounded() -> None:
    ear = AuditReader(MARK, "/b")
    line = f"\x1e{MARK}" + json.dumps(["files", "open", "", "/b/f", 3, False]) + "\n"
    for _ in range(5):
        assert ear.read(line * 100) == ""
    assert len(ear.attempts) <= 200
