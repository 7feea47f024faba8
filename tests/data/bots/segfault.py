"""Reads address 0: the process dies of a segmentation fault."""

import ctypes


def act(view, moves):
    ctypes.string_at(0)
    return moves[0]
