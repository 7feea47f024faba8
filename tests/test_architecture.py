"""The house stands as ARCHITECTURE.md says: imports go one way, no circles, files and folders of one subject."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import arena

PACKAGE = Path(arena.__file__).parent
PAGE = PACKAGE.parent / "ARCHITECTURE.md"

#: From the ground up. A room imports from itself and from those before it; rooms of one line do not know each other.
FLOORS = (
    ("compiled", "errors", "paths", "endings"),
    ("text", "settings", "whole_file"),
    ("game",),
    ("policy", "stats"),
    ("bots",),
    ("tournament",),
    ("league",),
    ("results",),
    ("terminal", "adapters"),
    ("lab",),
    ("web",),
    ("cli",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
#: The public face: names in `arena/__init__.py` are loaded when they are asked for.
FACE = ""

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def room_of(module: str) -> str:
    """`arena.tournament.store.reader` is in the room `store`, `arena.errors` in `errors`."""
    return ([*module.split("."), FACE])[1]


def module_of(path: Path) -> str:
    parts = ("arena", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Modules of the package that a file imports at its top level; those for type checkers only do not count."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "arena":
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _exists(inner) else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "arena")


def _exists(module: str) -> bool:
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_every_room_has_its_floor() -> None:
    rooms = {room_of(module_of(path)) for path in SOURCES} - {FACE}
    assert rooms == set(FLOOR)


def test_imports_go_down() -> None:
    wrong = []
    for path in SOURCES:
        room = room_of(module_of(path))
        for target in imports(path):
            other = room_of(target)
            if room != FACE and other != room and (other == FACE or FLOOR[other] >= FLOOR[room]):
                wrong.append(f"{path.relative_to(PACKAGE)} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_there_is_no_circle() -> None:
    graph = {module_of(path): set(imports(path)) for path in SOURCES}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, f"circle: {' -> '.join((*way[way.index(module) :], module))}"
        if module not in done:
            for target in sorted(graph.get(module, ())):
                if graph.get(target) and not PACKAGE.joinpath(*target.split(".")[1:], "__init__.py").is_file():
                    visit(target, (*way, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("folder", ["arena", "bots", "tests", "tools", "examples", "benchmarks"])
def test_files_and_folders_are_small(folder: str) -> None:
    root = PACKAGE.parent
    files = [path for path in (root / folder).rglob("*.py") if not {"_data", "data"} & {*path.relative_to(root).parts}]
    long = [path.name for path in files if path.read_text(encoding="utf-8").count("\n") > 700]
    assert not long
    for place in {path.parent for path in files}:
        assert sum(path.parent == place and path.name != "__init__.py" for path in files) <= 24, place


def test_a_public_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module_of(path))
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_the_page_names_every_room() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [room for room in FLOOR if f"{room}/" not in text and f"{room}.py" not in text and room not in text] == []
