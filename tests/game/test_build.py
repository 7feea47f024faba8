"""The compiled engine and its source: a stale build is refused, and uncompiled the same games come out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from array import array
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import arena
import arena.compiled
from arena.compiled import built_as
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from arena.paths import data_folder

PACKAGE = Path(arena.__file__).parent
COMPILED = [f"{folder}/{name}" for folder, modules in arena.compiled.COMPILED.items() for name in modules]
COMPILED_FILES = [
    path for name in COMPILED for suffix in EXTENSION_SUFFIXES if (path := PACKAGE / f"{name}{suffix}").exists()
]
ROOT = Path(__file__).parents[2]
needs_build = pytest.mark.skipif(len(COMPILED_FILES) < len(COMPILED), reason="the engine is not compiled here")

#: Seeded games of several rule sets with everything that can be asked, as one line a game.
GAMES = """
import sys
import arena.game.engine
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, record_text, result_text, verify
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.game.play import choose
for name in ("base", "ps-2004-tactical", "bga-expert", "battle-line-tactical", "s3-tactical"):
    rules = load_rules(name)
    for seed in range(2):
        state, rng, moves = State(rules, make_deal(rules, seed, 0), (seed != 1, True)), Rng(seed), []
        while not state.is_over:
            move = choose(state, rng, 4)
            if len(moves) % 9 == 0:
                view = state.view(state.to_move)
                sample = view.sample(rng)
                print(state.claimable(0), state.claimable(1), sample.hand_of(0), sample.hand_of(1),
                      sample.clan_cards_left[:5], state.rollout(rng), state.perft(2) if len(moves) > 20 else "")
                print(state.key, view.key, sample.key)
                if state.phase not in ("scout", "draw"):
                    print(view.after(move).key)
            moves.append(move)
            state.apply(move)
        record = record_text(rules, deal_text(seed, 0), (seed != 1, True), moves, result_text(state))
        verify(record)
        print(record)
        print([str(event) for event in state.events(0)])
print("compiled" if not hasattr(arena.game.engine, "perform") else "source", file=sys.stderr)
"""


def run(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code with the package of a folder."""
    clean = {key: value for key, value in os.environ.items() if key != "ARENA_PURE" and not key.startswith("COV_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=clean | {"PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """A copy of the package and its configs, which a test may change."""
    ignore = shutil.ignore_patterns("__pycache__", "*.c", "*.html")
    shutil.copytree(PACKAGE, tmp_path / "arena", ignore=ignore)
    if not (tmp_path / "arena" / "_data").exists():
        shutil.copytree(data_folder("configs"), tmp_path / "configs", ignore=ignore)
    return tmp_path


@needs_build
def test_a_changed_source_is_not_played(compiled: Path) -> None:
    """One byte more in a source: the import says which, how to build, and how to run without."""
    source = "game/engine.pxd"
    fine = run("import arena.game.engine as e; print(e.__file__)", compiled)
    assert fine.stdout.startswith(str(compiled)), fine.stderr
    assert fine.stdout.strip().endswith(tuple(EXTENSION_SUFFIXES))
    path = compiled / "arena" / source
    path.write_bytes(path.read_bytes() + b"\n")
    stale = run("import arena.game", compiled)
    assert stale.returncode != 0
    for words in ("UnfitEngineError", f"({source} changed)", "make build", "ARENA_PURE=1"):
        assert words in stale.stderr
    command = run("import sys; from arena.cli.main import run; sys.argv[1:] = ['rules']; sys.exit(run())", compiled)
    assert command.returncode == 2
    assert command.stderr.startswith(f"Error: the compiled engine is older than its source ({source} changed)")
    assert command.stderr.count("\n") == 1
    pure = run("import arena.game.engine as e; print(e.__file__)", compiled, ARENA_PURE="1")
    assert pure.stdout.strip() == str(compiled / "arena" / "game" / "engine.py"), pure.stderr


#: Import the engine on a processor with or without the instructions of x86-64-v3.
ON_PROCESSOR = """
import arena.compiled
arena.compiled.has_v3 = lambda: {has_v3}
import arena.game.engine
print(arena.game.engine.__file__)
"""


@needs_build
def test_a_build_for_another_processor_is_not_loaded(compiled: Path) -> None:
    """An error with the remedy, instead of a process that ends by an illegal instruction."""
    path = compiled / "arena" / "_built.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"flags": ["-O3", "-mavx2"]}))
    foreign = run(ON_PROCESSOR.format(has_v3=False), compiled)
    assert foreign.returncode == 1
    for words in ("UnfitEngineError", "AVX2", "/proc/cpuinfo does not list", "make build", "ARENA_PURE=1"):
        assert words in foreign.stderr
    assert run(ON_PROCESSOR.format(has_v3=True), compiled).returncode == 0


@pytest.mark.slow
@needs_build
def test_a_wheel_chooses_the_engine_for_the_processor(compiled: Path) -> None:
    package = compiled / "arena"
    (package / "_built.json").write_text(json.dumps(built_as(package) | {"flags": ["-O3"]}))
    for folder in arena.compiled.COMPILED:
        (package / "_v3" / folder).mkdir(parents=True)
        for path in (package / folder).glob("*.so"):
            shutil.copy(path, package / "_v3" / folder)
    faster = run(ON_PROCESSOR.format(has_v3=True), compiled)
    assert Path(faster.stdout).parent == package / "_v3" / "game", faster.stderr
    common = run(ON_PROCESSOR.format(has_v3=False), compiled)
    assert Path(common.stdout).parent == package / "game", common.stderr


@pytest.mark.slow
@needs_build
def test_what_fits_is_not_compiled_again(compiled: Path) -> None:
    """As when an extra is installed into a checkout. Sources that changed run uncompiled if nothing compiles them."""
    pytest.importorskip("setuptools", minversion="77")  # older ones cannot read pyproject.toml
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(PACKAGE.parent / name, compiled)
    before = [(path, path.stat().st_mtime_ns) for path in sorted((compiled / "arena").rglob("*.so"))]
    environment = os.environ | {"ARENA_NO_COMPILE": "1", "ARENA_CFLAGS": " ".join(built_as(PACKAGE)["flags"])}
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=compiled, env=environment, check=True, capture_output=True)
    assert [(path, path.stat().st_mtime_ns) for path in sorted((compiled / "arena").rglob("*.so"))] == before
    assert [*(compiled / "arena" / "cli" / "__pycache__").glob("run.*.pyc")]  # the first command need not compile
    with (compiled / "arena" / "game" / "rng.py").open("a") as source:
        source.write("# changed\n")
    subprocess.run(build, cwd=compiled, env=environment, check=True, capture_output=True)
    engine = run("import arena.game.engine as e; print(e.__file__)", compiled)
    assert engine.stdout.strip() == str(compiled / "arena" / "game" / "engine.py"), engine.stderr


def test_what_has_types_is_compiled() -> None:
    """Every source with a `.pxd` is in the list of compiled modules; `cards` and `buffers` are inlined."""
    typed = {str(path.relative_to(PACKAGE).with_suffix("")) for path in PACKAGE.rglob("*.pxd")}
    typed -= {"game/cards", "game/buffers"}
    assert typed == set(COMPILED)
    assert arena.compiled.nocython.final(len) is len  # stands in for Cython
    assert all((PACKAGE / f"{name}.py").exists() for name in COMPILED)
    if COMPILED_FILES:  # the build notes all its sources
        headers = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.pxd")}
        assert set(built_as(PACKAGE)["sources"]) == {f"{name}.py" for name in COMPILED} | headers


@needs_build
def test_an_array_of_another_kind_is_not_written() -> None:
    """The compiled modules write to the address of an array, so its numbers must have the size that they expect."""
    from arena.adapters.stepping import observe  # runs only compiled

    rules = load_rules("base")
    state = State(rules, make_deal(rules, 1, 0))
    observe(state, 0, array("f", [0.0]) * 1119)
    for kind in ("d", "i"):
        with pytest.raises(ValueError, match=f"one-dimensional array of 4-byte numbers of kind 'f', not .* '{kind}'"):
            observe(state, 0, array(kind, [0]) * 1119)
    with pytest.raises(BufferError):
        observe(state, 0, memoryview(array("f", [0.0]) * 1119).toreadonly())


@needs_build
def test_uncompiled_and_without_cython_the_games_are_the_same() -> None:
    fast = run(GAMES, ROOT)
    assert fast.stderr.strip() == "compiled"
    assert fast.stdout.count("schotten/1") == 10
    without_cython = "import sys; sys.modules['cython'] = sys.modules['Cython'] = None\n"
    pure = run(without_cython + GAMES, ROOT, ARENA_PURE="1")
    assert pure.stderr.strip() == "source"
    assert pure.stdout == fast.stdout
