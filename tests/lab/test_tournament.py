"""`arena.run_tournament`: what the commands play, from Python, and no command line about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena import ArenaError, Bot, Run, load, load_rules, run_tournament
from arena.cli.main import main

pytestmark = pytest.mark.process
FAST = {"games": 4, "seed": 1, "workers": 1}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_returns_the_run_that_is_stored(capfd: pytest.CaptureFixture[str]) -> None:
    run = run_tournament(["greedy", "two=random", {"spec": "first", "name": "three"}], out="here", **FAST)
    assert isinstance(run, Run)
    assert (run.bots, run.rules, run.seed, run.complete) == (("greedy", "two", "three"), "base", 1, True)
    assert run.games.equals(load("here").games)
    assert Path("here/standings.csv").read_text().count("\n") == 4
    assert capfd.readouterr() == ("", "")


def test_it_is_the_run_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_tournament(["first", "random"], rules=load_rules("tactical").name, **FAST)
    words = ["tournament", "first", "random", "--games=4", "--seed=1", "--workers=1", "--rules", run.rules]
    assert main(words) == 0
    said = capsys.readouterr()
    assert f"Stored in {run.folder}." in said.out
    assert "All 4 games" in said.err


def test_settings_of_all_kinds(here: Path) -> None:
    table = {"bots": ["first", "random"], "name": "cup", "games": 100, "seed": 3, "workers": 1}
    run = run_tournament(table, games=2, clock=(None, 60_000), rules=load_rules("tactical:hand_size=5"))
    assert run.folder == Path("results/cup")
    assert run.config["clock"] == {"move_ms": None, "bank_ms": 60_000}
    assert load_rules(run.rules).hand_size == 5
    (here / "mine.toml").write_text('bots = ["first", "random"]\ngames = 50\nworkers = 1\n')
    assert len(run_tournament(here / "mine.toml", games=2).games) == 2
    assert run_tournament(["first", "random"], format="series", workers=1).config["series"]["target"] == 20


def test_a_sequential_test_and_progress_that_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    run = run_tournament(["greedy", "random"], format="sprt", sprt={"elo1": 100}, seed=1, workers=1)
    assert (run.sprt.verdict, 2 * run.sprt.units) == ("H1", len(run.games))
    match = run_tournament(["first", "random"], format="match", progress=True, **FAST)
    assert "4 games" in capfd.readouterr().err
    with pytest.raises(ArenaError, match="the format is match, not sprt"):
        match.sprt  # noqa: B018


def test_a_run_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    small = run_tournament(["first", "random", "again=random"], out="small", **FAST)
    assert (len(small.games), len(run_tournament("small", games=6).games)) == (12, 18)
    assert len(run_tournament("small", error=1, games=20).games) == 60
    assert len(run_tournament("small", games=2, out="other").games) == 6
    with pytest.raises(ArenaError, match="holds runs; name one of them"):
        run_tournament("./small/..", games=2)
    monkeypatch.setattr("os.getuid", lambda: os.stat("small").st_uid + 1)
    with pytest.raises(ArenaError, match=r"you did not create small. To play on runs its bots .* \(first, random, ag"):
        run_tournament("small", games=8)
    assert len(run_tournament("small", games=24, trust=True).games) == 72


@pytest.mark.parametrize(
    ("bots", "given", "message"),
    [
        (["gredy", "random"], {}, "run_tournament: bots, entry 1: unknown bot 'gredy'; did you mean 'greedy'?"),
        (["first", "random"], {"clock": 5}, "clock"),
        (["first", Bot], {}, "is not a spec; worker processes load bots by name or file"),
        (7, {}, "bots is a list of specs, a table or a TOML file, not the int 7"),
        ("cups/*.py", {}, "names bots, not a tournament; write a list: "),
        ("quik", {}, "unknown tournament 'quik'; did you mean 'quick'?"),
    ],
)
def test_mistakes_are_named(bots: object, given: dict[str, object], message: str) -> None:
    with pytest.raises(ArenaError) as found:
        run_tournament(bots, **given)  # type: ignore[arg-type]
    assert message in str(found.value)
    assert not Path("results").exists()


def test_nothing_of_the_command_line_is_loaded() -> None:
    code = """
import json, sys, arena
arena.play_game("first", "random")
light = "pandas" not in sys.modules
run = arena.run_tournament(["first", "random"], games=2, workers=1)
arena.load(run.folder).standings
print(json.dumps([light, [name for name in sys.modules if name.startswith(("click", "arena.cli"))]]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [True, []]
