"""Run the steps of deploy/Dockerfile without a container engine, in a fresh Debian, and try the league in it.

    python -m tools.try_image --root /tmp/image

Needs root, git, debootstrap and the network. Each stage is a folder with a fresh Debian; each RUN is a command with
this folder as its root. At the end, a league is created and served as in the image, and /healthz and the first page are
requested. `--keep` keeps the folders. `--copy` first copies files of this machine, such as certificates, into each
stage.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Make the folder $0 the root. In a chroot, the kernel would not allow a sandbox (user namespace).
ENTER = """
mount --bind "$0" "$0" && cd "$0" && mount --rbind /dev dev && mount -t proc proc proc && mkdir -p .old &&
pivot_root . .old && cd / && umount -l /.old && exec "$@"
"""


@dataclass
class Stage:
    """A stage of the image: the folder with its files, and the settings of the instructions so far."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "root"
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    def argv(self, command: str) -> list[str]:
        """Return the words of a shell command that runs in the stage, with its own mounts."""
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        settings = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"} | pip | self.environment
        variables = [f"{name}={value}" for name, value in settings.items()]
        inner = ["env", "-i", *variables, "sh", "-c", f"cd {self.workdir} && {command}"]
        if self.user != "root":
            inner = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", *inner]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, str(self.folder), *inner]


def instructions() -> list[tuple[str, str]]:
    """Return the lines of the Dockerfile as (instruction, rest)."""
    text = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n", "", text).splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line and not line.startswith("#")]


def build(root: Path, copied: list[Path]) -> Stage:
    """Carry out all instructions; return the last stage."""
    stages: dict[str, Stage] = {}
    stage = Stage(root)
    for kind, rest in instructions():
        print(f"=== {kind} {rest}", flush=True)
        if kind == "FROM":
            words = rest.split()
            stage = Stage(root / f"stage{len(stages)}")
            stages[words[2] if len(words) > 2 else "final"] = stage
            release = words[0].removeprefix("debian:").partition("-")[0]
            subprocess.run(["debootstrap", "--variant=minbase", release, str(stage.folder)], check=True, stdout=2)
            for path in copied:
                target = stage.folder / path.relative_to("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        elif kind == "RUN":
            subprocess.run(stage.argv(rest), check=True, stdout=2)
        elif kind == "COPY" and rest.startswith("--from="):
            source, target = rest.removeprefix("--from=").split(maxsplit=1)[1].split()
            name = rest.removeprefix("--from=").split()[0]
            shutil.copytree(stages[name].folder / source[1:], stage.folder / target[1:], symlinks=True)
        elif kind == "COPY":
            archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
            folder = stage.folder / stage.workdir[1:]
            subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
        elif kind == "WORKDIR":
            stage.workdir = rest
            (stage.folder / rest[1:]).mkdir(parents=True, exist_ok=True)
        elif kind == "ENV":
            stage.environment |= dict(word.split("=", 1) for word in shlex.split(rest))
        elif kind == "USER":
            stage.user = rest
            stage.environment["HOME"] = f"/home/{rest}"
        elif kind == "ENTRYPOINT":
            stage.entrypoint = tuple(json.loads(rest))
        elif kind == "CMD":
            stage.command = tuple(json.loads(rest))
    return stage


def try_league(stage: Stage) -> None:
    """Create a league and serve it as the image does."""
    arena = shlex.join(stage.entrypoint)
    subprocess.run(stage.argv(f"{arena} doctor && {arena} league create open"), check=True)
    server = subprocess.Popen(stage.argv(f"{arena} {shlex.join(stage.command)}"), start_new_session=True)
    try:
        for page in ("healthz", ""):
            deadline = time.monotonic() + 120
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:8000/{page}", timeout=10) as response:
                        print(f"GET /{page}: {response.status}, {len(response.read())} bytes")
                        break
                except OSError:
                    if server.poll() is not None or time.monotonic() > deadline:
                        raise
                    time.sleep(0.5)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True, help="a new folder for the stages")
    parser.add_argument("--copy", type=Path, action="append", default=[], help="a file to put into each stage")
    parser.add_argument("--keep", action="store_true", help="leave the folder")
    given = parser.parse_args()
    given.root.mkdir(parents=True)
    try:
        try_league(build(given.root.resolve(), given.copy))
    finally:
        if not given.keep:
            shutil.rmtree(given.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
