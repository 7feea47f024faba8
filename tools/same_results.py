"""Compare what two versions of this program write for fixed seeds: every value must be the same.

    python -m tools.same_results BEFORE AFTER [--only TEXT]

`BEFORE` and `AFTER` are checkouts, each with an environment in `.venv`. Both play the same bots (of `BEFORE`) in all
formats, rule sets and isolation levels. Then every output is compared: the tables in all output formats, the files of a
run, its database (all columns except measured times), records, and the standings of a league.

Prints a line for each case, and the values that differ; the exit code is 1 if there is one. The wording of messages may
differ. A value that is removed or added on purpose stands in the changelog.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BOTS = ("first", "random", "greedy", "scripted")
RULES = (
    "ass-1999-base",
    "battle-line-base",
    "battle-line-expert",
    "battle-line-tactical",
    "bga-base",
    "bga-expert",
    "bga-tactical",
    "iello-base-expert",
    "iello-base",
    "iello-expert",
    "iello-tactical",
    "ps-2004-base",
    "ps-2004-expert",
    "ps-2004-tactical",
    "s2-tactical",
    "s3-tactical",
    "base",
    "tactical",
    "expert",
    "iello-tactical:hand_size=6",
)
FORMATS: dict[str, list[str]] = {
    "round-robin": ["--games", "40"],
    "gauntlet": ["--games", "40"],
    "swiss": ["--games", "10", "--rounds", "2"],
    "knockout": ["--games", "10"],
    "series": ["--matches", "3"],
}
FILES = ("standings.csv", "crosstable.csv", "summary.json")
OUTPUTS = ("table", "markdown", "csv", "json", "html")
MEASURED = {
    "checksum",
    "text_crc",
    "us_first",
    "us_second",
    "max_us_first",
    "max_us_second",
    "hist_first",
    "hist_second",
    "us",
}
LEAGUE = """rules = "base"
isolation = "{isolation}"
[clock]
move_ms = 5000
[placement]
error = 150
most_games = 60
games = 10
"""
#: A bot that loses some games by an exception.
RAISES = """
class Raises:
    def begin(self, game):
        self.decisions_left = 3 + game.seed % 40

    def act(self, view, moves):
        self.decisions_left -= 1
        if not self.decisions_left:
            raise ValueError("out of ideas")
        return moves[0]
"""
#: A league whose deals are the same each time.
CREATE = """
from pathlib import Path
from arena.league.league_settings import load_settings
from arena.league.store import create_league
create_league(Path("open"), load_settings(Path("league.toml"), "open", {}), "0" * 32).close()
"""
SEED = "20260101"
SHA256 = re.compile(rb"\b[0-9a-f]{64}\b")
#: Text for display: its wording may change, and the other outputs have the same figures.
TEXTS = ("table", "markdown", "html", "replay", "verify")

Case = Callable[["Side"], dict[str, bytes]]


class Side:
    """One of the two versions, running in its own folder."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout = checkout.resolve()
        self.folder = folder
        folder.mkdir()

    def __call__(self, *args: object, fails: bool = False) -> bytes:
        """Return the standard output of a command."""
        return self._run(self.command(*args), fails)

    def python(self, code: str) -> bytes:
        """Return the output of Python code that uses this version."""
        return self._run([*self.command()[:1], "-c", code])

    def _run(self, command: list[str], fails: bool = False) -> bytes:
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True)
        if done.returncode and not fails:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()[-2000:]}")
        return done.stdout

    def command(self, *args: object) -> list[str]:
        python = self.checkout / ".venv" / "bin" / "python"
        return [str(python), "-m", "arena.cli.main", *map(str, args)]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.checkout), "COLUMNS": "200"}


# ---------------------------------------------------------------- outputs to compare


def outputs(side: Side, run: str, read: bool = False) -> dict[str, bytes]:
    """Return what a run has written, without measured times; with `read`, also the output of the reading commands."""
    found = {}
    if read:
        side("export", run, "--all")
        found["games.csv"] = (side.folder / run / "games.csv").read_bytes()
        for form in OUTPUTS:
            if form != "table":  # the terminal's table shows thinking times
                found[f"standings {form}"] = side("standings", run, "--print", form)
        found["replay"] = re.sub(rb", [\d.e+-]+ ms\)", b")", side("replay", run, "1"))  # measured times
        found["verify"] = side("verify", run)
    found |= {name: (side.folder / run / name).read_bytes() for name in FILES}
    found["database"] = rows(side.folder / run / "games.sqlite")
    return found


def rows(database: Path) -> bytes:
    """Return the tables of a database as text, without the columns of measured times.

    How many games were played beyond those that decide a test depends on when it was read; tables do not show them.
    """
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    shown = "WHERE deal < (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'deals')"
    try:
        lines = []
        # a mark is a user's, not a run's
        for table, which in {"meta": "WHERE key <> 'mark'", "bots": "", "pairings": "", "games": shown}.items():
            columns = db.execute(f"PRAGMA table_info({table})")
            kept = ", ".join(name for _, name, *_ in columns if name not in MEASURED)
            lines += [f"{table}: {row}" for row in db.execute(f"SELECT {kept} FROM {table} {which} ORDER BY 1")]
        return "\n".join(lines).encode()
    finally:
        db.close()


# ---------------------------------------------------------------- cases


def tournament(bots: tuple[str, ...], *options: str, read: bool = False) -> Case:
    def play(side: Side) -> dict[str, bytes]:
        side("tournament", *bots, "--seed", SEED, "--workers", "2", "--out", "run", *options)
        return outputs(side, "run", read)

    return play


def statistics(bots: tuple[str, ...]) -> Case:
    def play(side: Side) -> dict[str, bytes]:
        side("tournament", *bots, "--seed", SEED, "--games", "100", "--out", "run")
        found = {}
        for form in OUTPUTS:
            found[f"ratings {form}"] = side("rate", "run", "--los", "--print", form)
        side("export", "run", "--all")
        found["ratings of a file json"] = side("rate", "run/games.csv", "--json")
        return found

    return play


def compare(bots: tuple[str, ...]) -> Case:
    def play(side: Side) -> dict[str, bytes]:
        variants = "base,tactical,expert"
        options = ("--variants", variants, "--games", "60", "--seed", SEED, "--out", "compared")
        return {form: side("compare", *bots, *options, "--print", form) for form in OUTPUTS}

    return play


def sprt(bots: tuple[str, ...]) -> Case:
    def play(side: Side) -> dict[str, bytes]:
        side("sprt", bots[2], bots[1], "--elo1", "50", "--seed", SEED, "--out", "run", fails=True)
        return outputs(side, "run")

    return play


def league(bots: tuple[str, ...], isolation: str) -> Case:
    def play(side: Side) -> dict[str, bytes]:
        (side.folder / "league.toml").write_text(LEAGUE.format(isolation=isolation))
        side.python(CREATE)
        for bot in bots:
            side("submit", bot, "--league", "open", "--author", "somebody", "--workers", "2", "--json")
        command = "play" if b"\n  play " in side("league", "--help") else "work"  # earlier versions had both
        side("league", command, "open", "--max-games", "40", "--workers", "2")
        return league_outputs(side)

    return play


def league_outputs(side: Side) -> dict[str, bytes]:
    found = {form: side("standings", "open", "--print", form) for form in ("csv", "markdown")}
    db = sqlite3.connect(f"file:{side.folder / 'open' / 'league.sqlite'}?mode=ro", uri=True)
    names = [column[1] for column in db.execute("PRAGMA table_info(games)")]
    kept = ", ".join(name for name in names if name not in MEASURED)
    found["games"] = "\n".join(str(row) for row in db.execute(f"SELECT {kept} FROM games ORDER BY 1, 2")).encode()
    db.close()
    return found


def cases(bots: tuple[str, ...], failing: str) -> Iterator[tuple[str, Case]]:
    for rules in RULES:
        yield f"rules {rules}", tournament(bots, "--games", "20", "--rules", rules)
    for name, options in FORMATS.items():
        for level in ("none", "process", "sandbox"):
            chosen = ("--format", name, *options, "--isolation", level)
            yield f"{name}, isolation {level}", tournament(bots, *chosen, read=level == "none")
    yield "a bot that raises", tournament((*bots[:2], failing), "--games", "40", read=True)
    yield "match", tournament(bots[1:3], "--games", "30")
    yield "one worker", tournament(bots, "--games", "20", "--workers", "1")
    yield "ratings", statistics(bots)
    yield "compare", compare(bots)
    yield "sprt", sprt(bots)
    for level in ("none", "sandbox"):
        yield f"league, isolation {level}", league(bots, level)


# ---------------------------------------------------------------- two versions


def both(case: Case, before: Path, after: Path, work: Path) -> tuple[list[str], int]:
    """Play a case with both versions; return the differences."""
    sides = [Side(checkout, work / name) for checkout, name in ((before, "before"), (after, "after"))]
    return differing(*[case(side) for side in sides])


def leaves(name: str, text: bytes) -> dict[tuple[str, ...], Any]:
    """Return each value of CSV or JSON under its path, such as `("bots", "0", "elo")`; for other files, the text."""
    if not name.endswith(("csv", "json")):
        return {(): text}
    value = json.loads(text) if name.endswith("json") else list(csv.DictReader(io.StringIO(text.decode())))
    return dict(flat(value, ()))


def flat(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(inner, (*path, str(key)))
    else:
        yield path, None if value == "" else value


def differing(before: dict[str, bytes], after: dict[str, bytes]) -> tuple[list[str], int]:
    """Return each value that differs, and in how many outputs the wording does."""
    wrong: list[str] = []
    reworded = 0
    for name in sorted(before.keys() | after.keys()):
        texts = [SHA256.sub(b"SHA256", side.get(name, b"")) for side in (before, after)]
        if texts[0] == texts[1]:
            continue
        if not all(texts):
            wrong.append(f"{name}: written by one version only")
            continue
        if name.split()[-1] in TEXTS:
            reworded += 1
            continue
        old, new = [leaves(name, text) for text in texts]
        different = [path for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]
        values = [path for path in different if "notes" not in path]
        reworded += len(values) < len(different)
        wrong += [f"{name}: {'.'.join(path)} {old.get(path)!r} -> {new.get(path)!r}"[:300] for path in values]
    return wrong, reworded


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(options.before / "bots", Path(folder) / "bots")
        bots = tuple(str(Path(folder) / "bots" / f"{name}.py") for name in BOTS)
        failing = Path(folder) / "bots" / "raises.py"
        failing.write_text(RAISES)
        todo: list[tuple[str, Any]] = [
            (name, lambda work, case=case: both(case, options.before, options.after, work))
            for name, case in cases(bots, str(failing))
        ]
        for number, (name, case) in enumerate(todo):
            if options.only not in name:
                continue
            work = Path(folder) / str(number)
            work.mkdir()
            different, reworded = case(work)
            wrong += bool(different)
            words = f"  [other words in {reworded}]" if reworded else ""
            print(f"{'DIFFERS' if different else 'same'}  {name}{words}", flush=True)
            for line in different[:20]:
                print(f"    {line}", flush=True)
            shutil.rmtree(work, ignore_errors=True)
    print(f"{wrong} cases differ" if wrong else "all values are the same")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
