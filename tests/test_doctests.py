"""The examples in the docstrings of every module run.

`pytest --doctest-modules` finds no examples in compiled modules (a `.so` stands before the `.py`); and here it is
counted that no example is passed over.
"""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import pytest

import arena
from arena.game import cards

PACKAGE = Path(arena.__file__).parent
MODULES = sorted(
    ".".join(("arena", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if "_data" not in path.parts
)


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
    constants = {word: value for word, value in vars(cards).items() if word.isupper()}  # compiled, they are C's
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs=constants):
        if test.docstring in texts:  # compiled modules list their functions a second time
            continue
        texts.add(test.docstring)
        found = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        failed, attempted = failed + found.failed, attempted + found.attempted
    return failed, attempted, "".join(said)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    try:
        failed, attempted, said = run_examples(name)
    except ModuleNotFoundError as error:
        if (error.name or "arena").split(".")[0] == "arena":
            raise
        pytest.skip(f"{error.name} is not installed")
    assert not failed, said
    assert attempted == written_examples(name)
