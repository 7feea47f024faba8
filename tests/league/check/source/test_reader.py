"""What is read in a bot's source: each hint at its line, and none where there is no reason for one."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from arena.league.check.source.model import HintKind, Source
from arena.league.check.source.reader import read_files


def source(folder: Path, text: str, **helpers: str) -> Source:
    (folder / "mine.py").write_text(dedent(text).lstrip("\n"))
    for name, other in helpers.items():
        (folder / f"{name}.py").write_text(dedent(other).lstrip("\n"))
    return read_files(folder / "mine.py")


def in_act(line: str, head: str = "") -> str:
    return f"{head or '#'}\ndef act(view, moves):\n    {line}\n"


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        ("import time", "time.monotonic()", "time.monotonic() reads a clock"),
        ("from time import time as now", "now()", "now() reads a clock"),
        ("from datetime import datetime", "datetime.now()", "datetime.now() reads a clock"),
        ("import os", "os.urandom(4)", "os.urandom() differs between processes"),
        ("import uuid", "uuid.uuid4()", "uuid.uuid4() differs"),
        ("import secrets", "secrets.randbelow(4)", "secrets.randbelow() differs"),
        ("import numpy as np", "np.random.default_rng()", "np.random.default_rng() differs"),
        ("import random", "random.seed()", "random.seed() differs"),
        ("", "id(view)", "id() differs"),
        ("", "hash('x')", "hash() differs"),
        ("", "list({1, 2})", "the iteration order of the set {1, 2}"),
        ("", "next(iter(set(moves)))", "the iteration order of the set set(moves)"),
        ("", "[x for x in {m for m in moves} - {1}]", "the iteration order of the set"),
        ("", "s = set(moves); s.pop()", "the iteration order of the set s"),
        ("", "max({str(m) for m in moves}, key=len)", "the iteration order of the set"),
    ],
)
def test_what_is_not_the_same_in_two_runs(tmp_path: Path, head: str, line: str, words: str) -> None:
    found = source(tmp_path, in_act(line, head)).of(HintKind.CHANCE)
    assert [use.line for use in found] == [3]
    assert words in found[0].text


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("import random", "random.Random(3).random()"),
        ("import numpy as np", "np.random.default_rng(view.seat)"),
        ("import time", "time.sleep(0)"),
        ("", "sorted({1, 2})"),
        ("", "len(set(moves))"),
        ("", "3 in {1, 2}"),
        ("", "view.rng.random()"),
        ("def hash(x): return x", "hash(3)"),
        ("", "[1, 2].pop()"),
    ],
)
def test_what_is_the_same_in_two_runs(tmp_path: Path, head: str, line: str) -> None:
    assert source(tmp_path, in_act(line, head)).of(HintKind.CHANCE) == ()


def test_the_global_generator(tmp_path: Path) -> None:
    text = in_act("random.choice(moves)", "import random") + "    np.random.rand()\n"
    found = source(tmp_path, "import numpy as np\n" + text).of(HintKind.GLOBAL_CHANCE)
    assert [(use.line, use.text) for use in found] == [(4, "random.choice()"), (5, "np.random.rand()")]


LASTS = """
    from collections import Counter
    SEEN = []
    NAMES = ("a", "b")
    TOTAL = 0

    class Mine:
        shared = {}
        name = "x"
        auto_claim = False

        def __init__(self, depth=2):
            self.depth = depth
            self.kept, self.table = [], 3
            self.counts = Counter()
            self.reset = []
            self.games = self.turns = 0

        def begin(self, setup):
            self.restart()
            self.turns = 0

        def restart(self):
            self.reset = []
            self.games += 1

        def act(self, view, moves):
            global TOTAL
            TOTAL += 1
            self.turns += 1
            self.table = moves
            Mine.name = "y"
            return moves[0]
"""


def test_what_outlives_a_game(tmp_path: Path) -> None:
    found = source(tmp_path, LASTS).of(HintKind.LASTING)
    assert [(use.line, use.text) for use in found] == [
        (2, "SEEN belongs to the module"),
        (7, "shared belongs to the class Mine, that is to all games"),
        (8, "name belongs to the class Mine, that is to all games"),
        (13, "self.table is set in __init__ and not in begin"),
        (14, "self.counts is set in __init__ and not in begin"),
        (16, "self.games is set in __init__ and not in begin"),
        (27, "TOTAL belongs to the module (global)"),
    ]


@pytest.mark.parametrize("line", ["from arena import Bot, Move, View", "from arena.bots.bot import Bot, Move, View"])
def test_the_programs_own_names_need_no_installation(tmp_path: Path, line: str) -> None:
    text = (
        line
        + """

class Mine(Bot):
    def begin(self, setup):
        pass

    def act(self, view: View, moves: list[Move]) -> Move:
        return moves[0]
"""
    )
    found = source(tmp_path, text)
    assert (found.nature.entry, found.nature.hooks) == ("class Mine", ("begin", "act"))
    assert [one.text for one in found.hints] == ["class Mine"]


def test_the_bots_own_modules_are_read_too(tmp_path: Path) -> None:
    text = in_act("return helper.choose(moves)", "import helper, numpy, nowhere_to_be_found")
    found = source(
        tmp_path, text, helper="import time\n\ndef choose(moves):\n    return time.time()\n", other="import x"
    )
    assert [(Path(use.file).name, use.line) for use in found.of(HintKind.CHANCE)] == [("helper.py", 4)]
    assert [one.text for one in found.of(HintKind.IMPORT)] == ["numpy", "nowhere_to_be_found"]


def test_imports_that_a_bot_can_do_without(tmp_path: Path) -> None:
    text = "try:\n    import torch\nexcept ImportError:\n    torch = None\nimport json, jax\n" + in_act(
        "return moves[0]"
    )
    found = source(tmp_path, text).of(HintKind.IMPORT, HintKind.OPTIONAL_IMPORT)
    assert [(one.kind, one.text, one.line) for one in found] == [
        (HintKind.OPTIONAL_IMPORT, "torch", 2),
        (HintKind.IMPORT, "jax", 5),
    ]


def test_files_by_relative_paths(tmp_path: Path) -> None:
    head = "from pathlib import Path\nA = open('a.txt')\nB = Path('b').read_text()\nC = Path(__file__).parent / 'c'\n"
    found = source(tmp_path, head + "D = open('/d')\n" + in_act("return moves[0]")).of(HintKind.RELATIVE_PATH)
    assert [(use.line, use.text) for use in found] == [(2, "open('a.txt')"), (3, "Path('b')")]


def test_parameters_and_hooks_of_inherited_classes(tmp_path: Path) -> None:
    text = """
        class _Base:
            def __init__(self, depth: int = 2, *, width=3, name):
                pass
            def end(self, result):
                pass

        class Mine(_Base):
            def act(self, view, moves):
                return moves[0]
    """
    nature = source(tmp_path, text).nature
    assert nature.entry == "class Mine"
    assert nature.hooks == ("act", "end")
    assert nature.parameters == ("depth: int = 2", "width=3", "name")


def test_what_is_not_python_says_nothing(tmp_path: Path) -> None:
    found = source(tmp_path, "def act(\n")
    assert found.nature.entry == ""
    assert found.hints == ()


def test_threads(tmp_path: Path) -> None:
    text = "import threading, json\nfrom concurrent.futures import ThreadPoolExecutor\n" + in_act("return moves[0]")
    assert [(one.line, one.text) for one in source(tmp_path, text).of(HintKind.THREADS)] == [
        (1, "threading"),
        (2, "concurrent.futures"),
    ]
