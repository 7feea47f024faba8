"""Commands that play: run, match, tournament. Real games of the quickest bots."""

from __future__ import annotations

import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli import author, compare, playing
from arena.game.rules import load_rules
from arena.tournament.store.sqlite import DATABASE
from tests.bots.processes.waiting import wait_for_games
from tests.cli.conftest import SLOW_BOT, Arena, content, program
from tests.cli.league.conftest import QUICK, no_check  # noqa: F401
from tests.league.leagues import FIRST, LAST, written
from tests.tournament.runner.runs import SendsSignal

pytestmark = pytest.mark.process
SAME = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")
QUIET = ("--workers", 1)


def test_a_run_without_a_name_is_found_by_its_bots(arena: Arena) -> None:
    arena("match", "first", "random", "--games", 2, "--seed", 1, "--workers", 1, *QUIET)
    (folder,) = Path("results").iterdir()
    assert re.fullmatch("first-random-[a-z2-7]{4}", folder.name)
    assert arena("standings", "first-random").out == arena("standings", folder.name).out
    assert "no run named 'first'" in arena("standings", "first", code=2).err


# ---------------------------------------------------------------- the same results


@pytest.mark.parametrize(
    ("command", "games", "code"),
    [
        ("match random first --games 4", 4, 0),
        ("match random first --error 1", 20, 130),
        ("compare random first --variants base,tactical --games 4", 4, 130),
        ("ladder random --games 2 --rules base --rules tactical", 10, 130),
    ],
)
def test_ctrl_c_with_the_last_game_of_a_run(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, command: str, games: int, code: int
) -> None:
    """It stops what would play on; a run that is complete is shown."""
    for user in (author, compare, playing):
        monkeypatch.setattr(user, "command_progress", lambda line=None: SendsSignal(games))
    found = arena(*command.split(), *QUIET, code=code)
    assert ("nterrupted" in found.err) == (code == 130)
    assert len([*Path("results").rglob(DATABASE)]) == 1


@pytest.mark.slow
def test_an_interrupted_run_goes_on_to_the_same_result(arena: Arena, tmp_path: Path) -> None:
    Path("slow.py").write_text(SLOW_BOT)
    Path("slow").touch()
    command = ("tournament", "slow.py", "random", "first", "--games", 40, "--seed", 4, "--format", "swiss", *QUIET)
    with program(*command, "--out", "broken", cwd=tmp_path) as process:
        wait_for_games(tmp_path / "broken", process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    Path("slow").unlink()
    assert process.returncode == 130, errors
    assert "arena run broken" in errors
    partly = arena("standings", "broken").out
    assert "so far" in partly
    assert not Path("broken/standings.csv").exists()

    arena("run", "broken")
    arena(*command, "--out", "whole")
    for folder in ("broken", "whole"):
        arena("export", folder, "--all")
    for name in SAME:
        assert Path("broken", name).read_bytes() == Path("whole", name).read_bytes(), name


# ---------------------------------------------------------------- wrong use


def test_a_run_of_a_cluster_that_is_gone_ends_here(arena: Arena) -> None:
    Path("cup.toml").write_text('bots = ["random", "first"]\ngames = 2\nseed = 1\nscheduler = "tcp://gone:1"\n')
    local = ("--scheduler", "local", *QUIET)
    arena("run", "cup.toml", *local)
    with closing(sqlite3.connect("results/cup/games.sqlite")) as db, db:
        stored = "json_set(value, '$.scheduler', 'tcp://gone:1')"
        db.execute(f"UPDATE meta SET value = {stored} WHERE key = 'settings'")
    assert "Stored in results/cup" in arena("run", "cup", "--games", 4, *local).out


def test_clocked_workers_without_cores_are_warned_of(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.playing.core_count", lambda: 1)
    warning = "2 workers share 1 core: a clock also runs while a bot waits for its core.\n"
    for words in ("match", "compare --variants base,expert"):
        play = (*words.split(), "first", "random", "--games", 2, "--workers", 2)
        assert warning in arena(*play, "--move-ms", 1000).err
    assert warning not in arena("match", *play[-6:]).err


def test_a_bot_that_has_changed_plays_again(arena: Arena) -> None:
    Path("mine.py").write_text("def act(view, moves):\n    return moves[-1]\n")
    command = ("match", "mine.py", "random", "--games", 2, "--seed", 1, *QUIET)
    folder = content(arena(*command, "--json").out)["folder"]
    Path("mine.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert "mine changed: 2 games again." in arena("run", folder).err
    assert content(arena(*command, "--json").out)["folder"] != folder, "a changed bot is another run"


# ---------------------------------------------------------------- patterns and folders


@pytest.fixture
def cups(arena: Arena) -> Arena:
    """Write bots into folders of a folder `cups`."""
    for name in ("group1/ann", "group1/ben", "group2/ben", "group2/helper"):
        path = Path(f"cups/{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def act(view, moves):\n    return moves[0]\n")
    return arena


def names(text: str) -> list[str]:
    return sorted(row["bot"] for row in content(text)["standings"])


def test_a_run_plays_on_what_a_pattern_named(cups: Arena) -> None:
    Path("cups/cup.toml").write_text('bots = ["group*/"]\nexclude = ["group2/h*.py"]\ngames = 2\nseed = 1\n')
    first = cups("run", "cups/cup.toml", "--workers", 1, "--json").out
    assert names(first) == ["ann", "group1-ben", "group2-ben"]
    Path("cups/group1/zoe.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert cups("run", "cup", "--workers", 1, "--json").out == first


# ---------------------------------------------------------------- files of rules


TWO = "iello-base:hand_size=2"


def write_rules(hand_size: int) -> None:
    load_rules.cache_clear()  # a command has a process of its own
    Path("w.toml").write_text(f'base = "base"\nhand_size = {hand_size}\n')


def remove_rules() -> None:
    load_rules.cache_clear()
    Path("w.toml").unlink()


def test_a_run_keeps_the_rules_that_it_began_with(arena: Arena) -> None:
    match = ("match", "random", "greedy", "--rules", "w.toml", "--seed", 1, "--out", "run", *QUIET)
    write_rules(2)
    assert "rules base:hand_size=2, 4 games" in arena(*match, "--games", 4).out
    write_rules(3)
    assert f'rules: "{TWO}" there, "iello-base:hand_size=3" asked for' in arena(*match, "--games", 8, code=2).err
    remove_rules()
    arena("run", "run", "--games", 8, *QUIET)
    assert "8 games replayed, all" in arena("verify", "run").out
    assert "base:hand_size=2" in arena("replay", "run").out + arena("standings", "run").out


def test_a_run_keeps_the_card_names_of_its_file(arena: Arena) -> None:
    Path("w.toml").write_text('base = "tactical"\nedition = "ps-2004"\n')
    arena("match", "random", "first", "--rules", "w.toml", "--seed", 1, "--games", 4, "--out", "run", *QUIET)
    told = "".join(arena("replay", "run", str(number)).out for number in range(1, 5))
    assert re.search("Leider|Hulptroepen|Verkenner|Overloper", told)
    assert not re.search("Joker|Spy|Recruiter|Traitor", told)


@pytest.mark.usefixtures("no_check")
def test_a_league_keeps_the_rules_that_it_began_with(arena: Arena) -> None:
    write_rules(2)
    assert f"rules {TWO}" in arena("league", "create", "open", "--rules", "w.toml", *QUICK).out
    remove_rules()
    written(Path("bots"), first=FIRST, last=LAST)
    for bot in ("first", "last"):
        arena("submit", f"bots/{bot}.py", "--league", "open", *QUIET)
    assert "rules base:hand_size=2" in arena("standings", "open").out
    assert "16 games replayed" in arena("verify", "leagues/open").out


# ---------------------------------------------------------------- a stored run


def test_a_tournament_s_name_means_its_file_and_a_folder_means_its_run(arena: Arena) -> None:
    arena("match", "first", "random", "--games", 2, "--out", "quick", *QUIET)
    assert "Nothing is left to play. 2 games stay." in arena("run", "quick", "--dry-run").out
    Path("quick/games.sqlite").unlink()
    assert "games stay" not in arena("run", "quick", "--dry-run").out
    assert "unknown tournament 'quik'; did you mean 'quick'?" in arena("run", "quik", code=2).err


def test_a_seed_that_is_drawn_can_be_typed(arena: Arena) -> None:
    for number in range(3):
        arena("match", "first", "random", "--games", 2, "--out", f"run{number}", "--workers", 1, "--quiet")
        assert content(arena("standings", f"run{number}", "--json").out)["seed"] < 10**8
