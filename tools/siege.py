"""Besiege an arena: 19 hostile bots and 4 honest ones play a league for some time, on two cores and 4 GB.

    python -m tools.siege --minutes 60 --seed 1 [--clock-ms 1000]

The hostile bots are the files of tools/hostile. Each author submits repeatedly: first a bot that attacks at once, then
one that behaves in its check and attacks later, then one that attacks in some of its games. Honest authors submit new
versions all the time. Meanwhile `arena league work --play` plays. At the end,

- the runner is alive: no command has ended in an unexpected way;
- no honest bot is refused, suspended or retired, or has forfeited a game;
- each hostile bot is named, with its attack.

If a control group (v1 or v2) can be created, everything runs in one with 4 GB, including the kernel's memory.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.league import oversight, versions
from arena.league.store import open_league
from arena.league.views import forfeit_lines
from arena.text import one_line as _one_line

HOSTILE = Path(__file__).with_name("hostile")
NAMES = tuple(sorted(path.stem for path in HOSTILE.glob("*.py") if path.stem != "when"))
MODES = ("always", "later", "sometimes")
HONEST = {
    "first": "def act(view, moves):\n    return moves[0]\n",
    "last": "def act(view, moves):\n    return moves[-1]\n",
    "dice": "def act(view, moves):\n    return view.rng.choice(moves)\n",
    "keen": "def act(view, moves):\n    return max(moves, key=lambda move: (move.kind == 'claim', str(move)))\n",
}
MEMORY = 4 << 30
_FINE = {0: "done", 1: "refused", 130: "interrupted"}
_ARENA = (sys.executable, "-c", "import sys; from arena.cli.main import main; sys.exit(main())")
_PATIENCE_S = 120.0  # for a command that should stop


@dataclass
class Command:
    """An `arena` command that has ended: how it ended, and the end of its output if that was unexpected."""

    words: str
    code: int | None
    seconds: float
    said: str = ""


@dataclass
class Result:
    """The result of a siege; `named` and `harmed` hold lists of sentences by bot."""

    seed: int
    minutes: float
    clock_ms: int
    games: int = 0
    submissions: int = 0
    peak_mb: int | None = None
    commands: int = 0
    failed: list[Command] = field(default_factory=list)
    harmed: dict[str, list[str]] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        """Check whether the arena held."""
        return not (self.failed or self.harmed or self.unnamed or self.survivors)


class Siege:
    """A league in `folder`, besieged."""

    def __init__(self, folder: Path, seed: int, clock_ms: int) -> None:
        self.folder = folder
        self.league = folder / "league"
        self.rng = random.Random(seed)
        self.group = _Group()
        self.result = Result(seed, 0.0, clock_ms)
        self._rounds = 0
        self._is_playing = False
        self._playing: subprocess.Popen[bytes] | None = None
        self._play_began = 0.0

    # ------------------------------------------------------------ commands

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start an `arena` command within the control group."""
        number = self.result.commands = self.result.commands + 1
        with open(self.folder / f"{number}.out", "wb") as out:
            return subprocess.Popen(
                [*_ARENA, *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "COLUMNS": "200"},
                preexec_fn=self.group.enter,
            )

    def ended(self, process: subprocess.Popen[bytes], number: int, began: float, fine: Sequence[int] = (0, 1)) -> str:
        """Note how a command has ended; return its output."""
        text = (self.folder / f"{number}.out").read_bytes().decode("utf-8", "replace")
        code = process.returncode
        ours = re.search(r"^(Internal error|Traceback .*)", text, re.MULTILINE) and "is refused" not in text
        retired = code == 2 and re.match(r"Error: '\w+' was retired ", text)  # expected: the author submits again
        if not (code in fine or retired) or ours:
            words = " ".join(str(word) for word in process.args[3:])  # type: ignore[index]
            self.result.failed.append(Command(words, code, round(time.monotonic() - began, 1), text[-3000:]))
        return text

    def run(self, *words: str, until: float) -> str:
        """Run a command to its end, or to the end of the siege."""
        began = time.monotonic()
        process = self.start(*words)
        number = self.result.commands
        fine = [0, 1]
        while process.poll() is None:
            self.keep_playing()
            if time.monotonic() > until:
                fine += [130, -signal.SIGINT]
                self.stop(process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        return self.ended(process, number, began, fine)

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """Ask a command to stop as Ctrl-C does; note a failure if it does not.

        A command that is just ending, when Python no longer handles signals, is killed by the signal.
        """
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            words = " ".join(str(word) for word in process.args[3:])  # type: ignore[index]
            self.result.failed.append(Command(words, None, _PATIENCE_S, "it did not end when asked to stop"))
            process.kill()
            process.wait()

    def keep_playing(self) -> None:
        """Start `arena league work --play` once there is something to play, and start it again if it has ended."""
        if not self._is_playing or (self._playing is not None and self._playing.poll() is None):
            return
        if self._playing is not None:
            self.ended(self._playing, self._play_number, self._play_began, ())
        self._play_began = time.monotonic()
        self._playing = self.start("league", "work", str(self.league), "--play", "--workers", "1")
        self._play_number = self.result.commands

    # ------------------------------------------------------------ the siege

    def create(self) -> None:
        settings = self.folder / "siege.toml"
        settings.write_text(
            f'rules = "base"\nisolation = "sandbox"\n[clock]\nmove_ms = {self.result.clock_ms}\n'
            "[limits]\nloading_s = 5\ndecision_s = 5\nmemory_mb = 256\nfile_mb = 4\n"
            "[placement]\nerror = 150\nmost_games = 24\nsample = 3\ngames = 4\n"
        )
        process = self.start("league", "create", "siege", "--config", str(settings), "--out", str(self.league))
        process.wait()
        self.ended(process, self.result.commands, time.monotonic(), (0,))

    def submit_honest(self, name: str, until: float) -> None:
        """Submit a new version of an honest bot."""
        file = self.folder / f"{name}.py"
        file.write_text(f"# version {self._rounds}\n{HONEST[name]}")
        self._submit(name, str(file), until=until)

    def submit_hostile(self, name: str, mode: str, until: float) -> None:
        home = self.folder / "hostile" / name
        home.mkdir(parents=True, exist_ok=True)
        for file in (f"{name}.py", "when.py"):
            shutil.copy(HOSTILE / file, home)
        (home / "version.txt").write_text(str(self._rounds))
        self._submit(name, f"{name}.py:when={mode}", "--folder", str(home), until=until)

    def _submit(self, name: str, *words: str, until: float) -> None:
        self.result.submissions += 1
        self.run(
            "submit",
            *words,
            "--league",
            str(self.league),
            "--author",
            f"author of {name}",
            "--workers",
            "1",
            until=until,
        )

    def lay(self, seconds: float) -> Result:
        """Besiege the arena for some seconds; return the result."""
        began = time.monotonic()
        until = began + seconds
        before = _processes(self.folder)
        self.create()
        with self.group:
            honest = list(HONEST)
            for name in honest[:2]:
                self.submit_honest(name, until)
            self._is_playing = True
            while time.monotonic() < until:
                self._round(honest, until)
                self._rounds += 1
            if self._playing is not None:
                self.stop(self._playing)
                self.ended(self._playing, self._play_number, self._play_began, (0, 130, -signal.SIGINT))
            self.result.peak_mb = self.group.peak_mb()
        time.sleep(1)
        self.result.survivors = sorted(_processes(self.folder) - before)
        self.result.minutes = round((time.monotonic() - began) / 60, 2)
        self.judge()
        return self.result

    def _round(self, honest: Sequence[str], until: float) -> None:
        """Let every author submit once, in random order."""
        order = [*NAMES, *honest]
        self.rng.shuffle(order)
        for name in order:
            if time.monotonic() > until:
                return
            if name in HONEST:
                if self._rounds or name in honest[2:]:
                    self.submit_honest(name, until)
            else:
                mode = MODES[(self._rounds + NAMES.index(name)) % len(MODES)]
                self.submit_hostile(name, mode, until)

    # ------------------------------------------------------------ the result

    def judge(self) -> None:
        """Read from the league what has become of each bot."""
        attacks: dict[str, list[str]] = {}
        harmed: dict[str, list[str]] = {}
        with open_league(self.league, write=False) as league:
            self.result.games = league.count_games()
            by_id = {one.id: one for one in versions.in_state(league, retired=True)}
            for one in by_id.values():
                lines = harmed if one.name in HONEST else attacks
                if one.state == versions.REFUSED:
                    lines.setdefault(one.name, []).append(f"v{one.number} refused: {one_line(one.reason, 160)}")
                if one.retired is not None and one.state == versions.ACTIVE:
                    lines.setdefault(one.name, []).append(f"retired: {one_line(one.retired_reason, 160)}")
            for one in by_id.values():
                for line in forfeit_lines(league, one):
                    lines = harmed if one.name in HONEST else attacks
                    text = f"v{one.number} forfeited {line['games']} by {line['kind']}: {one_line(line['last'], 120)}"
                    lines.setdefault(one.name, []).append(text)
            for entry in oversight.entries(league):
                name = entry["subject"].partition(" ")[0]
                if entry["what"] == "check" and name not in HONEST:
                    text = f"{entry['subject']} {entry['outcome']}: {one_line(entry['detail'], 160)}"
                    attacks.setdefault(name, []).append(text)
        self.result.named, self.result.harmed = attacks, harmed
        self.result.unnamed = [name for name in NAMES if not attacks.get(name)]


def one_line(text: str, longest: int) -> str:
    return _one_line(" ".join(text.split()), longest)


class _Group:
    """A control group with a limit of memory, if possible. A context manager that kills what is left in the group."""

    def __init__(self) -> None:
        self._path: Path | None = None
        name = f"arena-siege-{os.getpid()}"
        v1, v2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
        for parent, limit in ((v1, "memory.limit_in_bytes"), (v2, "memory.max")):
            path = parent / name
            try:
                path.mkdir()
                (path / limit).write_text(str(MEMORY))
                self._path = path
                return
            except OSError:
                with contextlib.suppress(OSError):
                    path.rmdir()

    def enter(self) -> None:
        """Join the group, within a new process before it becomes the command."""
        if self._path is not None:
            (self._path / "cgroup.procs").write_text(str(os.getpid()))

    def peak_mb(self) -> int | None:
        """Return the peak memory use in MB, page cache included."""
        for file in ("memory.max_usage_in_bytes", "memory.peak"):
            with contextlib.suppress(OSError, TypeError, AttributeError):
                return int((self._path / file).read_text()) >> 20  # type: ignore[operator]
        return None

    def __enter__(self) -> _Group:
        return self

    def __exit__(self, *error: object) -> None:
        if self._path is None:
            return
        for _ in range(50):
            with contextlib.suppress(OSError):
                for pid in (self._path / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                self._path.rmdir()
                return
            time.sleep(0.1)


def _processes(folder: Path) -> set[str]:
    """Return the processes that are related to a folder."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes()
                if os.fsencode(folder) in command:
                    found.add(f"{entry.name}: {command.replace(bytes(1), b' ')[:200].decode('utf-8', 'replace')}")
    return found


def _print(result: Result) -> None:
    print(f"seed {result.seed}, {result.minutes} minutes, {result.clock_ms} ms a decision:")
    print(f"{result.games} games, {result.submissions} submissions, {result.commands} commands,", end=" ")
    print("memory not measured" if result.peak_mb is None else f"at most {result.peak_mb} MB of {MEMORY >> 20}")
    print("\nHostile bots, and what the league says about them")
    for name in NAMES:
        lines = result.named.get(name, [])
        for line in lines[:4] or ["NOT NAMED"]:
            print(f"  {name:15} {line}")
        if len(lines) > 4:
            print(f"  {name:15} and {len(lines) - 4} more")
    print("\nHonest bots:", "unharmed" if not result.harmed else "")
    for name, lines in result.harmed.items():
        for line in lines:
            print(f"  {name:15} {line}")
    print("\nThe runner:", "lives" if not result.failed else "")
    for one in result.failed:
        print(f"  arena {one.words}: exit code {one.code} after {one.seconds} s\n{one.said[-1500:]}\n")
    for line in result.survivors:
        print(f"left behind: {line}")
    print("\nThe arena has held." if result.held else "\nThe arena has NOT held.")


def main() -> int:
    parse = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parse.add_argument("--minutes", type=float, default=60.0)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--clock-ms", type=int, default=1000, help="0: no clock")
    given = parse.parse_args()
    with tempfile.TemporaryDirectory(prefix="siege", dir="/var/tmp") as folder:
        result = Siege(Path(folder), given.seed, given.clock_ms).lay(60 * given.minutes)
    _print(result)
    return 0 if result.held else 1


if __name__ == "__main__":
    sys.exit(main())
