"""`arena doctor`: check the installation."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version

import click

from arena.bots.isolation.doctor import capabilities
from arena.bots.isolation.sandbox import SandboxMissing, require_bubblewrap
from arena.bots.processes import core_count
from arena.paths import data_folder

OPTIONAL = {
    "distributed": "needed to run on a Dask cluster: pip install 'schotten-arena[cluster]'",
    "Cython": "optional: pip fetches it to compile the engine",
    "pytest": "needed to run the tests: pip install 'schotten-arena[test]'",
}


@click.command()
def doctor() -> int:
    """Check the installation, and show which levels of isolation work on this machine.

    !! marks what is required but missing (exit code 1), -- what is optional and missing.
    """
    lines = checks()
    for line, fault in lines:
        click.echo(f"{'!!' if fault else 'ok'}  {line}")
    faults = any(fault for _, fault in lines)
    click.echo("\nIsolation of bots (docs/security.md):")
    for capability in capabilities():
        click.echo(f"{'ok' if capability.ok else '--'}  {capability.text}")
    if not faults:
        lacking = "" if _sandboxed() else ", but bots cannot be sandboxed here"
        click.echo(f"\nEverything works{lacking}.")
    return int(faults)


def checks() -> list[tuple[str, bool]]:
    """The lines to print, and whether each is a fault."""
    lines = []
    supported = sys.version_info >= (3, 11)
    lines.append((f"Python {platform.python_version()} ({sys.executable})", not supported))
    try:
        lines.append((f"schotten-arena {version('schotten-arena')}", False))
    except PackageNotFoundError:
        lines.append(("schotten-arena is not installed: pip install -e .", True))
    lines += [_engine(), _data(), (f"{core_count()} cores for workers", False)]
    compiler = next((name for name in ("cc", "gcc", "clang", "cl") if shutil.which(name)), None)
    lines.append((f"C compiler: {compiler or 'none (only needed to compile the engine)'}", False))
    for name, use in OPTIONAL.items():
        try:
            lines.append((f"{name} {version(name)}", False))
        except PackageNotFoundError:
            lines.append((f"{name}: not installed ({use})", False))
    return lines


def _sandboxed() -> bool:
    try:
        require_bubblewrap()
    except SandboxMissing:
        return False
    return True


def _engine() -> tuple[str, bool]:
    try:
        spec = importlib.util.find_spec("arena.game.engine")
        from arena.game.engine import play_random_games
        from arena.game.rules import load_rules

        play_random_games(load_rules("base"), 10, 1)
    except Exception as error:  # this command exists to report whatever is wrong with a build
        return f"the engine does not run: {type(error).__name__}: {error}", True
    origin = (spec.origin or "") if spec else ""
    if origin.endswith(".py"):
        remedy = (
            "install a C compiler (on Debian: apt install gcc python3-dev), then, in a checkout, pip install -e .; "
            "for a wheel: pip install --force-reinstall --no-binary schotten-arena schotten-arena"
        )
        return f"the engine runs uncompiled, about 50 times slower: {remedy}", False
    return "the engine is compiled", False


def _data() -> tuple[str, bool]:
    folders = {name: data_folder(name) for name in ("bots", "configs", "examples")}
    missing = [name for name, path in folders.items() if not path.is_dir()]
    if missing:
        return (f"the folders {', '.join(missing)} are missing from the installation; install it again", True)
    return f"reference bots, configs and examples in {folders['bots'].parent}", False
