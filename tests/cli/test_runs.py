"""`arena runs` and `latest`: which runs there are, in what state, and the last of them wherever a run is asked for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.tournament.folders import latest
from arena.tournament.store.sqlite import DATABASE
from tests.cli.conftest import Arena, content
from tests.results.synthetic import store_run

MATCH = ["match", "random", "first", "--games", 2, "--workers", 1]


def lines(arena: Arena, *args: object) -> list[dict[str, object]]:
    return content(arena("runs", *args, "--json").out)["runs"]


@pytest.mark.slow
def test_runs_are_listed_the_last_first(arena: Arena) -> None:
    arena(*MATCH, "--seed", 2, "--rules", "tactical", "--out", "results/two")
    store_run(Path("results/half").resolve(), units=4)
    compare = "compare random first --variants base,expert --games 2 --seed 3 --workers 1 --out results/three"
    arena(*compare.split())
    arena(*MATCH, "--seed", 1, "--out", "results/one")
    found = lines(arena)
    assert [line["name"] for line in found] == ["one", "three", "half", "two"]
    assert [line["state"] for line in found] == ["finished", "finished", "stopped", "finished"]
    assert [line["format"] for line in found] == ["match", "compare", "round-robin", "match"]
    assert [(line["games"], line["planned"]) for line in found] == [(2, 2), (4, 4), (8, 60), (2, 2)]
    assert (found[1]["rules"], found[0]["bots"]) == ("base expert", ["random", "first"])
    shown = arena("runs", "--limit", 3, "--print", "wide").out
    assert re.search(r"half +20\d\d-\d\d-\d\d \d\d:\d\d +8 of 60  stopped +.* round-robin", shown)
    assert "two" not in shown
    assert "1 more (--limit 0 lists all)" in shown
    # and the last of them is found wherever a run is asked for
    one = arena("standings", "results/one").out
    assert arena("standings", "latest").out == one
    assert arena("verify", "latest").out.startswith("2 games replayed")
    assert "results/one" in arena("replay", "latest").out
    arena("run", "results/three/base/games.sqlite", "--games", 4, "--workers", 1)
    assert latest() == Path("results/three")
    Path("latest").mkdir()
    store_run(Path("latest").resolve(), units=4)  # a folder of that name comes first
    assert "8 of 60 games so far" in arena("standings", "latest").out


def test_names_are_whole_however_narrow_the_terminal(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "a-tournament-of-all-bots-of-the-class"
    arena("match", "first", "random", "--games", 2, "--workers", 1, "--quiet", "--out", f"results/{name}")
    monkeypatch.setenv("COLUMNS", "30")
    assert f"\n{name}\n" in arena("runs").out


def test_a_run_that_cannot_be_read_says_why(arena: Arena) -> None:
    arena(*MATCH, "--seed", 1, "--out", "results/one")
    for name, data in (("broken", b"x" * 5000), ("empty", b""), ("evil\x1b[2J\nname", b"")):
        Path("results", name).mkdir()
        Path("results", name, DATABASE).write_bytes(data)
        os.utime(Path("results", name, DATABASE), (1, 1))
    found = {line["name"]: line for line in lines(arena)}
    assert [found[name]["state"] for name in ("one", "broken", "empty")] == ["finished", "unreadable", "unreadable"]
    assert "not a database" in str(found["broken"]["note"])
    shown = arena("runs").out
    assert "\x1b" not in shown
    assert len(shown.strip().splitlines()) == 4 + 6
    assert "one" in arena("standings", "latest").out


def test_a_run_at_work_in_another_process(arena: Arena) -> None:
    store_run(Path("results/half").resolve(), units=4)
    program = (
        "import sys; from arena.tournament.store.writer import open_store; store = open_store(sys.argv[1]);"
        " print('ready', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, "results/half"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert [line["state"] for line in lines(arena)] == ["running"]
        process.kill()
    assert [line["state"] for line in lines(arena)] == ["stopped"]
