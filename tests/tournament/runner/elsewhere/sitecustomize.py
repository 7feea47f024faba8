"""Lets a Python on Linux lack what another system lacks; `ELSEWHERE` names it: darwin or win32.

The standard library is loaded first, since it is that of Linux. What it needs itself stays.
"""

import asyncio
import concurrent.futures.process
import multiprocessing.connection
import multiprocessing.context
import multiprocessing.heap
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
import multiprocessing.sharedctypes
import multiprocessing.spawn
import os
import select
import signal
import socket
import subprocess
import sys
import time
import types

import click
import pandas
import prompt_toolkit
import rich
import scipy

LOADED = (asyncio, click, concurrent, subprocess, pandas, prompt_toolkit, rich, scipy)
MISSING: dict[str, dict[object, str]] = {
    "darwin": {os: "sched_getaffinity sched_setaffinity memfd_create"},
    "win32": {
        os: "sched_getaffinity sched_setaffinity memfd_create fork killpg setpgid setsid geteuid getuid getgid getegid"
        " waitid P_ALL WEXITED WNOHANG WNOWAIT nice register_at_fork pread uname mkfifo fchmod fchown chown chroot",
        signal: "SIGKILL SIGSTOP SIGCONT SIGHUP SIGXCPU SIGXFSZ SIGPIPE SIGCHLD SIGALRM SIGUSR1 SIGUSR2 SIGTSTP"
        " SIGWINCH ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF setitimer getitimer alarm",
        multiprocessing.context: "ForkProcess ForkContext ForkServerContext ForkServerProcess",
        time: "clock_gettime CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC",
        socket: "AF_UNIX",
        select: "poll",
    },
}


class SpawnSys(types.ModuleType):
    """The module `sys` for multiprocessing, which starts processes as on Linux."""

    platform = "linux"

    def __getattr__(self, name: str) -> object:
        return getattr(sys, name)


multiprocessing.spawn.sys = SpawnSys("sys")  # type: ignore[attr-defined]
sys.platform = os.environ["ELSEWHERE"]
for module, names in MISSING[sys.platform].items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
if sys.platform == "win32":
    sys.modules.update(dict.fromkeys(("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty")))  # type: ignore[arg-type]
