"""The system call filter of the sandbox, put together by libseccomp.

The namespaces of the sandbox decide what a bot can see. The filter takes away the calls with which it could start
processes, get memory that no limit counts, leave the processors it is pinned to, or reach for the less tested parts
of the kernel. It lists what is forbidden, since programs in any language must run under it. Of the calls that
came with Linux 5.1 or later, four that libraries use are left; the others fail as on an older kernel.

bubblewrap loads the program as its last act before it runs the bot's command, so `execve` stays allowed. That is
harmless: the filter, the limits and "no new privileges" are kept across it, files that give rights give none, and
another program sees the same files.

libseccomp is called by ctypes: five functions. Its bindings need its headers (`seccomp`) or are not maintained
(`pyseccomp`, which takes an unknown name for a call).

Sources: `man 2 seccomp`, `man 3 seccomp_rule_add`.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import sys
from collections.abc import Iterator

from arena.errors import ArenaError

ALLOW, KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ATTRIBUTE_BAD_ARCHITECTURE = 2
_NOT_EQUAL, _LESS, _AT_LEAST, _MASKED_EQUAL = 1, 2, 5, 7  # enum scmp_compare

#: Machines with the constants below: flags of calls, and numbers that are the same on both from `_FIRST_SHARED` on.
_MACHINES = ("x86_64", "aarch64")
_FIRST_SHARED, _PAST_ALL_CALLS = 424, 600
#: close_range, faccessat2, epoll_pwait2, futex_waitv
_ALLOWED_SHARED = (436, 439, 441, 449)

#: Calls that fail with EPERM.
FORBIDDEN = (
    # No further process, so no fork bomb and no grandchild that outlives the bot.
    "fork vfork",
    # No way out of, or around, what the mount namespace shows.
    "unshare setns mount umount2 pivot_root chroot name_to_handle_at open_by_handle_at",
    # No hand in other processes: the one other process in there is the first of the process namespace.
    "ptrace process_vm_readv process_vm_writev kcmp migrate_pages move_pages perf_event_open lookup_dcookie",
    # A timer may send SIGCONT: a bot that was stopped while others play would wake itself.
    "timer_create",
    # No memory that RLIMIT_DATA does not count, and none that lives on without a process.
    "memfd_create userfaultfd remap_file_pages shmget shmat shmctl shmdt semget semop semctl semtimedop "
    "msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr "
    "add_key request_key keyctl",
    # No sockets: AF_VSOCK and sockets among the files that are shown know no network namespace.
    "socket",
    # These draw from small stocks that all processes of the user or of the machine share.
    "io_setup fanotify_init fanotify_mark inotify_init inotify_init1",
    # If the runner is root, the bot is the owner of /dev/null in the kernel's eyes, and could change it for all.
    "chmod fchmod fchmodat chown lchown fchown fchownat "
    "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr",
    # Anybody may set the times of /dev/null, and everybody can read them.
    "utime utimes futimesat",
    # Descriptors on their way in a message are counted for all processes of the user together.
    "sendmsg sendmmsg",
    # Writes out everything the machine has yet to write, as often as it is called.
    "sync syncfs",
    # Buffers of pairs of sockets would be as large as it likes. And each filter of its own is memory of the kernel.
    "setsockopt seccomp",
    # No escape from the processors it is pinned to, and no elbowing there.
    "sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set",
    # What a bot never needs, and only an attack on the kernel would call.
    "bpf kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff acct quotactl "
    "settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname syslog personality "
    "vhangup nfsservctl ioperm iopl modify_ldt uselib ustat sysfs _sysctl create_module query_module get_kernel_syms",
)
#: Calls that do nothing and succeed: bots could pass messages through files that all sandboxes show. Locks: nobody else
#: is in the sandbox. Advice about what is kept in memory of a file (the shared page cache) may be ignored at any time.
PRETENDED = "flock fadvise64 readahead"
#: Calls that fail with ENOSYS, so that a library takes the older way or does without.
UNKNOWN = (
    # These show what is in memory of a file (by a flag, RWF_NOWAIT), and on which part of a machine.
    "mincore preadv2 mbind get_mempolicy set_mempolicy",
    # How much memory and disk the machine has left: one process would see what another one uses.
    "sysinfo statfs fstatfs",
    # Pipes would hold on to pages that no process has: 2 MiB for each entry of a pipe, where pages are large.
    "splice tee vmsplice sendfile",
)

_CLONE_THREAD = 0x00010000
#: CLONE_PTRACE, CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_CLONE_FORBIDDEN = 0x2000, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_GROWSDOWN, _MAP_HUGETLB = 0x01, 0x20, 0x100, 0x40000
_AF_UNIX = 1
_SOL_SOCKET = 1
#: The first option that says more than what concerns the socket: SO_INCOMING_CPU, then SO_MEMINFO, SO_INCOMING_NAPI_ID,
#: SO_COOKIE (numbers in order for all sockets of the machine), SO_NETNS_COOKIE and younger ones.
_SO_OF_THE_MACHINE = 49
_F_SETPIPE_SZ, _F_SETLEASE, _F_NOTIFY = 1031, 1024, 1026
_F_SETSIG = 10  # which signal announces that a descriptor is ready: SIGCONT, to one that was stopped
_LOCKS = 6, 7, 37, 38  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
#: F_GET_RW_HINT, the first of the commands that keep something with the file itself, even if it is read-only:
#: hints (to 1038) and, on younger kernels, delegations.
_F_HINTS = 1035
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_TERMINALS = 0x5400, 0x5500  # requests to terminals and descriptors (FIONREAD, FIOCLEX, FIONBIO); not to file systems
#: MADV_WILLNEED, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE: they move
#: pages of files in and out of memory, or make pages that others share
_ADVICE = 3, 12, 14, 20, 21, 25
_PR_SET_SECCOMP, _PR_SCHED_CORE, _PR_SET_MEMORY_MERGE = 22, 62, 67
#: If crashes are piped to a program, a limit of 1 keeps the kernel from writing gigabytes to it, and one of 0, which
#: a bot may want to set again, does not (`man 5 core`, `fs/coredump.c`).
_RLIMIT_CORE = 4


class NoFilter(ArenaError):
    """No filter can be made on this machine; the message says why."""


class _Test(ctypes.Structure):
    """What an argument of a call must be for a rule: `struct scmp_arg_cmp`."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("value", ctypes.c_uint64),  # of _MASKED_EQUAL the mask, and the value is the second
        ("second", ctypes.c_uint64),
    )


def _equal(argument: int, value: int, mask: int = 0xFFFFFFFF) -> _Test:
    """Test that the bits of an argument below the mask are the value.

    Like the kernel, it looks at the low half only: a rule for all of the argument could be evaded by its upper half.
    """
    return _Test(argument, _MASKED_EQUAL, mask, value)


Rule = tuple[str | int, int, tuple[_Test, ...]]  # the name or number of a call, the error it fails with, all tests


def _rules() -> Iterator[Rule]:
    """Yield what the filter refuses; error 0 means that the call does nothing and succeeds."""
    for error, names in (
        (errno.EPERM, " ".join(FORBIDDEN)),
        (0, PRETENDED),
        (errno.ENOSYS, " ".join(UNKNOWN)),
    ):
        for name in names.split():
            yield name, error, ()
    for number in range(_FIRST_SHARED, _PAST_ALL_CALLS):
        if number not in _ALLOWED_SHARED:
            yield number, errno.ENOSYS, ()
    # threads only
    yield "clone", errno.EPERM, (_equal(0, 0, _CLONE_THREAD),)
    for flag in _CLONE_FORBIDDEN:
        yield "clone", errno.EPERM, (_equal(0, flag, flag),)
    # no shared memory without a file, no mapping that counts as a stack, no pages from the machine's reserve
    for flags in (_MAP_GROWSDOWN, _MAP_HUGETLB, _MAP_SHARED | _MAP_ANONYMOUS):
        yield "mmap", errno.EPERM, (_equal(3, flags, flags),)
    yield "socketpair", errno.EPERM, (_Test(0, _NOT_EQUAL, _AF_UNIX),)
    # ENOPROTOOPT, as on a kernel that does not know them, to options that tell of more than the socket
    yield "getsockopt", errno.ENOPROTOOPT, (_equal(1, _SOL_SOCKET), _Test(2, _AT_LEAST, _SO_OF_THE_MACHINE))
    # nothing is kept with files; EINVAL: as on a kernel that does not know these commands yet
    for command in (_F_SETSIG, _F_SETPIPE_SZ, _F_SETLEASE, _F_NOTIFY):
        yield "fcntl", errno.EPERM, (_equal(1, command),)
    for command in _LOCKS:
        yield "fcntl", 0, (_equal(1, command),)
    yield "fcntl", errno.EINVAL, (_Test(1, _AT_LEAST, _F_HINTS),)
    # ENOTTY, what a file says to requests it does not know, to all that file systems may offer to read or change
    first, end = _TERMINALS
    yield "ioctl", errno.ENOTTY, (_Test(1, _LESS, first),)
    yield "ioctl", errno.ENOTTY, (_Test(1, _AT_LEAST, end),)
    for request in (_TIOCSTI, _TIOCLINUX):
        yield "ioctl", errno.EPERM, (_equal(1, request),)
    for advice in _ADVICE:
        yield "madvise", 0, (_equal(2, advice),)
    # of a file by its name, as `utime`; of an open file, without a name, it does nothing and succeeds, for `touch`
    yield "utimensat", 0, (_Test(1, _LESS, 1),)
    yield "utimensat", errno.EPERM, (_Test(1, _AT_LEAST, 1),)
    for option in (_PR_SET_SECCOMP, _PR_SCHED_CORE, _PR_SET_MEMORY_MERGE):
        yield "prctl", errno.EPERM, (_equal(0, option),)
    yield "setrlimit", errno.EPERM, (_equal(0, _RLIMIT_CORE),)
    yield "prlimit64", errno.EPERM, (_equal(1, _RLIMIT_CORE),)


# ---------------------------------------------------------------- libseccomp


def has_filter() -> bool:
    """Return whether there is a filter for machines of this kind."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


@functools.cache
def filter_program() -> bytes:
    """Make the filter for this machine, as `bwrap --seccomp` reads it; `NoFilter` without libseccomp."""
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        raise NoFilter("libseccomp is not installed (package libseccomp2 or libseccomp)") from None
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))
    try:
        _check("seccomp_attr_set", library.seccomp_attr_set(context, _ATTRIBUTE_BAD_ARCHITECTURE, KILL_PROCESS))
        for call, number_of_error, tests in _rules():
            number = call if isinstance(call, int) else library.seccomp_syscall_resolve_name(call.encode())
            if number == -1:
                raise NoFilter(f"this libseccomp does not know the system call {call}")
            action = ctypes.c_uint32(_ERRNO | number_of_error)
            added = library.seccomp_rule_add_array(context, action, number, len(tests), (_Test * len(tests))(*tests))
            _check(str(call), added)
        file = os.memfd_create("filter")
        try:
            _check("seccomp_export_bpf", library.seccomp_export_bpf(context, file))
            return os.pread(file, 1 << 20, 0)
        finally:
            os.close(file)
    finally:
        library.seccomp_release(context)


def _check(what: str, status: int) -> None:
    if status < 0:
        raise NoFilter(f"libseccomp refuses {what}: {os.strerror(-status)}")
