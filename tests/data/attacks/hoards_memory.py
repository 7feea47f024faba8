"""Takes memory in all the ways that a limit could forget to count, and adds up what it gets."""

import ctypes
import mmap
import os
import socket

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = LIBC.shmat.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
PIECE = 4 << 20
SHARED, PRIVATE, ANONYMOUS, GROWS_DOWN, HUGE = 0x1, 0x2, 0x20, 0x100, 0x40000
MOST = 2000 << 20  # of each kind, lest an open door harm the machine that the tests run on


class HoardsMemory:
    def __init__(self, allowed_mb: int = 600):
        self.allowed = allowed_mb << 20

    def act(self, view, moves):
        taken = {way.__name__: take(way) for way in WAYS}
        total = sum(taken.values())
        if total > self.allowed:
            sizes = ", ".join(f"{name} {size >> 20} MiB" for name, size in taken.items() if size)
            raise AssertionError(f"not stopped: {total >> 20} MiB, of which {sizes}")
        KEPT.clear()
        return moves[0]


KEPT = []


def take(way):
    got = 0
    try:
        while got < MOST:
            got += way()
    except (OSError, ValueError, MemoryError):
        pass
    return got


def map_anonymous(flags):
    place = LIBC.mmap(None, PIECE, 3, ANONYMOUS | flags, -1, 0)
    if place in (None, ctypes.c_void_p(-1).value):
        raise MemoryError
    ctypes.memset(place, 1, PIECE)
    return PIECE


def private():
    return map_anonymous(PRIVATE)


def shared():
    return map_anonymous(SHARED)


def growing():
    return map_anonymous(PRIVATE | GROWS_DOWN)


def huge_pages():
    return map_anonymous(PRIVATE | HUGE)


def of_no_file():
    file = os.memfd_create("memory")
    KEPT.append(file)
    return os.write(file, b"x" * PIECE)


def system_v():
    number = LIBC.shmget(0, PIECE, 0o600)
    place = LIBC.shmat(number, None, 0) if number >= 0 else None
    if place in (None, ctypes.c_void_p(-1).value):
        raise MemoryError
    LIBC.shmctl(number, 0, None)
    ctypes.memset(place, 1, PIECE)
    return PIECE


def from_zero():
    with open("/dev/zero", "r+b") as zero:
        found = mmap.mmap(zero.fileno(), PIECE)
    found.write(b"x" * PIECE)
    KEPT.append(found)
    return PIECE


def temporary_files():
    return write_to("/tmp")


def shared_files():
    return write_to("/dev/shm")


def write_to(folder):
    with open(f"{folder}/{len(KEPT)}_planted_by_attack", "xb", buffering=0) as file:
        KEPT.append(None)
        return file.write(b"x" * PIECE)


def pipes():
    reading, writing = os.pipe()
    KEPT.append((reading, writing))
    os.set_blocking(writing, False)
    return os.write(writing, b"x" * (1 << 20))


def pairs_of_sockets():
    pair = socket.socketpair()
    KEPT.append(pair)
    got = 0
    try:
        for one in pair:
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
            while True:
                got += one.send(b"x" * (1 << 16))
    except BlockingIOError:
        return got


WAYS = (
    shared,
    growing,
    huge_pages,
    of_no_file,
    system_v,
    from_zero,
    temporary_files,
    shared_files,
    pipes,
    pairs_of_sockets,
    private,
)
