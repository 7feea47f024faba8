"""Tournaments with attackers: each bot of tests/data/attacks in its own folder, between harmless bots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.bots.processes import children
from arena.tournament.runner.logs import LOG
from arena.tournament.runner.play_run import RunReport
from arena.tournament.store.reader import Reader
from tests.bots.isolation.inside import why_not
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import play

ROOT = Path(__file__).resolve().parents[2]
ATTACKS = ROOT / "tests" / "data" / "attacks"
#: The name of files that attackers leave wherever they can.
PLANTED = "planted_by_attack"
SECRET = "swordfish-2718"
LIMITS = Limits(decision_s=2.0, loading_s=30.0, memory_mb=256, file_mb=4)


needs_sandbox = pytest.mark.skipif(
    why_not() is not None and not os.environ.get("ARENA_NEEDS_SANDBOX"),
    reason=f"bots cannot be sandboxed here: {why_not()}",
)


@dataclass(frozen=True)
class Attack:
    """An attacker, and the expected end of its games.

    `kind` is a pattern for the kind of its forfeits; `none`: its attempts are refused and it plays on. `text` is a
    pattern found in the detail. In strings of `params`, `{folder}` is the folder of the test, `{root}` the folder of
    the project.
    """

    file: str
    kind: str = "none"
    text: str = ""
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name in the tables and in the tests."""
        return "-".join([self.file, *(str(value) for value in self.params.values() if "{" not in str(value))])

    def setting(self, folder: Path) -> dict[str, Any]:
        """Return the bot for the settings of a tournament."""
        places = {"folder": folder, "root": ROOT}
        given = {key: one.format(**places) if isinstance(one, str) else one for key, one in self.params.items()}
        return {"spec": str(stage(folder / "bots", self.file)), "name": self.name, "params": given}


def attack(file: str, kind: str = "none", text: str = "", **params: Any) -> Attack:
    return Attack(file, kind, text, params)


@dataclass(frozen=True)
class Verdict:
    """The end of an attacker's game: the kind of its forfeit, None without a forfeit, and the detail."""

    kind: str | None
    detail: str


@dataclass(frozen=True)
class Outcome:
    """A finished tournament, with the `verdicts` of all games by bot and the `untouched` games of harmless bots."""

    folder: Path
    report: RunReport
    verdicts: dict[str, list[Verdict]]
    untouched: list[tuple[Any, ...]]
    log: str
    leftovers: tuple[str, ...]


def stage(folder: Path, file: str) -> Path:
    """Copy an attacker into its own folder below `folder`; return the file."""
    home = folder / file
    if not home.exists():
        if (ATTACKS / file).is_dir():
            shutil.copytree(ATTACKS / file, home)
        else:
            home.mkdir(parents=True)
            shutil.copy(ATTACKS / f"{file}.py", home / f"{file}.py")
    return home / ("bot.py" if (ATTACKS / file).is_dir() else f"{file}.py")


def honest_bot(name: str) -> dict[str, Any]:
    return {"spec": "random", "name": name}


def tournament(
    folder: Path,
    attacks: Sequence[Attack],
    isolation: str,
    *,
    limits: Limits = LIMITS,
    games: int = 2,
    workers: int = 1,
    **more: Any,
) -> Outcome:
    """Play each bot against a harmless one, `ann`; `ann` then plays another harmless bot, `bob`."""
    data = {
        "name": "attacks",
        "format": "gauntlet",
        "gauntlet": {"hero": "ann"},
        "bots": [honest_bot("ann"), *(one.setting(folder) for one in attacks), honest_bot("bob")],
        "games": games,
        "seed": 11,
        "own_deals": False,
        "isolation": isolation,
        **more,
    }
    data = {key: value for key, value in data.items() if value is not None}
    before = set(children(os.getpid()))
    report = play(folder / "run", data, workers, limits=limits)
    wait_for(lambda: not left_behind(folder, before), 5)
    verdicts: dict[str, list[Verdict]] = {}
    untouched = []
    with Reader(folder / "run") as reader:
        for game in reader.results():
            for name in (game.first, game.second):
                mine = name in (game.forfeit_by, *game.failed_after)
                verdicts.setdefault(name, []).append(
                    Verdict(game.forfeit if mine else None, (game.detail or "") if mine else "")
                )
            if {game.first, game.second} == {"ann", "bob"}:
                untouched.append((game.first, game.forfeit, game.score, game.record))
    log = (folder / "run" / LOG).read_bytes().decode("utf-8", "backslashreplace")
    return Outcome(folder, report, verdicts, untouched, log, left_behind(folder, before))


def left_behind(folder: Path, before: set[int]) -> tuple[str, ...]:
    """Return processes related to a folder, and children of this process that are new."""
    found = [f"child {pid}" for pid in set(children(os.getpid())) - before]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                place = os.readlink(entry / "cwd")
                context = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if place.startswith(str(folder)) or os.fsencode(folder) in context:
                found.append(f"process {entry.name}: {context[:200]!r}")
    return tuple(found)


def planted(*places: Path | str) -> list[str]:
    """Return files that attackers have left in folders."""
    return [str(path) for place in places for path in Path(place).glob(f"*{PLANTED}*")]


def tree(folder: Path, without: str = "") -> dict[str, tuple[Any, ...]]:
    """Return everything in a folder: kind, rights, size, time and contents of each entry, by relative path."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if without and name.split("/")[0] == without:
            continue
        status = path.lstat()
        contents = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        times = status.st_mtime_ns if contents else 0
        found[name] = (status.st_mode, status.st_uid, status.st_size if contents else 0, times, contents)
    return found
