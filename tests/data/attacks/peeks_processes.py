"""Reaches for other processes by system calls: ptrace, process_vm_readv, stolen descriptors, counters."""

import ctypes
import os
import platform

LIBC = ctypes.CDLL(None, use_errno=True)
ATTACH, SEIZE, DETACH = 16, 0x4206, 17
NUMBERS = {"x86_64": {"kcmp": 312, "perf_event_open": 298}, "aarch64": {"kcmp": 272, "perf_event_open": 241}}
CALLS = {"pidfd_open": 434, "pidfd_getfd": 438, "process_madvise": 440, **NUMBERS.get(platform.machine(), {})}


class Piece(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


class PeeksProcesses:
    def act(self, view, moves):
        worked = [
            f"{attempt.__name__} of {pid}" for pid in {1, os.getppid()} - {0} for attempt in ATTEMPTS if attempt(pid)
        ]
        if worked:
            raise AssertionError(f"not stopped: {', '.join(worked)}")
        return moves[0]


def ptrace(pid):
    for request in (SEIZE, ATTACH):
        if LIBC.ptrace(request, pid, None, None) == 0:
            LIBC.ptrace(DETACH, pid, None, None)
            return True
    return False


def process_vm_readv(pid):
    """From where the parent's memory most probably is: where this process has its own."""
    room = ctypes.create_string_buffer(16)
    here = Piece(ctypes.addressof(room), 16)
    there = Piece(id(None), 16)
    return LIBC.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0


def pidfd_getfd(pid):
    own = LIBC.syscall(CALLS["pidfd_open"], pid, 0)
    stolen = [LIBC.syscall(CALLS["pidfd_getfd"], own, number, 0) for number in range(16)] if own >= 0 else []
    return any(number >= 0 for number in stolen)


def kcmp(pid):
    return LIBC.syscall(CALLS.get("kcmp", -1), os.getpid(), pid, 1, 0, 0) >= 0


def perf_event_open(pid):
    attributes = ctypes.create_string_buffer(128)
    attributes[0:8] = (1).to_bytes(4, "little") + (128).to_bytes(4, "little")
    return LIBC.syscall(CALLS.get("perf_event_open", -1), attributes, pid, -1, -1, 0) >= 0


ATTEMPTS = (ptrace, process_vm_readv, pidfd_getfd, kcmp, perf_event_open)
