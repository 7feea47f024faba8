"""Damage databases of runs and leagues in many places, and check that every command answers or reports one error.

    python -m tools.fuzz_database --seed 1 --count 60 [--only base|tactical|swiss|compare|league]

Plays a few small runs and a league, then damages a copy of each `--count` times: flipped bits, overwritten bytes,
zeros, text that is not valid UTF-8, swapped pages, a truncated file. Prints a line for each command that ends in a
traceback or an unknown exit code, and how often `verify` notices the damage; the exit code is 1 if there is such a
line.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.cli.group import WRONG_USE
from arena.cli.main import main

RUNS = {
    "base": ["match", "greedy", "random", "--games", "60", "--seed", "1"],
    "tactical": ["tournament", "random", "first", "last=first", "--games", "20", "--seed", "2", "--rules", "tactical"],
    "swiss": [
        "tournament",
        "random",
        "first",
        "greedy",
        "b=random",
        "--format",
        "swiss",
        "--rounds",
        "2",
        "--games",
        "6",
        "--seed",
        "3",
    ],
    "compare": ["compare", "random", "first", "--variants", "base,tactical", "--games", "20", "--seed", "4"],
}
LEAGUE, COMPARE = "league", "compare"
#: The database to damage in the folder of each kind.
DATABASES = {LEAGUE: "league.sqlite", COMPARE: "base/games.sqlite"}
COMPARE_READING = (("standings", "--json"), ("compare", "--json", "--from"))
READING = (
    ("standings",),
    ("standings", "--json", "--all"),
    ("export", "--all", "--out", "out"),
    ("replay",),
    ("rate",),
)
LEAGUE_READING = (("history", "--json"),)
FILES = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")


def call(*args: object) -> tuple[int, str, str]:
    """Run a command; return its exit code and output. Unexpected exceptions are not caught."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(arg) for arg in args])
    return code, out.getvalue(), err.getvalue()


def play(folder: Path, kinds: Sequence[str]) -> list[Path]:
    """Play the intact runs and leagues, in folders named after their kinds."""
    made = []
    for kind in kinds:
        if kind != LEAGUE:
            code, _, err = call(*RUNS[kind], "--workers", 1, "--out", folder / kind)
            assert code == 0, err
        else:
            settings = ("isolation=none", "placement.most_games=16", "placement.sample=2", "placement.games=4")
            small = ["--move-ms", 0, *(word for key in settings for word in ("--set", key))]
            assert call("league", "create", kind, "--out", folder / kind, *small)[0] == 0
            for bot in ("random", "first"):
                code, _, err = call("submit", bot, "--league", folder / kind, "--workers", 1)
                assert code == 0, err
        made.append(folder / kind)
    return made


def damage(data: bytearray, rng: random.Random) -> str:
    """Damage a file in one of many ways; return a description."""
    page = 16384
    size = rng.choice((1, 2, 16, 64, 500))
    # skip zeros: most of a small database is empty
    used = [at for at in range(0, len(data), 64) if any(data[at : at + 64])]
    at = min(rng.choice(used) + rng.randrange(64), len(data) - size)
    kind = rng.choice(("bit", "bytes", "zeros", "text", "swap", "cut", "header", "digit"))
    if kind == "bit":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "bytes":
        data[at : at + size] = rng.randbytes(size)
    elif kind == "zeros":
        data[at : at + size] = bytes(size)
    elif kind == "text":
        data[at : at + size] = b"\xff\xfe\xc3"[:size].ljust(size, b"\x80")
    elif kind == "swap" and len(data) > 2 * page:
        one, two = (page * rng.randrange(1, len(data) // page) for _ in range(2))
        data[one : one + page], data[two : two + page] = data[two : two + page], data[one : one + page]
    elif kind == "cut":
        del data[at:]
    elif kind == "header":
        at = page * rng.randrange(len(data) // page) + rng.randrange(100)
        data[at] ^= 1 << rng.randrange(8)
    else:  # a digit, which is most likely to look valid
        places = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
        at = rng.choice(places)
        data[at] = 48 + (data[at] - 47) % 10
    return f"{kind} at {at}, {size} bytes"


def answers(folder: Path, at: Path) -> dict[str, tuple[int, str, str]]:
    """Return the answer of each reading command about a folder."""
    found = {}
    readings = {LEAGUE: LEAGUE_READING, COMPARE: COMPARE_READING}
    for name, *options in readings.get(folder.name, READING):
        shutil.rmtree(at / "out", ignore_errors=True)
        (at / "out").mkdir()
        args = [at / one if one.startswith("out") else one for one in options]
        command = [name, *args, folder] if folder.name == COMPARE else [name, folder, *args]
        command = ["league", *command] if folder.name == LEAGUE else command
        code, out, err = call(*command)
        files = [at / "out" / name for name in FILES]
        out += "".join(path.read_text() for path in files if path.exists())
        found[" ".join([name, *options])] = code, out, err
    return found


def judge(folder: Path, sound: dict[str, tuple[int, str, str]], out: Path) -> tuple[list[str], Counter[str]]:
    """Return the wrong answers about a damaged folder, and the number of answers of each kind."""
    wrong = []
    kinds: Counter[str] = Counter()
    try:
        found = answers(folder, out)
        verified, _, _ = call("verify", folder)
    except Exception as error:  # any exception is an error of ours
        return [f"a traceback: {type(error).__name__}: {error}"], Counter(traceback=1)
    kinds["noticed by verify" if verified else "not noticed by verify"] += 1
    for command, (code, text, err) in found.items():
        if code == sound[command][0]:
            kinds["same" if text == sound[command][1] else "other figures"] += 1
        elif code == WRONG_USE and err.startswith("Error: "):
            kinds["error"] += 1
        else:
            wrong.append(f"{command}: exit code {code}: {err[:200]}")
    return wrong, kinds


def fuzz(kinds: Sequence[str], seed: int, count: int, report: Callable[[str], object] = print) -> int:
    """Damage each kind `count` times; return the number of wrong answers."""
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        at = Path(name)
        for folder in play(at, kinds):
            rng = random.Random(f"{seed} {folder.name}")
            kinds_found: Counter[str] = Counter()
            database = folder / DATABASES.get(folder.name, "games.sqlite")
            original = database.read_bytes()
            sound = answers(folder, at)
            assert all(code == 0 for code, _, _ in sound.values()), sound
            for number in range(count):
                data = bytearray(original)
                how = damage(data, rng)
                for path in database.parent.glob("*.sqlite-*"):
                    path.unlink()
                database.write_bytes(data)
                wrong, found = judge(folder, sound, at)
                kinds_found += found
                bad += len(wrong)
                for line in wrong:
                    report(f"{folder.name} {number} ({how}): {line}")
            report(f"{folder.name}: {count} times damaged; answers: {dict(kinds_found)}")
    return bad


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", choices=[*RUNS, LEAGUE], default=None)
    given = parser.parse_args()
    sys.exit(1 if fuzz([given.only] if given.only else [*RUNS, LEAGUE], given.seed, given.count) else 0)
