"""`arena doctor`: check the installation."""

from __future__ import annotations

import importlib.util
import math
import os
import platform
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

import click

from arena.bots.cores import core_count, core_held, core_quota, usable_cores
from arena.bots.isolation.sandbox import SandboxMissing, counts_inside, require_bubblewrap
from arena.bots.isolation.seccomp import has_filter
from arena.cli.printing import echo_json
from arena.paths import data_folder
from arena.results.table import Table
from arena.text import counted

OK, _FAULT, MISSING = "ok", "!!", "--"
ENGINE_COMPILED = (OK, "the engine is compiled")


def doctor_command(as_json: bool) -> int:
    """Run `arena doctor`."""
    lines, levels = checks(), isolation_line()
    works = _FAULT not in {mark for mark, _ in lines}
    if as_json:
        echo_json({"works": works}, _table("checks", lines), _table("isolation", levels))
        return 0 if works else 1
    for mark, line in lines:
        click.echo(f"{mark}  {line}")
    click.echo("\nIsolation of bots (docs/security.md):")
    for mark, line in levels:
        click.echo(f"{mark}  {line}")
    if not works:
        return 1
    lacking = [] if ENGINE_COMPILED in lines else ["the engine is slow, without nets and search"]
    lacking += [] if levels[0][0] == OK else ["bots cannot be sandboxed here"]
    click.echo(f"\nEverything works{', but ' if lacking else ''}{' and '.join(lacking)}.")
    return 0


def _table(name: str, lines: Iterable[tuple[str, str]]) -> Table:
    states = {OK: "ok", _FAULT: "fault", MISSING: "missing"}
    return Table(name, "", [{"state": states[mark], "text": line} for mark, line in lines], files=("state", "text"))


def checks() -> list[tuple[str, str]]:
    """Return the lines to print, each with its mark."""
    supported = sys.version_info >= (3, 11)
    lines = [(OK if supported else _FAULT, f"Python {platform.python_version()} ({sys.executable})")]
    try:
        lines.append((OK, f"schotten-arena {version('schotten-arena')}"))
    except PackageNotFoundError:
        lines.append((_FAULT, "schotten-arena is not installed: pip install -e ."))
    lines += [_engine(), _data(), (OK, _cores())]
    return lines


def _cores() -> str:
    quota = core_quota()
    limit = f": a control group (cgroup) has a quota of {quota:g}" if quota < math.inf else ""
    return f"{counted(core_count(), 'core')} for workers{limit}"


def _engine() -> tuple[str, str]:
    try:
        spec = importlib.util.find_spec("arena.game.engine")
        from arena.game.record import verify

        verify("schotten/1 base 1:0 11; ; * 0-0").perft(2)
    except Exception as error:  # this command exists to report whatever is wrong with a build
        return _FAULT, f"the engine does not run: {type(error).__name__}: {error}"
    origin = (spec.origin or "") if spec else ""
    if origin.endswith(".py"):
        slow = "the engine runs uncompiled, about 50 times slower, without nets and search"
        if os.environ.get("ARENA_PURE"):
            return MISSING, f"{slow}: ARENA_PURE is set"
        remedy = (
            "install a C compiler (on Debian: apt install gcc python3-dev), then, in a checkout, pip install -e .; "
            "for a wheel: pip install --force-reinstall --no-binary schotten-arena schotten-arena"
        )
        return MISSING, f"{slow}: {remedy}"
    return ENGINE_COMPILED


def _data() -> tuple[str, str]:
    folders = {name: data_folder(name) for name in ("bots", "configs", "examples")}
    missing = [name for name, path in folders.items() if not path.is_dir()]
    if missing:
        return _FAULT, f"the folders {', '.join(missing)} are missing from the installation; install it again"
    return OK, f"reference bots, configs and examples in {folders['bots'].parent}"


# ---------------------------------------------------------------- isolation


def isolation_line() -> list[tuple[str, str]]:
    """Return what the isolation levels need and whether it is there, the sandbox first, each with its mark."""
    if sys.platform != "linux":
        levels = "none and process" if os.name == "posix" else "none"
        return [(MISSING, f"isolation of bots on {platform.system()}: {levels}; sandbox needs Linux")]
    return [*_sandbox(), _threads(), _pinning()]


def _sandbox() -> list[tuple[str, str]]:
    try:
        program = require_bubblewrap()
    except SandboxMissing as error:
        return [(MISSING, str(error))]
    lines = [(OK, f"bubblewrap {program.version} ({program.path}) starts a sandbox")]
    if not has_filter():
        text = f"no system call filter for {platform.machine()}: a sandboxed bot may start processes in its sandbox"
        lines.append((MISSING, text))
    if os.geteuid() == 0:
        text = "you are root, and some limits do not apply to root; run strangers' bots as an ordinary user"
        lines.append((MISSING, text))
    elif not counts_inside():
        lines.append((MISSING, "before Linux 5.14 the threads of a sandboxed bot are not counted"))
    return lines


def _threads() -> tuple[str, str]:
    if shutil.which("prlimit") is None:
        return MISSING, "no prlimit (util-linux) to limit the threads of wire bots"
    return OK, "limits on memory, address space, files, threads and processor time"


def _pinning() -> tuple[str, str]:
    cores = usable_cores()
    named = f"{', '.join(map(str, cores[:8]))}{', ...' if len(cores) > 8 else ''}"
    held = [core for core in cores if core_held(core)]
    busy = f"; {len(held)} of them are in use by runs; further workers are not pinned" if held else ""
    return OK, f"bots can be pinned to {len(cores)} cores ({named}){busy}"
