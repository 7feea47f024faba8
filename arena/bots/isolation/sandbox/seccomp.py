"""The system call filter of the sandbox: a program for the kernel's small machine (BPF), written by hand.

The namespaces of the sandbox decide what a bot can see. The filter takes away the calls with which it could start
processes, get memory that no limit counts, leave the processors it is pinned to, or reach for the less tested parts
of the kernel. It is a list of what is forbidden, since programs in any language must run below it; calls younger than
Linux 6.1 do not exist below it either.

bubblewrap loads the program as its last act before it runs the bot's command, so `execve` stays allowed. That is
harmless: the filter, the limits and "no new privileges" are kept across it, files that give rights give none, and
another program sees the same files.

Sources: `man 2 seccomp`, `linux/seccomp.h`, `linux/filter.h`, `linux/bpf_common.h`.
"""

from __future__ import annotations

import errno
import platform
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from arena.bots.isolation.sandbox.syscalls import MACHINES, NEWER, NUMBERS, SHARED, Machine

ALLOW = 0x7FFF0000
KILL = 0x80000000
_ERRNO = 0x00050000

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP = 0x05  # BPF_JMP | BPF_JA
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_FARTHEST = 255  # a conditional jump has 8 bits for its distance

# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16

#: Calls that fail with EPERM.
FORBIDDEN = (
    # No further process, so no fork bomb and no grandchild that outlives the bot.
    "fork vfork",
    # No way out of, or around, what the mount namespace shows.
    "unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr "
    "name_to_handle_at open_by_handle_at",
    # No hand in other processes: the one other process in there is the first of the process namespace.
    "ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal process_madvise "
    "process_mrelease migrate_pages move_pages perf_event_open lookup_dcookie",
    # A timer may send SIGCONT: a bot that was stopped while others play would wake itself.
    "timer_create",
    # No memory that RLIMIT_DATA does not count, and none that lives on without a process.
    "memfd_create memfd_secret userfaultfd remap_file_pages shmget shmat shmctl shmdt semget semop semctl semtimedop "
    "msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr "
    "add_key request_key keyctl",
    # No sockets: AF_VSOCK and sockets among the files that are shown know no network namespace.
    "socket",
    # These draw from small stocks that all processes of the user or of the machine share.
    "io_setup fanotify_init fanotify_mark inotify_init inotify_init1",
    # Where the runner is root, the bot is the owner of /dev/null in the kernel's eyes, and could change it for all.
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
    "quotactl_fd settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname syslog personality "
    "vhangup nfsservctl ioperm iopl modify_ldt uselib ustat sysfs _sysctl create_module query_module get_kernel_syms",
)
#: Calls that do nothing and succeed: what a bot does to a file that all sandboxes show could be felt in the others, so
#: that bots could tell each other what only one of them may know. Locks: there is nobody in there to be locked out.
#: Advice about what is kept in memory of a file (the page cache, which all share): it may be ignored at any time.
PRETENDED = "flock fadvise64 readahead"
#: Calls that fail with ENOSYS, so that a library takes the older way or does without.
UNKNOWN = (
    # clone instead of clone3, epoll instead of rings
    "clone3 io_uring_setup io_uring_enter io_uring_register",
    # These tell what is in memory of a file, and on which part of a machine, and which names have been looked up.
    "mincore mbind get_mempolicy set_mempolicy set_mempolicy_home_node openat2",
    # How much memory and disk the whole machine has left: what the one uses, the other would see.
    "sysinfo statfs fstatfs",
    # Pipes would hold on to pages that no process has any more: 2 MiB for each entry of a pipe, where pages are large.
    "splice tee vmsplice sendfile",
    # Any number of rules in each of its sets, in memory of the kernel.
    "landlock_create_ruleset landlock_add_rule landlock_restrict_self",
)

_CLONE_THREAD = 0x00010000
#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and CLONE_PTRACE
_CLONE_FORBIDDEN = 0x7E022000
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_GROWSDOWN, _MAP_HUGETLB = 0x01, 0x20, 0x100, 0x40000
_AF_UNIX = 1
_SOL_SOCKET = 1
#: The first option that tells of more than the socket: SO_INCOMING_CPU, then SO_MEMINFO, SO_INCOMING_NAPI_ID, SO_COOKIE
#: (numbers in order for all sockets of the machine), SO_NETNS_COOKIE and younger ones.
_SO_OF_THE_MACHINE = 49
_F_SETPIPE_SZ, _F_SETLEASE, _F_NOTIFY = 1031, 1024, 1026
_F_SETSIG = 10  # which signal tells that a descriptor is ready: SIGCONT, to one that was stopped
_LOCKS = 6, 7, 37, 38  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
#: F_GET_RW_HINT, the first of the commands that keep something with the file itself, even where it is read-only:
#: hints (to 1038) and, on younger kernels, delegations.
_F_HINTS = 1035
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_TERMINALS = 0x5400, 0x5500  # requests to terminals and descriptors (FIONREAD, FIOCLEX, FIONBIO); not to file systems
#: MADV_WILLNEED, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE: they move
#: pages of files in and out of memory, or make pages that others share
_ADVICE = 3, 12, 14, 20, 21, 25
_PR_SET_SECCOMP, _PR_SCHED_CORE, _PR_SET_MEMORY_MERGE = 22, 62, 67
#: Where crashes are piped to a program, a limit of 1 keeps the kernel from writing gigabytes to it, and one of 0, which
#: a bot may want to set again, does not (`man 5 core`, `fs/coredump.c`).
_RLIMIT_CORE = 4


@dataclass(frozen=True)
class Instruction:
    """One instruction: `struct sock_filter`."""

    code: int
    value: int
    then: int = 0
    otherwise: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.then, self.otherwise, self.value)


Block = list[Instruction]  # always ends in a return, whatever way is taken


def machine_here() -> Machine | None:
    """This machine, if there is a filter for it."""
    return MACHINES.get(platform.machine()) if sys.platform == "linux" and sys.byteorder == "little" else None


def filter_program(machine: Machine) -> bytes:
    """The filter for a machine, as `bwrap --seccomp` reads it.

    >>> len(filter_program(MACHINES["x86_64"])) % 8
    0
    """
    return b"".join(one.packed() for one in assemble(machine))


def assemble(machine: Machine) -> Block:
    """The instructions of the filter.

    Calls by the rules of another processor, which have other numbers, kill the process. The number of the call is
    then looked up by halving, so that the commonest calls pay some eight comparisons; the kernel skips even those for
    calls that are always allowed.
    """
    program = [
        Instruction(_LOAD, _ARCH),
        Instruction(_EQUAL, machine.audit, then=1),
        _answer(KILL),
        Instruction(_LOAD, _NUMBER),
    ]
    if machine.x32:
        program += [Instruction(_AT_LEAST, 0x40000000, otherwise=1), _answer(KILL)]
    return program + _lookup(_ranges(_verdicts(machine), machine))


def _answer(value: int) -> Instruction:
    return Instruction(_RETURN, value)


def _refusal(number: int) -> Instruction:
    return _answer(_ERRNO | number)


def _verdicts(machine: Machine) -> dict[int, Block]:
    """What becomes of each call that is not simply allowed, by its number."""
    named: dict[str, Block] = {
        "clone": _threads_only(),
        "mmap": _counted_memory_only(),
        "socketpair": _unless(_argument(0), [_AF_UNIX], _answer(ALLOW), _refusal(errno.EPERM)),
        "getsockopt": _only_of_the_socket(),
        "fcntl": _nothing_kept_with_files(),
        "ioctl": _terminals_only(),
        "madvise": _unless(_argument(2), _ADVICE, _answer(_ERRNO), _answer(ALLOW)),
        # with flags it can tell what is in memory of a file (RWF_NOWAIT); EOPNOTSUPP is what most file systems say
        "preadv2": _unless(_argument(5), [0], _answer(ALLOW), _refusal(errno.EOPNOTSUPP)),
        # of a file by its name, as the three above; of an open file it does nothing and succeeds, so that `touch` works
        "utimensat": _unless(_argument(1), [0], _answer(_ERRNO), _refusal(errno.EPERM)),
        "prctl": _unless(
            _argument(0),
            [_PR_SET_SECCOMP, _PR_SCHED_CORE, _PR_SET_MEMORY_MERGE],
            _refusal(errno.EPERM),
            _answer(ALLOW),
        ),
        "setrlimit": _unless(_argument(0), [_RLIMIT_CORE], _refusal(errno.EPERM), _answer(ALLOW)),
        "prlimit64": _unless(_argument(1), [_RLIMIT_CORE], _refusal(errno.EPERM), _answer(ALLOW)),
    }
    named.update({name: [_refusal(errno.EPERM)] for group in FORBIDDEN for name in group.split()})
    named.update({name: [_answer(_ERRNO)] for name in PRETENDED.split()})
    named.update({name: [_refusal(errno.ENOSYS)] for group in UNKNOWN for name in group.split()})
    numbers = {name: NUMBERS[name][machine.column] for name in named}
    return {number: named[name] for name, number in numbers.items() if number is not None}


def _argument(index: int) -> Instruction:
    """Load the low half of an argument: the kernel, too, looks only at that half of those we judge."""
    return Instruction(_LOAD, _ARGUMENTS + 8 * index)


def _unless(load: Instruction, values: Sequence[int], match: Instruction, rest: Instruction) -> Block:
    """`match` if the value loaded is one of the values, else `rest`."""
    return _by_value(load, [(values, match)], rest)


def _by_value(load: Instruction, cases: Sequence[tuple[Sequence[int], Instruction]], rest: Instruction) -> Block:
    """The answer of the case to which the value loaded belongs, `rest` if to none."""
    tests = [(value, case) for case, (values, _) in enumerate(cases) for value in values]
    found = [Instruction(_EQUAL, value, then=len(tests) - at + case) for at, (value, case) in enumerate(tests)]
    return [load, *found, rest, *(answer for _, answer in cases)]


def _threads_only() -> Block:
    return [
        _argument(0),
        Instruction(_ANY_BIT, _CLONE_FORBIDDEN, then=2),
        Instruction(_ANY_BIT, _CLONE_THREAD, otherwise=1),
        _answer(ALLOW),
        _refusal(errno.EPERM),
    ]


def _counted_memory_only() -> Block:
    """No shared memory without a file, no mapping that counts as a stack, no pages from the machine's reserve."""
    return [
        _argument(3),
        Instruction(_ANY_BIT, _MAP_GROWSDOWN | _MAP_HUGETLB, then=3),
        Instruction(_ANY_BIT, _MAP_ANONYMOUS, otherwise=1),
        Instruction(_ANY_BIT, _MAP_SHARED, then=1),
        _answer(ALLOW),
        _refusal(errno.EPERM),
    ]


def _only_of_the_socket() -> Block:
    """ENOPROTOOPT, as on a kernel that does not know them, to options that tell of more than the socket."""
    return [
        _argument(1),
        Instruction(_EQUAL, _SOL_SOCKET, otherwise=2),
        _argument(2),
        Instruction(_AT_LEAST, _SO_OF_THE_MACHINE, then=1),
        _answer(ALLOW),
        _refusal(errno.ENOPROTOOPT),
    ]


def _nothing_kept_with_files() -> Block:
    load, *rest = _by_value(
        _argument(1),
        [((_F_SETSIG, _F_SETPIPE_SZ, _F_SETLEASE, _F_NOTIFY), _refusal(errno.EPERM)), (_LOCKS, _answer(_ERRNO))],
        _answer(ALLOW),
    )
    # EINVAL: as on a kernel that does not know them yet
    return [load, Instruction(_AT_LEAST, _F_HINTS, otherwise=1), _refusal(errno.EINVAL), *rest]


def _terminals_only() -> Block:
    """ENOTTY, what a file says to requests it does not know, to all that file systems may offer to read or change."""
    first, end = _TERMINALS
    return [
        _argument(1),
        Instruction(_AT_LEAST, first, otherwise=5),
        Instruction(_AT_LEAST, end, then=4),
        Instruction(_EQUAL, _TIOCSTI, then=2),
        Instruction(_EQUAL, _TIOCLINUX, then=1),
        _answer(ALLOW),
        _refusal(errno.EPERM),
        _refusal(errno.ENOTTY),
    ]


def _ranges(verdicts: dict[int, Block], machine: Machine) -> list[tuple[int, Block]]:
    """Blocks with the first number each is for; neighbours differ. All numbers are covered."""
    starts: dict[int, Block] = {0: [_answer(ALLOW)], SHARED: [_answer(ALLOW)]}
    for number, block in sorted(verdicts.items()):
        starts[number] = block
        starts.setdefault(number + 1, [_answer(ALLOW)])
    starts[machine.gap] = starts[NEWER] = [_refusal(errno.ENOSYS)]
    ranges: list[tuple[int, Block]] = []
    for start, block in sorted(starts.items()):
        if not ranges or ranges[-1][1] != block:
            ranges.append((start, block))
    return ranges


def _lookup(ranges: Sequence[tuple[int, Block]]) -> Block:
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    low, high = _lookup(ranges[:middle]), _lookup(ranges[middle:])
    border = ranges[middle][0]
    if len(low) <= _FARTHEST:
        return [Instruction(_AT_LEAST, border, then=len(low)), *low, *high]
    return [Instruction(_AT_LEAST, border, otherwise=1), Instruction(_JUMP, len(low)), *low, *high]
