"""What a sandbox shows of /proc: of the machine only what never changes.

The two processes of a bot, one for each game of a pair, must not tell each other their hands. Whatever the kernel
counts for the whole machine would do for that: memory that the one takes is missing from the `MemFree` that the other
reads, and of a page that both have mapped `/proc/self/smaps` says that it is shared. So Python bots, which need none
of it, get a /proc of a few plain files. Programs in other languages may look for themselves in it (`/proc/self/exe`);
theirs is the kernel's, with everything covered that is not about processes.

The plain files have the form of the kernel's and are the same in all sandboxes.

Sources: `man 5 proc`, `man 1 bwrap`.
"""

from __future__ import annotations

import functools
import os
import re

from arena.bots.processes.limits import MIB
from arena.bots.processes.procfs import read_text

#: Files that say the same as long as the machine runs, and that programs read.
_STEADY = ("filesystems", "version")
#: Settings of the kernel that allocators, the JVM and others look up. Nothing else is shown below /proc/sys.
_SETTINGS = (
    "kernel/cap_last_cap",
    "kernel/osrelease",
    "kernel/ostype",
    "kernel/pid_max",
    "kernel/threads-max",
    "vm/max_map_count",
    "vm/overcommit_memory",
)
#: How fast a core runs just now depends on what its neighbours do (x86: "cpu MHz", others: "clock").
_SPEED = re.compile(r"^((?:cpu MHz|clock)[^\S\n]*:).*$", re.MULTILINE)


def proc_options(memory_mb: int, processes: bool) -> tuple[list[str], list[int]]:
    """Options of bubblewrap that make a /proc, and descriptors of the files that it lays in there.

    `memory_mb`: what the bot is to take for the memory of the machine. `processes`: show those of the sandbox.
    Without them, /proc is a folder of the root, which is made read-only with that.
    """
    options: list[str] = []
    passed: list[int] = []

    def lay(option: str, path: str, text: str) -> None:
        passed.append(memory_file(text.encode()))
        options.extend(("--perms", "0444", option, str(passed[-1]), path))

    if processes:
        options += ["--proc", "/proc", *_covers(), "--tmpfs", "/proc/sys"]
    for path, text in _settings():
        lay("--file", path, text)
    for name, text in (*_figures(), ("meminfo", _memory(memory_mb))):
        lay("--ro-bind-data" if processes else "--file", f"/proc/{name}", text)
    if processes:
        options += ["--remount-ro", "/proc/sys", "--remount-ro", "/proc"]
    return options, passed


def memory_file(data: bytes) -> int:
    """A descriptor of a file in memory, to be read from its beginning. The caller closes it."""
    file = os.memfd_create("sandbox")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


@functools.cache
def _covers() -> tuple[str, ...]:
    """Options that cover what is not shown: files cannot be opened, folders are empty.

    Also what only root may read: where the runner is root, the bot is root in the kernel's eyes when it comes to
    files, if to nothing else.
    """
    shown = {*_STEADY, "sys", "meminfo", *(name for name, _ in _figures())}
    options: list[str] = []
    for entry in sorted(os.scandir("/proc"), key=lambda entry: entry.name):
        if entry.is_symlink() or entry.name.isdigit() or entry.name in shown:
            continue
        if entry.is_dir():
            options += ["--tmpfs", entry.path, "--remount-ro", entry.path]
        else:
            options += ["--ro-bind", "/dev/null", entry.path]
    return tuple(options)


@functools.cache
def _settings() -> tuple[tuple[str, str], ...]:
    paths = [f"/proc/sys/{name}" for name in _SETTINGS]
    return tuple((path, text) for path in paths if (text := read_text(path)))


@functools.cache
def _figures() -> tuple[tuple[str, str], ...]:
    """Files that programs read for what the machine is and does: it is what it is, and does nothing."""
    cores = re.findall(r"^cpu\d+", read_text("/proc/stat"), re.MULTILINE)
    times = [f"{core} 0 0 0 0 0 0 0 0 0 0\n" for core in ("cpu ", *cores)]
    counts = "intr 0\nctxt 0\nbtime 0\nprocesses 2\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n"
    figures = {
        "cpuinfo": _SPEED.sub(r"\1 1000.000", read_text("/proc/cpuinfo")),
        "loadavg": "0.00 0.00 0.00 1/2 2\n",
        "stat": "".join(times) + counts,
        "uptime": "1.00 1.00\n",
    }
    return tuple((name, text) for name, text in figures.items() if os.path.exists(f"/proc/{name}"))


def _memory(memory_mb: int) -> str:
    all_of_it = ("MemTotal", "MemFree", "MemAvailable")
    nothing = (
        "Buffers",
        "Cached",
        "SwapCached",
        "Active",
        "Inactive",
        "SwapTotal",
        "SwapFree",
        "Dirty",
        "Writeback",
        "AnonPages",
        "Mapped",
        "Shmem",
        "Slab",
        "SReclaimable",
        "SUnreclaim",
        "KernelStack",
        "PageTables",
        "Committed_AS",
        "AnonHugePages",
    )
    amounts = dict.fromkeys(all_of_it, memory_mb * MIB >> 10) | dict.fromkeys(nothing, 0)
    lines = [f"{name + ':':<15} {amount:>8} kB\n" for name, amount in amounts.items()]
    pages = [f"HugePages_{name + ':':<5} {0:>8}\n" for name in ("Total", "Free", "Rsvd", "Surp")]
    return "".join(lines + pages) + "Hugepagesize:       2048 kB\n"
