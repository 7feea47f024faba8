"""`arena doctor`: check the installation."""

from __future__ import annotations

import importlib.util
import math
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import version

import click

from arena.bots.cores import core_count, core_quota
from arena.bots.isolation.sandbox import SandboxMissing, counts_inside, require_bubblewrap
from arena.bots.isolation.seccomp import has_filter
from arena.cli.printing import echo_json
from arena.paths import data_folder
from arena.results.table import Table
from arena.text import counted

OK, _FAULT, MISSING = "ok", "!!", "--"
_STATES = {OK: "ok", _FAULT: "fault", MISSING: "missing"}


def doctor_command(as_json: bool) -> int:
    """Run `arena doctor`."""
    lines = [*checks(), *isolation_lines()]
    works = _FAULT not in {mark for mark, _ in lines}
    if as_json:
        rows = [{"state": _STATES[mark], "text": text} for mark, text in lines]
        echo_json({"works": works}, Table("checks", "", rows, files=("state", "text")))
    else:
        click.echo("\n".join(f"{mark}  {text}" for mark, text in lines))
    return 0 if works else 1


def checks() -> Iterator[tuple[str, str]]:
    """Yield the lines to print, each with its mark."""
    place = data_folder("bots").parent
    yield OK, f"schotten-arena {version('schotten-arena')} in {place}, Python {platform.python_version()}"
    yield _engine()
    limit = f": a control group (cgroup) has a quota of {quota:g}" if (quota := core_quota()) < math.inf else ""
    yield OK, f"{counted(core_count(), 'core')} for workers{limit}"


def _engine() -> tuple[str, str]:
    try:
        spec = importlib.util.find_spec("arena.game.engine")
        from arena.game.record import verify

        verify("schotten/1 base 1:0 11; ; * 0-0").perft(2)
    except Exception as error:  # this command exists to report whatever is wrong with a build
        return _FAULT, f"the engine does not run: {type(error).__name__}: {error}"
    if not ((spec and spec.origin) or "").endswith(".py"):
        return OK, "the engine is compiled"
    remedy = (
        "install a C compiler (on Debian: apt install gcc python3-dev), then, in a checkout, pip install -e .; "
        "for a wheel: pip install --force-reinstall --no-binary schotten-arena schotten-arena"
    )
    if os.environ.get("ARENA_PURE"):
        remedy = "ARENA_PURE is set"
    return MISSING, f"the engine runs uncompiled, about 50 times slower, without nets and search: {remedy}"


def isolation_lines() -> Iterator[tuple[str, str]]:
    """Yield what the isolation of bots needs and whether it is there, each with its mark."""
    if sys.platform != "linux":
        levels = "none and process" if os.name == "posix" else "none"
        yield MISSING, f"isolation of bots on {platform.system()}: {levels}; sandbox needs Linux"
        return
    if shutil.which("prlimit") is None:
        yield MISSING, "no prlimit (util-linux) to limit the threads of wire bots"
    try:
        program = require_bubblewrap()
    except SandboxMissing as error:
        yield MISSING, str(error)
        return
    yield OK, f"bubblewrap {program.version} ({program.path}) starts a sandbox"
    if not has_filter():
        text = f"no system call filter for {platform.machine()}: a sandboxed bot may start processes in its sandbox"
        yield MISSING, text
    if os.geteuid() == 0:
        text = "you are root, and some limits do not apply to root; run strangers' bots as an ordinary user"
        yield MISSING, text
    elif not counts_inside():
        yield MISSING, "before Linux 5.14 the threads of a sandboxed bot are not counted"
