"""Writes invalid answers to every writable descriptor: forged frames, half frames, a pickle."""

import os
import struct

from when import Hostile

FRAMES = (
    struct.pack("<IBIHH", 8, 13, 1, 1, 0),
    struct.pack("<IB", 1 << 31, 13),
    struct.pack("<IB", 40, 14) + b"\x00" * 40,
    b"\x80\x04cos\nsystem\n(S'touch planted_by_attack'\ntR.",
    b'{"move": "r1@1"}\n',
    os.urandom(5000),
)


class Garbage(Hostile):
    def attack(self, view, moves):
        for descriptor in range(3, 16):
            for frame in FRAMES:
                try:
                    os.set_blocking(descriptor, False)
                    os.write(descriptor, frame)
                except OSError:
                    break
