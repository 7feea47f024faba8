"""What this machine offers for keeping bots apart, for `arena doctor`."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from arena.bots.isolation import sandbox
from arena.bots.isolation.seccomp import has_filter
from arena.bots.processes import core_held, read_text, usable_cores


@dataclass(frozen=True)
class Capability:
    """One thing that this machine offers or lacks. `text` says what it is, or what is missing without it."""

    ok: bool
    text: str


def capabilities() -> list[Capability]:
    """What is there of all that the isolation levels use. Starts a sandbox to see whether it really can."""
    if sys.platform != "linux":
        levels = "none and process" if _posix() else "none"
        return [Capability(False, f"isolation of bots on {platform.system()}: {levels}; sandbox needs Linux")]
    return [*_sandbox(), _filter(), _limits(), _watch(), _first_to_go(), _pinning()]


def _posix() -> bool:
    return os.name == "posix"


def _sandbox() -> list[Capability]:
    try:
        program = sandbox.find()
    except sandbox.SandboxMissing as error:
        return [Capability(False, str(error))]
    try:
        sandbox.trial(program)
    except sandbox.SandboxMissing as error:
        return [Capability(True, f"bubblewrap {program.version} ({program.path})"), Capability(False, str(error))]
    capabilities = [Capability(True, f"bubblewrap {program.version} ({program.path}) starts a sandbox")]
    if os.geteuid() == 0:
        capabilities.append(
            Capability(
                False,
                "you are root, to whom some limits do not apply; run strangers' bots as an ordinary user",
            )
        )
    elif not sandbox.counts_inside():
        capabilities.append(Capability(False, "before Linux 5.14 the threads of a sandboxed bot are not counted"))
    return capabilities


def _filter() -> Capability:
    if not has_filter():
        return Capability(
            False, f"no system call filter for {platform.machine()}: a sandboxed bot may start processes in its sandbox"
        )
    if not Path("/proc/sys/kernel/seccomp").is_dir():
        return Capability(False, "this kernel has no seccomp: bots cannot be sandboxed")
    return Capability(True, "system call filter (seccomp)")


def _limits() -> Capability:
    if shutil.which("prlimit") is None:
        return Capability(
            False, "limits on memory, files and time, but no prlimit (util-linux) to limit the threads of wire bots"
        )
    return Capability(True, "limits on memory, address space, files, threads and processor time")


def _watch() -> Capability:
    """Whoever waits for a bot looks at what it has (`memory_watch`)."""
    if "VmPTE" not in read_text("/proc/self/status"):
        return Capability(False, "/proc does not show what processes use: page tables are not counted")
    return Capability(True, "memory, page tables and threads of bots are watched")


def _first_to_go() -> Capability:
    if not os.access("/proc/self/oom_score_adj", os.W_OK):
        return Capability(False, "no oom_score_adj: if memory runs out, the kernel may kill the run itself")
    return Capability(True, "if memory runs out, the kernel kills bots first (oom_score_adj)")


def _pinning() -> Capability:
    cores = usable_cores()
    named = f"{', '.join(map(str, cores[:8]))}{', ...' * (len(cores) > 8)}"
    held = [core for core in cores if core_held(core)]
    busy = f"; {len(held)} of them are taken by runs; further workers are not pinned" if held else ""
    return Capability(True, f"bots can be pinned to {len(cores)} cores ({named}){busy}")
