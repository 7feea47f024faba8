"""What import-linter and ruff cannot read: names loaded by string, names and files that stand alone, the page."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import grimp

import arena
from arena.cli.commands import cli
from arena.cli.group import Deferred
from arena.cli.league import LISTED, league
from arena.cli.options import GATHERED
from arena.results import formats
from arena.tournament.runner.play_run import CLUSTER

PACKAGE = Path(arena.__file__).parent
ROOT = PACKAGE.parent
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)

REGISTRIES = {
    "arena.cli.commands": [one.target for one in cli.commands.values() if isinstance(one, Deferred)],
    "arena.cli.league": [
        LISTED,
        *(one.target for one in league.commands.values() if isinstance(one, Deferred)),
    ],
    "arena.cli.options": list(GATHERED),
    "arena.results.formats": [formats.PAGE_WRITER],
    "arena.tournament.runner.play_run": [CLUSTER],
}
"""Modules that name others as `module:name`. pyproject.toml lists who may import by string (TID251)."""


def test_names_loaded_by_string_are_imports_like_others() -> None:
    graph = grimp.build_graph("arena", cache_dir=None)
    for registry, targets in REGISTRIES.items():
        for target in targets:
            module = target.partition(":")[0]
            assert module in graph.modules, f"{registry}: there is no module {module}"
            graph.add_import(importer=registry, imported=module)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    floors = [grimp.Layer(*layer.split(" | "), independent=True) for layer in layers]
    assert graph.find_illegal_dependencies_for_layers(floors, containers={"arena"}) == set()
    for package in {module.rpartition(".")[0] for module in graph.modules} - {""}:
        assert graph.nominate_cycle_breakers(package) == set(), package


def test_the_page_names_every_room() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in SOURCES} - {"__init__"}
    assert [room for room in sorted(rooms) if f"`{room}`" not in page] == []


def public_names(path: Path) -> set[str]:
    """Return the classes, functions, constants and aliases that a module defines for others."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"^(?:class |def |async def )(\w+)|^((?:\w+, )*\w+)(?:: [^=\n]+)? = ", text, re.MULTILINE)
    return {name for pair in found for names in pair for name in names.split(", ") if name and name[0] != "_"}


def test_a_public_name_means_one_thing() -> None:
    """And so does the name of a file."""
    places: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        files = {path.name} - {"__init__.py"}
        for name in (*public_names(path), *files):
            places[name].add(str(path.relative_to(PACKAGE)))
    assert {name: sorted(files) for name, files in places.items() if len(files) > 1} == {}
