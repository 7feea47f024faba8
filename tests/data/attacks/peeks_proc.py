"""Reads what /proc tells of other processes, of its parents first: environment, memory, descriptors, files.

The secret that it looks for is in the runner's environment and memory.
"""

import glob
import os
import re

SECRET = re.compile(rb"sword" rb"fish-\d+")
OWN = str(os.getpid())


class PeeksProc:
    def __init__(self):
        self.found = []
        parents = set(ancestors())
        numbers = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}
        self.found += [f"{len(numbers)} other processes"] if numbers else []
        for process in parents | set(glob.glob("/proc/[0-9]*")):
            if process.rpartition("/")[2] != OWN:
                self.look(process, process in parents)
        for path in ("/proc/kcore", "/proc/kmsg", "/proc/kallsyms", "/proc/sysrq-trigger", "/proc/keys"):
            if content(path):
                self.found.append(path)

    def look(self, process, closely):
        for name in ("environ", "cmdline", "auxv", "stack", "syscall", "maps"):
            if SECRET.search(content(f"{process}/{name}")):
                self.found.append(f"{process}/{name}")
        if not closely:
            return
        for pid in (process, *glob.glob(f"{process}/task/*")):
            if SECRET.search(memory(pid)):
                self.found.append(f"{pid}/mem")
        for folder in ("fd", "map_files"):
            for path in glob.glob(f"{process}/{folder}/*"):
                if SECRET.search(content(path)):
                    self.found.append(path)
        for place in ("cwd", "root"):
            if os.path.exists(f"{process}/{place}/etc/passwd"):
                self.found.append(f"{process}/{place}")

    def act(self, view, moves):
        if self.found:
            raise AssertionError(f"secret read: {', '.join(self.found)[:300]}")
        return moves[0]


def ancestors():
    """This process's parent, its parent, and so on."""
    pid = str(os.getppid())
    while pid.isdigit() and pid != "0":
        yield f"/proc/{pid}"
        pid = content(f"/proc/{pid}/stat").decode().rpartition(") ")[2].split(" ")[1:2]
        pid = pid[0] if pid else ""


def content(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1 << 20)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def memory(process):
    """Writable memory of a process, the heap above all."""
    try:
        with open(f"{process}/maps") as maps, open(f"{process}/mem", "rb", 0) as file:
            found = b""
            for start, stop in re.findall(r"^(\w+)-(\w+) rw.*\[heap\]", maps.read(), re.MULTILINE):
                file.seek(int(start, 16))
                found += file.read(int(stop, 16) - int(start, 16))
            return found
    except OSError:
        return b""
