"""What can be imported from `arena`: it is there, is what editors are told, and costs nothing until it is used."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import arena
from arena.endings import ENDINGS, FORFEITS, ForfeitKind
from arena.game.board import REASONS

ROOT = Path(__file__).parents[1]
SOURCE = ast.parse((ROOT / "arena" / "__init__.py").read_text(encoding="utf-8"))


def names_for_type_checkers() -> dict[str, str]:
    """Names and modules of the imports under TYPE_CHECKING."""
    (block,) = (node for node in SOURCE.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_type_checkers_see_all_names() -> None:
    for name in arena.__all__:
        assert getattr(arena, name) is getattr(sys.modules[arena.MODULES[name]], name)
    assert names_for_type_checkers() == arena.MODULES
    assert sorted(arena.MODULES) == arena.__all__ == [name for name in dir(arena) if name[0] != "_"]
    assert arena.__version__ == version("schotten-arena")
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'lod'"):
        arena.lod  # noqa: B018


def test_import_stays_light() -> None:
    """As are the names that bots need."""
    code = "import sys, arena; print([m for m in sys.modules if m.startswith('arena.')]); from arena import Bot, Event,"
    code += " GameEnd, Move, Rng, Rules, Setup, State, View, load_rules, make_deal;"
    assert python(f"{code} print({{'numpy', 'click', 'logging'}} & set(sys.modules))") == "[]\nset()"


def test_a_bot_in_a_process_of_its_own_imports_nothing_more() -> None:
    code = """
import importlib, sys
from arena.bots.isolation.python_child import Child
from arena.bots.loading import load_bot
importlib.invalidate_caches()  # from Python 3.12 on it imports importlib.metadata
before = set(sys.modules)
load_bot("scripted")
print(sorted(set(sys.modules) - before))
"""
    assert python(code) == "['arena_bot_1_scripted']"


def imports_of_ours(path: Path) -> list[str]:
    """The lines of a page or a source that import from a module of the package, but for `arena.policy` and adapters."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^(?:>>> )?\s*(?:from|import) arena\.(?!policy import |adapters\b)\S+.*", text, re.MULTILINE)


def test_what_users_read_uses_public_names_only() -> None:
    sources = [path for folder in ("bots", "examples") for path in (ROOT / folder).glob("*.py")]
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *sources):
        if path.parent.name != "internals":
            assert imports_of_ours(path) == [], path


# ---------------------------------------------------------------- endings


def test_the_engine_ends_games_as_declared() -> None:
    assert tuple(REASONS[1:]) == ENDINGS[:-1]


def test_the_schema_of_the_protocol_knows_all() -> None:
    schema = json.loads((ROOT / "docs" / "wire.schema.json").read_text(encoding="utf-8"))
    end = schema["$defs"]["end"]["properties"]
    assert tuple(end["reason"]["enum"]) == ENDINGS
    assert {"enum": list(FORFEITS)} in end["forfeit"]["anyOf"]


def test_columns_are_words_of_their_own() -> None:
    assert len({kind.column for kind in ForfeitKind}) == len(ForfeitKind)
    assert all(kind.column.isidentifier() for kind in ForfeitKind)
