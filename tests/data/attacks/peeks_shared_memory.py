"""Looks for the runner's secrets in memory that processes can share: /dev/shm, System V segments, message queues."""

import ctypes
import glob
from multiprocessing import shared_memory

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.shmat.restype = ctypes.c_void_p
SECRET = b"swordfish"
READ_ONLY = 0o10000


class PeeksSharedMemory:
    def __init__(self, name: str = "none", key: int = 0):
        self.name = name
        self.key = key

    def act(self, view, moves):
        found = [*self.files(), *self.segments(), *queues()]
        if found:
            raise AssertionError(f"secret read: {', '.join(found)}")
        return moves[0]

    def files(self):
        for path in (f"/dev/shm/{self.name}", *glob.glob("/dev/shm/*"), *glob.glob("/dev/mqueue/*")):
            try:
                with open(path, "rb") as file:
                    if SECRET in file.read(1 << 16):
                        yield path
            except OSError:
                continue
        try:
            shared = shared_memory.SharedMemory(self.name, track=False) if tracks() else None
        except OSError:
            return
        if shared is not None and SECRET in bytes(shared.buf):
            yield "shared_memory"

    def segments(self):
        numbers = [LIBC.shmget(self.key, 0, 0), *range(100)]
        for number in numbers:
            place = LIBC.shmat(number, None, READ_ONLY) if number >= 0 else None
            if place and place != ctypes.c_void_p(-1).value:
                if SECRET in ctypes.string_at(place, 64):
                    yield f"System V segment {number}"
                LIBC.shmdt(ctypes.c_void_p(place))


def queues():
    for number in range(20):
        room = ctypes.create_string_buffer(256)
        if LIBC.msgrcv(number, room, 128, 0, 0o4000) >= 0 and SECRET in room.raw:
            yield f"System V queue {number}"


def tracks():
    """Can a segment be opened without being removed at the end (Python 3.13)?"""
    return "track" in shared_memory.SharedMemory.__init__.__code__.co_varnames
