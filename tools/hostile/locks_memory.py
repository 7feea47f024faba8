"""Uses memory that no limit counts as data: written, then made read-only, 64 MiB per decision, never freed."""

import ctypes
import mmap

from when import Hostile

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
LIBC.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
PIECE = 64 << 20


class LocksMemory(Hostile):
    def attack(self, view, moves):
        place = LIBC.mmap(None, PIECE, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if place in (None, ctypes.c_void_p(-1).value):
            raise MemoryError("no more: that was all")
        ctypes.memset(place, 1, PIECE)
        LIBC.mprotect(place, PIECE, 1)
