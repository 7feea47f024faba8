"""A run that is brought up to date in any number of steps is the run that was played at once."""

from __future__ import annotations

import multiprocessing
import re
import shutil
import signal
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.results.records import export_line
from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.runner.play_run import BotSilent, play_run, prepare
from arena.tournament.store.reader import Reader
from tests.tournament.runner.runs import SendsSignal

pytestmark = pytest.mark.process
FILES = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")
NAMES = ("ann", "bob", "cyd", "dan", "eve")
BOT = """
import os

{factor}

class Bot:
    def __init__(self, step: int = 1) -> None:
        self.step = step

    def act(self, view, moves):
        seen = sum(map(ord, moves[-1].text)) + len(moves) * self.step
        return moves[seen * FACTOR % len(moves)]
"""
READ = "FACTOR = int(open(os.path.join(os.path.dirname(__file__), '{file}')).read())"
LAYOUTS = ("file", "data", "link", "folder")
LATE = """
import time

class Bot:
    def act(self, view, moves):
        time.sleep(60)
"""


@dataclass(frozen=True)
class Player:
    """A bot of the field: its name, its version (0: gives no answer), a parameter, its level of isolation.

    Its version stands in its file or in data beside it, perhaps a link, or it has a folder with a helper and data.
    """

    name: str
    version: int = 1
    step: int = 1
    isolation: str = "none"
    layout: str = "file"

    def write(self, folder: Path) -> Path:
        """Write its files, and return the one that is the bot."""
        file = folder / f"{self.name}.py"
        if not self.version:
            file.write_text(LATE)
            return file
        if self.layout == "folder":
            home = folder / self.name
            (home / "data").mkdir(parents=True, exist_ok=True)
            (home / "data" / "factor").write_text(str(self.version))
            (home / "helper.py").write_text("import os\n" + READ.format(file="data/factor"))
            file = home / "bot.py"
        elif self.layout != "file":
            data = folder / f"{self.name}_factor.txt"
            data.unlink(missing_ok=True)
            target = folder / f"{self.name}_target" if self.layout == "link" else data
            target.write_text(str(self.version))
            if target != data:
                data.symlink_to(target)
        factors = {
            "file": f"FACTOR = {self.version}",
            "folder": "from helper import FACTOR",
            "data": READ.format(file=f"{self.name}_factor.txt"),
        }
        file.write_text(BOT.format(factor=factors.get(self.layout, factors["data"])))
        return file


@dataclass(frozen=True)
class Cup:
    """The settings of a run, as a file would give them."""

    players: tuple[Player, ...]
    units: int = 2
    pairs: bool = True
    own_deals: bool | None = None
    format: str = "round-robin"

    def config(self, folder: Path) -> TournamentConfig:
        """Write the files of the bots, and return the settings."""
        bots = []
        for player in self.players:
            params = {"step": player.step} if player.version else {}
            table = {
                "spec": str(player.write(folder)),
                "name": player.name,
                "params": params,
                "isolation": player.isolation,
            }
            bots.append(table)
        limits = {"decision_s": 0.4}
        values: dict[str, Any] = {"bots": bots, "seed": 11, "workers": 1 + len(bots) % 2, "limits": limits}
        values["format"] = self.format
        if self.format == "series":
            values["series"] = {"rounds": 2, "matches": self.units}
        else:
            values |= {"games": 2 * self.units if self.pairs else self.units, "pairs": self.pairs}
            values |= {} if self.own_deals is None else {"own_deals": self.own_deals}
        return config_from_dict(values, "cup")


def outcome(folder: Path) -> tuple[Any, ...]:
    """Return all that must be the same: settings, records, files, and that nothing is left to play."""
    paths = write_run_files(standings(read_run(folder)), folder, games=True)
    with Reader(folder) as reader:
        lines = [re.sub(r"within [0-9.]+ s", "in time", export_line(game)) for game in reader.results()]  # measured
        kept = reader.config(), lines, reader.faults()
        assert reader.count() == len(kept[1])
    return *kept, *(path.read_bytes() for path in paths if path.name in FILES)


class UpToDate(RuleBasedStateMachine):
    """A class changes its bots all evening, and the organiser brings the run up to date now and then."""

    late = False

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.fresh: dict[Cup, tuple[Any, ...]] = {}
        self.cup = Cup((Player("ann"), Player("bob", 2)))
        self.shown: Cup | None = None

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def change(self, name: str, **values: Any) -> None:
        players = (replace(each, **values) if each.name == name else each for each in self.cup.players)
        self.cup = replace(self.cup, players=tuple(players))

    @initialize(form=st.sampled_from(["round-robin", "gauntlet", "series"]))
    def begin(self, form: str) -> None:
        self.cup = replace(self.cup, format=form)

    @precondition(lambda self: len(self.cup.players) < 5)
    @rule(version=st.integers(1, 3), at=st.integers(0, 4), isolation=st.sampled_from(["none", "none", "process"]))
    def add(self, version: int, at: int, isolation: str) -> None:
        known = {player.name for player in self.cup.players}
        new = Player(next(name for name in NAMES if name not in known), version, isolation=isolation)
        players = list(self.cup.players)
        players.insert(at, new)
        self.cup = replace(self.cup, players=tuple(players))

    @precondition(lambda self: len(self.cup.players) > 2)
    @rule(at=st.integers(0, 4))
    def remove(self, at: int) -> None:
        players = list(self.cup.players)
        del players[at % len(players)]
        self.cup = replace(self.cup, players=tuple(players))

    @rule(
        at=st.integers(0, 4),
        version=st.integers(0, 3),
        step=st.integers(1, 2),
        apart=st.booleans(),
        layout=st.sampled_from(LAYOUTS),
    )
    def edit(self, at: int, version: int, step: int, apart: bool, layout: str) -> None:
        name = self.cup.players[at % len(self.cup.players)].name
        version = version if self.late else max(version, 1)
        self.change(name, version=version, step=step, isolation="process" if apart else "none", layout=layout)

    @rule(at=st.integers(1, 4))
    def reorder(self, at: int) -> None:
        players = self.cup.players
        self.cup = replace(self.cup, players=players[at % len(players) :] + players[: at % len(players)])

    @rule(units=st.integers(1, 4))
    def resize(self, units: int) -> None:
        self.cup = replace(self.cup, units=units)

    @rule(pairs=st.booleans(), own_deals=st.sampled_from([None, True, False]))
    def redesign(self, pairs: bool, own_deals: bool | None) -> None:
        if self.cup.format != "series":
            self.cup = replace(self.cup, pairs=pairs, own_deals=own_deals)

    @rule(games=st.integers(1, 12), units=st.integers(1, 4))
    def resize_and_kill(self, games: int, units: int) -> None:
        self.resize(units)
        config = self.cup.config(self.root)
        dies = SendsSignal(games, signal.SIGKILL)
        child = multiprocessing.get_context("fork").Process(target=play_run, args=(config, self.root / "run", dies))
        child.start()
        child.join(30)
        child.kill()  # a fork of a process with threads may stand still
        child.join()
        self.shown = None

    @invariant()
    def bring_up_to_date(self) -> None:
        if self.cup == self.shown:
            return
        self.shown = self.cup
        config = self.cup.config(self.root)
        try:
            plan = prepare(config, self.root / "run").plan
            report = play_run(config, self.root / "run")
        except BotSilent:  # too few bots are left
            with tempfile.TemporaryDirectory() as fresh, pytest.raises(BotSilent):
                play_run(config, Path(fresh) / "run")
            return
        assert plan.missing == report.played or self.cup.format == "series" or report.left_out
        assert prepare(config, self.root / "run").plan.missing == 0
        if self.cup not in self.fresh:
            with tempfile.TemporaryDirectory() as fresh:
                play_run(config, Path(fresh) / "run")
                self.fresh[self.cup] = outcome(Path(fresh) / "run")
        assert outcome(self.root / "run") == self.fresh[self.cup]


class LateUpToDate(UpToDate):
    """The same with bots that may give no answer."""

    late = True


_COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
TestUpToDate = UpToDate.TestCase
TestUpToDate.settings = settings(max_examples=3, stateful_step_count=8, derandomize=True, **_COMMON)
TestMoreUpToDate = pytest.mark.slow(type("TestMoreUpToDate", (UpToDate.TestCase,), {}))
TestMoreUpToDate.settings = settings(max_examples=6, stateful_step_count=10, **_COMMON)
TestLate = pytest.mark.slow(LateUpToDate.TestCase)
TestLate.settings = settings(max_examples=2, stateful_step_count=6, **_COMMON)
