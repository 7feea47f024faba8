"""The examples in the docstrings of every module run.

`pytest --doctest-modules` finds no examples in compiled modules (a `.so` stands before the `.py`), so the
modules of the engine are run uncompiled, in a process of their own; and it is counted that no example is passed over.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena

PACKAGE = Path(arena.__file__).parent
MODULES = sorted(
    ".".join(("arena", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if "_data" not in path.parts
)
GAME = [name for name in MODULES if name.startswith("arena.game")]


def source_of(name: str) -> str:
    """The source of a module, also of a compiled one."""
    folder = PACKAGE.joinpath(*name.split(".")[1:])
    file = folder.with_suffix(".py")
    return (file if file.is_file() else folder / "__init__.py").read_text(encoding="utf-8")


def written_examples(name: str) -> int:
    """How many examples stand in the docstrings of a source."""
    count = 0
    for node in ast.walk(ast.parse(source_of(name))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            count += len(doctest.DocTestParser().get_examples(ast.get_docstring(node, clean=False) or ""))
    return count


WITH_EXAMPLES = [name for name in MODULES if ">>>" in source_of(name)]


def run_examples(name: str) -> tuple[int, int, str]:
    """Run the examples of a module: how many failed, how many there were, what was said."""
    module = importlib.import_module(name)
    said: list[str] = []
    failed = attempted = 0
    texts = set()
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if test.docstring in texts:  # compiled modules list their functions a second time
            continue
        texts.add(test.docstring)
        found = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        failed, attempted = failed + found.failed, attempted + found.attempted
    return failed, attempted, "".join(said)


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) > 60


@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if name not in GAME])
def test_examples(name: str) -> None:
    try:
        failed, attempted, said = run_examples(name)
    except ModuleNotFoundError as error:
        if (error.name or "arena").split(".")[0] == "arena":
            raise
        pytest.skip(f"{error.name} is not installed")
    assert not failed, said
    assert attempted == written_examples(name)


@pytest.fixture(scope="module")
def game_examples() -> dict[str, tuple[int, int, str]]:
    """The examples of the engine, run uncompiled in one process for all its modules."""
    if os.environ.get("ARENA_PURE"):
        return {name: run_examples(name) for name in GAME}
    code = f"""if True:
        import json
        from tests.test_doctests import run_examples
        print("\\n" + json.dumps({{name: run_examples(name) for name in {GAME!r}}}))"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"ARENA_PURE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[int, int, str]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if name in GAME])
def test_examples_of_the_engine(name: str, game_examples: dict[str, tuple[int, int, str]]) -> None:
    failed, attempted, said = game_examples[name]
    assert not failed, said
    assert attempted == written_examples(name)
