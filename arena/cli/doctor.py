"""`arena doctor`: check the installation."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

import click

from arena.bots.isolation.doctor import capabilities
from arena.bots.isolation.sandbox import SandboxMissing, require_bubblewrap
from arena.bots.processes import core_count
from arena.paths import data_folder

OK, FAULT, MISSING = "ok", "!!", "--"
ENGINE_COMPILED = (OK, "the engine is compiled")


@click.command()
def doctor() -> int:
    """Check the installation, and show which levels of isolation work on this machine.

    !! marks what is required but missing (exit code 1), -- what is optional and missing.
    """
    lines = checks()
    for mark, line in lines:
        click.echo(f"{mark}  {line}")
    click.echo("\nIsolation of bots (docs/security.md):")
    for capability in capabilities():
        click.echo(f"{OK if capability.ok else MISSING}  {capability.text}")
    marks = {mark for mark, _ in lines}
    if FAULT in marks:
        return 1
    lacking = [] if ENGINE_COMPILED in lines else ["the engine is slow"]
    lacking += [] if _sandboxed() else ["bots cannot be sandboxed here"]
    click.echo(f"\nEverything works{', but ' if lacking else ''}{' and '.join(lacking)}.")
    return 0


def checks() -> list[tuple[str, str]]:
    """The lines to print, each with its mark."""
    supported = sys.version_info >= (3, 11)
    lines = [(OK if supported else FAULT, f"Python {platform.python_version()} ({sys.executable})")]
    try:
        lines.append((OK, f"schotten-arena {version('schotten-arena')}"))
    except PackageNotFoundError:
        lines.append((FAULT, "schotten-arena is not installed: pip install -e ."))
    lines += [_engine(), _data(), (OK, f"{core_count()} cores for workers")]
    return lines


def _sandboxed() -> bool:
    try:
        require_bubblewrap()
    except SandboxMissing:
        return False
    return True


def _engine() -> tuple[str, str]:
    try:
        spec = importlib.util.find_spec("arena.game.engine")
        from arena.game.engine import play_random_games
        from arena.game.rules import load_rules

        play_random_games(load_rules("base"), 10, 1)
    except Exception as error:  # this command exists to report whatever is wrong with a build
        return FAULT, f"the engine does not run: {type(error).__name__}: {error}"
    origin = (spec.origin or "") if spec else ""
    if origin.endswith(".py"):
        if os.environ.get("ARENA_PURE"):
            return MISSING, "the engine runs uncompiled, about 50 times slower: ARENA_PURE is set"
        remedy = (
            "install a C compiler (on Debian: apt install gcc python3-dev), then, in a checkout, pip install -e .; "
            "for a wheel: pip install --force-reinstall --no-binary schotten-arena schotten-arena"
        )
        return MISSING, f"the engine runs uncompiled, about 50 times slower: {remedy}"
    return ENGINE_COMPILED


def _data() -> tuple[str, str]:
    folders = {name: data_folder(name) for name in ("bots", "configs", "examples")}
    missing = [name for name, path in folders.items() if not path.is_dir()]
    if missing:
        return FAULT, f"the folders {', '.join(missing)} are missing from the installation; install it again"
    return OK, f"reference bots, configs and examples in {folders['bots'].parent}"
