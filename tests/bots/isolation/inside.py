"""Run a piece of Python inside a sandbox, and return its findings."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation.sandbox import SandboxMissing, python_files, require_bubblewrap, sandboxed
from arena.bots.limits import Launch

_BEGINNING = """
import json, os, sys
def attempt(action):
    try:
        return repr(action())
    except OSError as error:
        return f"{type(error).__name__} {error.errno}"
    except BaseException as error:
        return type(error).__name__
def tell(value):
    print(json.dumps(value), flush=True)
"""


def confined(argv: tuple[str, ...], folder: Path, **more: Any) -> Launch:
    """Return a command to run in the sandbox."""
    return Launch(argv, folder, "sandbox", **more)


#: The program as for a bot in another language, with the processes of the sandbox in /proc.
PROGRAM: dict[str, Any] = {"system": True, "read_only": tuple(Path(path) for path in python_files())}


@functools.cache
def why_not() -> str | None:
    """Return the reason why there is no sandbox on this machine, or None."""
    try:
        require_bubblewrap()
    except SandboxMissing as error:
        return str(error)
    return None


def need_sandbox() -> None:
    """Skip the test if there is no sandbox; fail if this machine must have one."""
    reason = why_not()
    if reason is not None and os.environ.get("ARENA_NEEDS_SANDBOX"):
        pytest.fail(reason)
    if reason is not None:
        pytest.skip(reason)


def run(launch: Launch) -> subprocess.CompletedProcess[str]:
    """Run the command of a launch in the sandbox to its end, in the same way as the runner starts a bot."""
    need_sandbox()
    argv, passed = sandboxed(launch)
    try:
        return subprocess.run(
            argv,
            pass_fds=passed,
            env=dict(launch.whole_environment),
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        for descriptor in passed:
            os.close(descriptor)


def learn(code: str, folder: Path, **more: Any) -> Any:
    """Run Python code inside the sandbox; return what it passes to `tell`. It can use `attempt`."""
    ended = run(confined((sys.executable, "-I", "-c", _BEGINNING + code), folder, **more))
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
