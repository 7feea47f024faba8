"""Starts processes in all ways that Python and the system offer. Those that do start end at once."""

import ctypes
import multiprocessing
import os
import platform
import signal
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine(), -1)


class StartsProcesses:
    def act(self, view, moves):
        worked = [how.__name__ for how in WAYS if works(how)]
        if worked:
            raise AssertionError(f"not stopped: {', '.join(worked)}")
        return moves[0]


def works(how):
    try:
        return how()
    except (OSError, AssertionError, RuntimeError):
        return False


def ended(pid):
    """In the new process: its end. In the old one: that there was a new one."""
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0x40000000)  # __WALL: also those that send no signal at their end
    return pid > 0


def fork():
    return ended(os.fork())


def forkpty():
    return ended(os.forkpty()[0])


def clone():
    return ended(LIBC.syscall(CLONE, signal.SIGCHLD, 0, 0, 0, 0))


def clone_in_a_namespace():
    return ended(LIBC.syscall(CLONE, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0))


def clone3():
    arguments = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD)
    return ended(LIBC.syscall(435, arguments, 64))


def posix_spawn():
    return ended(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}))


def system():
    return os.system("true") == 0


def run():
    return subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0


def process():
    one = multiprocessing.get_context("fork").Process(target=int)
    one.start()
    one.join()
    return True


def namespaces():
    return LIBC.unshare(0x10000000) == 0 or LIBC.unshare(0x00020000) == 0


WAYS = (fork, forkpty, clone, clone_in_a_namespace, clone3, posix_spawn, system, run, process, namespaces)
