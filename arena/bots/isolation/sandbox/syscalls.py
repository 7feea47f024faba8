"""Numbers of the system calls that the filter of the sandbox judges, for x86_64 and aarch64.

Source: `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` of Linux 6.1. The numbers
are part of Linux's promise to programs and never change. `None`: the machine has no such call.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """What tells the calls of one kind of processor.

    `audit`: how a filter sees it (`AUDIT_ARCH_*` of `linux/audit.h`). `column`: its numbers in `NUMBERS`.
    `gap`: the first number that was free below `SHARED`. `x32`: it has a second set of calls, marked by
    bit 30 of the number.
    """

    name: str
    audit: int
    column: int
    gap: int
    x32: bool


MACHINES = {
    "x86_64": Machine("x86_64", 0xC000003E, 0, 335, True),
    "aarch64": Machine("aarch64", 0xC00000B7, 1, 295, False),
}

#: From here on every machine has the same numbers.
SHARED = 424
#: The first number that Linux 6.1 does not have.
NEWER = 451

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # processes
    "clone": (56, 220), "clone3": (435, 435), "fork": (57, None), "vfork": (58, None),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "perf_event_open": (298, 241), "lookup_dcookie": (212, 18),
    # signals of a process to itself
    "timer_create": (222, 107),
    # memory
    "madvise": (28, 233), "mincore": (27, 232), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "get_mempolicy": (239, 236), "set_mempolicy_home_node": (450, 450),
    "mmap": (9, 222), "memfd_create": (319, 279), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
    "remap_file_pages": (216, 234),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # sockets, asynchronous reading and writing, watching files
    "socket": (41, 198), "socketpair": (53, 199), "getsockopt": (55, 209), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "setsockopt": (54, 208), "splice": (275, 76), "tee": (276, 77), "vmsplice": (278, 75), "sendfile": (40, 71),
    "io_setup": (206, 0), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "inotify_init": (253, None), "inotify_init1": (294, 26),
    # files and descriptors
    "fcntl": (72, 25), "flock": (73, 32), "ioctl": (16, 29), "openat2": (437, 437),
    "fadvise64": (221, 223), "readahead": (187, 213), "preadv2": (327, 286),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "sync": (162, 81), "syncfs": (306, 267),
    # the share of the processor
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # the machine
    "seccomp": (317, 277), "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446), "setrlimit": (160, 164), "prlimit64": (302, 261),
    "sysinfo": (99, 179), "statfs": (137, 43), "fstatfs": (138, 44), "prctl": (157, 167),
    "bpf": (321, 280), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "syslog": (103, 116), "personality": (135, 92), "vhangup": (153, 58), "nfsservctl": (180, 42),
    "ioperm": (173, None), "iopl": (172, None), "modify_ldt": (154, None), "uselib": (134, None),
    "ustat": (136, None), "sysfs": (139, None), "_sysctl": (156, None),
    "create_module": (174, None), "query_module": (178, None), "get_kernel_syms": (177, None),
}  # fmt: skip
