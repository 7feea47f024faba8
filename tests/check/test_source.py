"""What is read in a bot's source: each hint at its line, and none where there is no reason for one."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from arena.check.reading import read_files
from arena.check.source import Source


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
        ("import os", "os.urandom(4)", "os.urandom() is different in each process"),
        ("import uuid", "uuid.uuid4()", "uuid.uuid4() is different"),
        ("import secrets", "secrets.randbelow(4)", "secrets.randbelow() is different"),
        ("import numpy as np", "np.random.default_rng()", "np.random.default_rng() is different"),
        ("import random", "random.seed()", "random.seed() is different"),
        ("", "id(view)", "id() is different"),
        ("", "hash('x')", "hash() is different"),
        ("", "list({1, 2})", "the order of the set {1, 2}"),
        ("", "next(iter(set(moves)))", "the order of the set set(moves)"),
        ("", "[x for x in {m for m in moves} - {1}]", "the order of the set"),
        ("", "s = set(moves); s.pop()", "the order of the set s"),
        ("", "max({str(m) for m in moves}, key=len)", "the order of the set"),
    ],
)
def test_what_is_not_the_same_in_two_runs(tmp_path: Path, head: str, line: str, words: str) -> None:
    found = source(tmp_path, in_act(line, head)).chance
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
    assert source(tmp_path, in_act(line, head)).chance == ()


def test_the_global_generator(tmp_path: Path) -> None:
    text = in_act("random.choice(moves)", "import random") + "    np.random.rand()\n"
    found = source(tmp_path, "import numpy as np\n" + text).global_chance
    assert [(use.line, use.text) for use in found] == [(4, "random.choice()"), (5, "np.random.rand()")]


STATE = """
    import functools
    from collections import Counter
    SEEN = []
    TABLE = {1: 2}
    TOTAL = 0

    class Mine:
        shared = {}
        name = "x"

        def __init__(self):
            self.kept, self.reset, self.table = [], [], {}
            self.count = 0

        def begin(self, setup):
            self.restart()
            self.fresh = []

        def restart(self):
            self.reset = []
            self.games += 1

        def act(self, view, moves):
            global TOTAL
            TOTAL += 1
            SEEN.append(1)
            self.kept.append(1)
            self.reset.append(1)
            self.fresh.append(1)
            self.shared[1] = 2
            self.count = self.count + 1
            Mine.name = "y"
            local = []
            local.append(TABLE[1])
            return self.look(moves)

        @functools.lru_cache
        def look(self, moves, known=[]):
            known.append(1)
            return moves[0]
"""


def test_what_outlives_a_game(tmp_path: Path) -> None:
    lines = dedent(STATE).strip().splitlines()
    found = {(lines[use.line - 1].strip(), use.text.split(" (")[0]) for use in source(tmp_path, STATE).state}
    assert found == {
        ("TOTAL += 1", "act changes TOTAL, which belongs to the module"),
        ("SEEN.append(1)", "act changes SEEN, which belongs to the module"),
        ("self.kept.append(1)", "act changes self.kept, which begin does not reset"),
        ("self.shared[1] = 2", "act changes shared, which belongs to the class Mine"),
        ("self.shared[1] = 2", "act changes self.shared, which begin does not reset"),
        ("self.count = self.count + 1", "act changes self.count, which begin does not reset"),
        ("self.games += 1", "restart changes self.games, which begin does not reset"),
        ('Mine.name = "y"', "act changes name, which belongs to the class Mine"),
        ("def look(self, moves, known=[]):", "look remembers its results"),
        ("def look(self, moves, known=[]):", "the default of known in look is made once and then changed"),
    }


def test_the_bots_own_modules_are_read_too(tmp_path: Path) -> None:
    text = in_act("return helper.choose(moves)", "import helper, numpy, nowhere_to_be_found")
    found = source(
        tmp_path, text, helper="import time\n\ndef choose(moves):\n    return time.time()\n", other="import x"
    )
    assert [(Path(use.file).name, use.line) for use in found.chance] == [("helper.py", 4)]
    assert [one.name for one in found.foreign] == ["numpy", "nowhere_to_be_found"]


def test_imports_that_a_bot_can_do_without(tmp_path: Path) -> None:
    text = "try:\n    import torch\nexcept ImportError:\n    torch = None\nimport json, jax\n" + in_act(
        "return moves[0]"
    )
    assert [(one.name, one.line, one.guarded) for one in source(tmp_path, text).foreign] == [
        ("torch", 2, True),
        ("jax", 5, False),
    ]


def test_files_by_relative_paths(tmp_path: Path) -> None:
    head = "from pathlib import Path\nA = open('a.txt')\nB = Path('b').read_text()\nC = Path(__file__).parent / 'c'\n"
    found = source(tmp_path, head + "D = open('/d')\n" + in_act("return moves[0]")).relative
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


def test_what_is_no_python_says_nothing(tmp_path: Path) -> None:
    found = source(tmp_path, "def act(\n")
    assert found.nature.entry == ""
    assert found.chance == found.state == ()
