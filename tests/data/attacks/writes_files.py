"""Writes, makes and links files wherever it can beside its temporary folder."""

import os
import site
import sys

import arena

NAME = "planted_by_attack"


class WritesFiles:
    def __init__(self, places: str = "", everywhere: bool = True):
        self.own = os.path.abspath(__file__)
        folders = [os.path.dirname(self.own), *filter(None, places.split(":"))]
        if everywhere:
            folders += common()
        places = dict.fromkeys(folders)
        self.worked = [f"{how.__name__} in {place}" for place in places for how in HOW if works(how, place)]
        self.worked += [how.__name__ for how in OWN if everywhere and works(how, self.own)]

    def act(self, view, moves):
        if self.worked:
            raise AssertionError(f"not stopped: {', '.join(self.worked)[:600]}")
        return moves[0]


def common():
    """Places that there are everywhere, and those of this Python and the arena."""
    folders = [
        os.path.dirname(arena.__file__),
        *sys.path,
        *site.getsitepackages(),
        os.path.dirname(sys.executable),
        os.path.dirname(os.__file__),
    ]
    folders += [
        os.path.expanduser("~root"),
        "/",
        "/etc",
        "/usr",
        "/usr/lib",
        "/var/tmp",
        "/home",
        "/root",
        "/dev",
    ]
    folders += [
        "/proc",
        "/proc/self",
        "/proc/1",
        "/proc/sys/kernel",
        "/sys/kernel",
        "/run",
    ]
    temporary = os.stat("/tmp").st_dev  # in the sandbox that is the bot's own
    return [path for path in folders if os.path.exists(path) and os.stat(path).st_dev != temporary]


def works(how, place):
    try:
        how(place)
    except (OSError, ValueError):
        return False
    return True


def write(folder):
    with open(os.path.join(folder, NAME), "w") as file:
        file.write("here")


def make_folder(folder):
    os.mkdir(os.path.join(folder, f"{NAME}_folder"))


def make_link(folder):
    os.symlink("/", os.path.join(folder, f"{NAME}_link"))


def make_pipe(folder):
    os.mkfifo(os.path.join(folder, f"{NAME}_pipe"))


def make_device(folder):
    os.mknod(os.path.join(folder, f"{NAME}_device"), 0o020666, os.makedev(1, 5))


def append_to_file(folder):
    """To the first file there is; nothing is written, opening it is enough."""
    for entry in os.scandir(folder):
        if entry.is_file() and entry.name.endswith((".py", ".so")):
            with open(entry.path, "ab"):
                return
    raise FileNotFoundError(folder)


def overwrite_own(path):
    with open(path, "r+b"):
        pass


def link_own(path):
    os.link(path, f"/tmp/{NAME}")


def date_own(path):
    os.utime(path, (1, 1))


def open_to_all(path):
    os.chmod(path, 0o777)


def change_null(path):
    os.chmod(os.devnull, 0o666)  # what it is: the attempt must do no harm where it succeeds


def change_settings(path):
    with open("/proc/sys/kernel/core_pattern", "r+b"):
        pass


def change_own_limits(path):
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")


HOW = (write, make_folder, make_link, make_pipe, make_device, append_to_file)
OWN = (overwrite_own, date_own, open_to_all, change_null, change_settings, change_own_limits, link_own)
