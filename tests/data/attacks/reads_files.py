"""Reads the user's files: home, keys, /etc, results of runs, leagues, other bots, the neighbours of its own folder.

`places` are files and folders that its author has guessed, with colons between them.
"""

import glob
import os
import pwd

SECRET = b"sword" + b"fish"
COMMON = (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/machine-id",
    "/etc/ssh",
    "/root",
    "/home",
    "/var/log",
    "/var/lib",
    "/var/run/docker.sock",
    "/run",
    "/boot",
    "/sys/class/net",
    "/mnt",
    "/media",
    "/srv",
    "~/.ssh",
    "~/.bashrc",
    "~/.netrc",
    "~/.aws",
    "~/.config",
    "~/.git-credentials",
)


class ReadsFiles:
    def __init__(self, places: str = ""):
        own = os.path.dirname(os.path.abspath(__file__))
        wanted = [*filter(None, places.split(":")), *COMMON]
        wanted += [os.path.join(own, name) for name in ("..", "../..", ".env", ".git", "results", "leagues")]
        wanted += [f"/proc/self/{way}{path}" for way in ("root", "cwd/../../../../..") for path in ("/etc/passwd", own)]
        found = [path for place in wanted for path in readable(os.path.expanduser(place), own)]
        self.found = list(dict.fromkeys(found))
        self.found += [f"${name}" for name, value in os.environ.items() if SECRET.decode() in value]
        self.found += users()

    def act(self, view, moves):
        if self.found:
            raise AssertionError(f"secret read: {', '.join(self.found)[:600]}")
        return moves[0]


def readable(place, own):
    """What can be read there of what is not the bot's own."""
    names = [place, *glob.glob(f"{place}/*"), *glob.glob(f"{place}/.*"), *glob.glob(f"{place}/*/*")]
    for name in names:
        if os.path.realpath(name) in (own, os.path.join(own, os.path.basename(__file__))):
            continue
        try:
            with open(name, "rb") as file:
                if file.read(1 << 16):
                    yield name
        except OSError:
            continue


def users():
    """The names of the machine's users, if the system tells them."""
    return [f"user {entry.pw_name}" for entry in pwd.getpwall()]
