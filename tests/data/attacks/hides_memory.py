"""Takes memory that limits on data and on open files do not count. `how` says which; says what it got."""

import ctypes
import os
import resource
import select
import socket
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
LIBC.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
READ, READ_WRITE = 1, 3
PRIVATE, FIXED, ANONYMOUS, NO_RESERVE = 0x2, 0x10, 0x20, 0x4000
MB, GB = 1 << 20, 1 << 30
SPLICE_TO_PIPE = {"x86_64": 278, "aarch64": 75}  # vmsplice
NEW_RULES, ADD_RULE = 444, 445


class HidesMemory:
    def __init__(self, how: str = "files"):
        self.how = globals()[how]

    def act(self, view, moves):
        got, what = self.how()
        raise AssertionError(f"not stopped: {got:,} {what}")


def mapped(size, protection, flags=0, place=None):
    found = LIBC.mmap(place, size, protection, PRIVATE | ANONYMOUS | flags, -1, 0)
    if found in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def files():
    """Of no bytes, so that no bound on bytes counts them."""
    for folder in ("/tmp", "/dev/shm"):
        try:
            for number in range(100_000):
                os.close(os.open(f"{folder}/{number}_planted_by_attack", os.O_CREAT | os.O_WRONLY))
            return number + 1, f"files in {folder}"
        except OSError as error:
            refused = error
    raise refused


def read_only():
    """Written to, and then read-only: the limit on data counts what can be written to."""
    for _ in range(1200 // 16):
        place = mapped(16 * MB, READ_WRITE)
        ctypes.memset(place, 1, 16 * MB)
        LIBC.mprotect(place, 16 * MB, READ)
    return 1200, "MiB"


def page_tables():
    """One page of a table, 4 KiB, for each 2 MiB of which one byte is read."""
    place = mapped(256 * GB, READ, NO_RESERVE)
    for at in range(0, 256 * GB, 2 * MB):
        ctypes.string_at(place + at, 1)
    return 512, "MiB of page tables"


def scattered():
    """Two pages of tables for each mapping, however small, that has a GiB of addresses to itself."""
    at = count = 0
    for at in range(16 * GB, 60_000 * GB, GB):
        try:
            place = mapped(4096, READ, FIXED, at)
        except OSError:  # max_map_count
            break
        ctypes.string_at(place, 1)
        count += 1
    return 8 * count >> 10, "MiB of page tables"


def given_to_pipes():
    """The pages that a pipe points to stay, also when they are no longer mapped."""

    class Vector(ctypes.Structure):
        _fields_ = (("place", ctypes.c_void_p), ("size", ctypes.c_size_t))

    kept = [os.pipe() for _ in range(50)]
    for _, end in kept:
        place = mapped(64 << 10, READ_WRITE)
        ctypes.memset(place, 1, 64 << 10)
        if LIBC.syscall(SPLICE_TO_PIPE[os.uname().machine], end, ctypes.byref(Vector(place, 64 << 10)), 1, 1) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        LIBC.munmap(place, 64 << 10)
    return len(kept), "pipes that hold pages"


def rules():
    """Sets of rules, of which each may hold any number."""

    def call(number, *values):
        found = LIBC.syscall(number, *values)
        if found < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return found

    kept = [call(NEW_RULES, ctypes.byref(ctypes.c_uint64(0x1FFF)), ctypes.c_size_t(8), 0) for _ in range(20)]
    return len(kept), "sets of rules"


def watched():
    """An entry of a table in the kernel for each of the numbers that a pipe may have had, in each of the tables."""
    tables = [select.epoll() for _ in range(20)]
    first, second = os.pipe()
    count = 0
    try:
        for number in range(second + 1, 4096):
            os.dup2(first, number)
            for table in tables:
                table.register(number, select.EPOLLIN)
                count += 1
            os.close(number)
    except OSError:
        pass
    many = count // len(tables) > 220
    if not many:
        raise OSError(f"{count} entries")
    return count, "entries"


def wide_pairs():
    pair = socket.socketpair()
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
    pair[0].setblocking(False)
    got = 0
    try:
        while True:
            got += pair[0].send(bytes(1 << 12))
    except BlockingIOError:
        pass
    if got < 210 << 10:
        raise OSError(f"{got} bytes")
    return got, "bytes in a pair of sockets"


def stack():
    """Of the first thread, which is no data."""
    resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return 1, "stack without a bound"


def threads():
    """With hardly any stack of their own: the kernel's costs more."""
    threading.stack_size(32 << 10)
    stop = threading.Event()
    count = 0
    try:
        for _ in range(2000):
            threading.Thread(target=stop.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    time.sleep(1)
    if count < 100:
        raise OSError(f"{count} threads")
    return count, "threads"
