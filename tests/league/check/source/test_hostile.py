"""Sources that are written to harm their reader: it goes on, bounded, and says what it left out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation.launch import CannotStart
from arena.bots.processes.procfs import children
from arena.bots.spec import find_bot
from arena.league.check import findings
from arena.league.check.report import Omissions
from arena.league.check.source import isolated_reader, reader
from arena.league.check.source.isolated_reader import read_source
from arena.league.check.source.model import LONGEST, MOST, HintKind, Source, from_json, to_json
from arena.league.check.source.reader import read_files
from tests.bots.isolation.inside import need_sandbox
from tests.league.check.checked import ACT, BOTS, lay


def read(path: Path, level: str = "process", **more: Any) -> tuple[Source, list[str]]:
    """What another process reads, and what it leaves out."""
    omissions = Omissions()
    return read_source(find_bot(str(path)), level, omissions, **more), omissions.lines


# ---------------------------------------------------------------- sources that are hard on their reader


def _calling() -> str:
    """Methods that call each other in a long line."""
    lines = [f"    def m{at}(self): self.m{at + 1}()" for at in range(2000)]
    return "\n".join(["class _Long:", "    def begin(self, setup): self.m0()", *lines])


HARD = {
    "dotted": f"if 0:\n    a{'.a' * 1200}()\n",
    "a set": f"if 0:\n    x = {' | '.join('a' * 1500)}\n    for y in {' - '.join('a' * 1500)}: pass\n",
    "written": f"def f(self):\n    x = {{1}}\n    x{'.a' * 1200} = 1\n    for y in x{'.a' * 1200}: 0\n",
    "parameter": "class _A:\n    def __init__(self, x=" + "0x" + "f" * 5000 + "): pass\n",
    "number": f"if 0:\n    for x in {{0x{'f' * 5000}}}: pass\n",
    "import": f"if 0:\n    import {'a' * 300}\n",
    "calling": _calling(),
    "except": f"try:\n    import json\nexcept a{'.a' * 1200}:\n    pass\n",
}


@pytest.mark.parametrize("name", HARD)
def test_depth_and_length_take_nothing_away(tmp_path: Path, name: str) -> None:
    """The rest of the file is read all the same."""
    source = read_files(lay(tmp_path, ACT + HARD[name]))
    assert source.left_out == ()
    assert "time.time() reads a clock" in source.of(HintKind.CHANCE)[0].text


def test_what_the_parser_does_not_take_is_named(tmp_path: Path) -> None:
    path = lay(tmp_path, "import deep, none\n" + ACT, deep=f"x = {'-' * 20_000}1\n", none="x = = 3\n")
    source, left_out = read(path)
    assert left_out == ["source of deep.py: nested too deeply, or too large"]
    assert source.of(HintKind.CHANCE)


def test_what_is_too_deep_after_all_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(*args: object) -> Any:
        raise RecursionError

    path = lay(tmp_path, "import time, helper\n" + ACT + "X = 1\n", helper="X = 1\n")
    for place in ("is_set", "Names"):
        with monkeypatch.context() as patch:
            patch.setattr(reader, place, deep)
            assert "mine.py: nested too deeply, or too large" in read_files(path).left_out


def test_many_ways_to_one_class(tmp_path: Path) -> None:
    lines = ["class _C0:\n    def act(self, view, moves): return moves[0]"]
    for at in range(1, 41):
        bases = ", ".join(f"_C{one}" for one in reversed(range(at)))
        lines.append(f"class {'_' * (at < 40)}C{at}({bases}): pass")
    source, left_out = read(lay(tmp_path, "\n".join(lines)))
    assert left_out == []
    assert source.nature.entry == "class C40"
    assert source.nature.hooks == ("act",)


def test_bases_in_a_circle_and_in_order(tmp_path: Path) -> None:
    text = "class _A(_B):\n    def end(self, r): pass\nclass _B(_A):\n    def __init__(self, b): pass\n"
    text += "class _D:\n    def __init__(self, d): pass\nclass Mine(_A, _D):\n    def act(self, view, moves): pass\n"
    nature = read_files(lay(tmp_path, text)).nature
    assert nature.hooks == ("act", "end")
    assert nature.parameters == ("b",)


def test_large_files_are_not_parsed(tmp_path: Path) -> None:
    path = lay(tmp_path, "import large\n" + ACT, large="a\n" * 150_000)
    source, left_out = read(path)
    assert left_out == ["source of large.py: more than 256 KiB, the limit for a file"]
    assert source.of(HintKind.CHANCE)
    names = [f"part{at}" for at in range(6)]
    path = lay(tmp_path, f"import {', '.join(names)}\n" + ACT, **dict.fromkeys(names, f"#{'x' * 250_000}\n"))
    found = read_files(path)
    assert found.left_out[0].startswith("part4.py: more than 1024 KiB")
    assert len(found.left_out) == 2


def test_many_files_are_not_read(tmp_path: Path) -> None:
    names = [f"part{at}" for at in range(60)]
    path = lay(tmp_path, f"import {', '.join(names)}\n" + ACT, **dict.fromkeys(names, "import time; time.time()\n"))
    source = read_files(path)
    assert source.left_out == ("imported files beyond the first 50",)


def test_a_flood_of_places_and_long_texts(tmp_path: Path) -> None:
    calls = "id(0)\n" * 1000 + f"open('{'a b ' * 20_000}')\nopen('x\\x1b\\n\\ud800')\n"
    calls += f"import random\nrandom.{'a' * 5000}()\n"
    imports = "".join(f"import nowhere{at}\n" for at in range(500))
    source = read_files(lay(tmp_path, calls + imports + ACT))
    assert len(source.of(HintKind.CHANCE)) == MOST
    assert len(source.of(HintKind.IMPORT)) == MOST
    assert len(source.of(HintKind.RELATIVE_PATH)) == 2
    assert all(len(use.text) <= LONGEST and use.text.isprintable() for use in source.hints)
    assert len(source.of(HintKind.GLOBAL_CHANCE)[0].text) == LONGEST
    assert len(findings.pitfalls(source)) < 40
    assert from_json(to_json(source)) == source


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "secret.py").write_text("open('password')\n")
    (tmp_path / "bot" / "helper.py").symlink_to(tmp_path / "secret.py")
    source, left_out = read(lay(tmp_path / "bot", "import helper\n" + ACT))
    assert source.of(HintKind.RELATIVE_PATH) == ()
    assert left_out == ["source of helper.py: it leads out of the bot's folder"]


# ---------------------------------------------------------------- the process that reads


@pytest.mark.sandbox
def test_the_sandbox_reads_the_same(tmp_path: Path) -> None:
    need_sandbox()
    path = BOTS / "pitfalls.py"
    assert read(path, "sandbox") == read(path, "process") == (read_files(path), [])


def test_a_colon_in_a_path_names_no_class(tmp_path: Path) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    source, left_out = read(lay(folder, ACT + "class Other:\n    def act(self, view, moves): pass\n"))
    assert (source.nature.entry, left_out) == ("function act", [])


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import time; time.sleep(60)", "takes more than 0.3 seconds"),
        ("x = bytearray(700 << 20)", "its reader failed, it ended itself with exit code 1: MemoryError"),
        ("import os; os.abort()", "its reader failed, it was killed by SIGABRT"),
        ("print('[' * 90000)", "the source could not be checked"),
        ("print('{}')", "the source could not be checked: ValueError"),
        ("while True: print('x' * 60000, end='')", "its reader writes too much"),
    ],
)
def test_a_reader_that_fails_is_named(tmp_path: Path, code: str, words: str) -> None:
    before = children(os.getpid())
    source, left_out = read(lay(tmp_path, ACT), reader=code, seconds=0.3 if "sleep" in code else 10.0)
    assert source.hints == ()
    assert len(left_out) == 1
    assert words in left_out[0]
    assert children(os.getpid()) == before


def test_what_the_reader_says_is_not_believed(tmp_path: Path) -> None:
    path = lay(tmp_path, ACT)
    good = json.loads(to_json(read_files(path)))
    files = ["/etc/passwd", f"{tmp_path}/../x.py", str(path)]
    forged = good | {"hints": [["lasting", file, 1, "x"] for file in files]}
    source, _ = read(path, reader=f"print({json.dumps(forged)!r})")
    assert [hint.file for hint in source.hints] == [str(path)]
    hint = ["lasting", str(path), 1, "x"]
    assert from_json(json.dumps(good | {"hints": [hint]}))
    wrong: list[dict[str, Any]] = [
        {"hints": [["lasting", str(path), 1, "x" * 1000]]},
        {"hints": [["lasting", str(path), -1, "x"]]},
        {"hints": [["nonsense", str(path), 1, "x"]]},
        {"hints": [["lasting", 7, 1, "x"]]},
        {"hints": [["lasting", str(path), 1]]},
        {"hints": 3},
        {"hints": [hint] * 2000},
        {"nature": ["class A\x1b", [], []]},
        {"nature": ["class A"]},
        {"left_out": ["x"] * 200},
        {"more": 1},
    ]
    for one in wrong:
        with pytest.raises(ValueError):  # noqa: PT011
            from_json(json.dumps(good | one))


def test_a_reader_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(launch: object) -> Any:
        raise CannotStart("no more processes")

    monkeypatch.setattr(isolated_reader, "BotProcess", start)
    left_out = read(lay(tmp_path, ACT))[1]
    assert left_out == ["the source could not be checked: CannotStart: no more processes"]
