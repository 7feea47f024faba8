"""Commands that play: run, match, tournament. Real games of the quickest bots."""

from __future__ import annotations

import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli import compare, ladder, playing
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

CONFIG = """
name = "small"
bots = ["random", "first", { spec = "random", name = "again" }]
games = 4
seed = 5
"""

BAD_BOT = """
def act(view, moves):
    print("so far, so good")
    raise ValueError("I do not feel well")
"""


def test_run_plays_a_file_once_writes_tables_and_shows_them(arena: Arena) -> None:
    Path("small.toml").write_text(CONFIG)
    found = arena("run", "small.toml", *QUIET)
    assert "small: round-robin, rules base, 12 games, own deals, seed 5" in found.out
    assert "seed 5" in found.err
    folder = Path("results/small")
    assert {path.name for path in folder.iterdir()} >= {DATABASE, "timing.csv", *SAME[:3]}
    shown = arena("standings", "small").out
    assert shown.replace("--print wide", "arena standings small --print wide") in found.out
    again = arena("run", "small.toml", *QUIET)
    assert again.out == found.out
    assert again.err.startswith("All 12 games were played before, seed 5.")


def test_a_run_without_a_name_is_found_by_its_bots(arena: Arena) -> None:
    arena("match", "first", "random", "--games", 2, "--seed", 1, "--workers", 1, *QUIET)
    (folder,) = Path("results").iterdir()
    assert re.fullmatch("first-random-[a-z2-7]{4}", folder.name)
    assert arena("standings", "first-random").out == arena("standings", folder.name).out
    assert "no run named 'first'" in arena("standings", "first", code=2).err


@pytest.mark.parametrize(
    ("options", "games"),
    [
        (["--format", "gauntlet", "--hero", "again", "--hero", "first"], 8),
        (["--format", "swiss", "--rounds", 2], 8),
        (["--format", "series", "--rounds", 3, "--matches", 2], 18),
    ],
)
def test_tournaments_in_other_formats(arena: Arena, options: list[object], games: int) -> None:
    number = [] if "series" in options else ["--games", 4]
    found = arena("tournament", "random", "first", "again=random", *options, *number, "--json", "--seed", 1, *QUIET)
    values = content(found.out)
    assert values["format"] == options[1]
    assert values["complete"] is True
    assert values["games_played"] == games


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
    for user in (compare, ladder, playing):
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


# ---------------------------------------------------------------- faults of bots


def test_forfeits_are_shown_and_strict_makes_them_an_exit_code(arena: Arena) -> None:
    Path("bad.py").write_text("def act(view, moves):\n    return None if view.rng.random() < 0.02 else moves[0]\n")
    command = ("match", "bad.py", "random", "--games", 8, "--seed", 1, *QUIET)
    assert "illegal move" in arena(*command).out
    assert "games were lost by forfeit" in arena(*command, "--strict", code=1).err
    arena("match", "random", "first", "--games", 4, "--strict", *QUIET)


def test_a_bot_that_forfeits_every_game_is_told_where(arena: Arena) -> None:
    Path("bad.py").write_text(BAD_BOT)
    command = ("match", "bad.py", "random", "--games", 4, "--seed", 1, "--out", "results/my run", *QUIET)
    found = arena(*command, code=1)
    assert "4 exception" in found.out
    line = "bad forfeited all 4 games by exception: ValueError: I do not feel well (bad.py, line 4); "
    line += "arena replay 'results/my run' bad/random/0"
    assert line in found.out
    assert "What bots printed is in results/my run/run.log.\n" in found.out
    assert "bad forfeited every game." in found.err


# ---------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("match random rendom", "unknown bot 'rendom'; did you mean 'random'?"),
        ("match random random", "random2=random"),
        ("tournament random first --format swiss --matches 3", "--matches belongs to --format series"),
        ("match random first --scheduler=", "scheduler: expected a string, found an empty string"),
        ("run quikc", "unknown tournament 'quikc'; did you mean 'quick'?"),
    ],
)
def test_wrong_use_is_said_with_the_remedy(arena: Arena, command: str, wanted: str) -> None:
    found = arena(*command.split(), code=2)
    assert wanted in " ".join(found.err.split()), found.err
    assert found.out == ""
    assert not Path("results").exists(), "nothing was started"


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


def test_a_file_of_rules_is_found_beside_the_file_that_names_it(arena: Arena) -> None:
    """But one in the working directory comes first, as with bots."""
    Path("cups").mkdir()
    Path("cups/cup.toml").write_text('bots = ["random", "first"]\ngames = 2\nrules = "mine.toml"\nseed = 1\n')
    Path("cups/mine.toml").write_text('base = "tactical"\nhand_size = 5\n')
    assert "rules tactical:hand_size=5," in arena("run", "cups/cup.toml", *QUIET).out
    Path("mine.toml").write_text('base = "base"\nhand_size = 5\n')
    assert "rules base:hand_size=5," in arena("run", "cups/cup.toml", "--out", "here", *QUIET).out


def test_a_bot_that_has_changed_plays_again(arena: Arena) -> None:
    Path("mine.py").write_text("def act(view, moves):\n    return moves[-1]\n")
    command = ("match", "mine.py", "random", "--games", 2, "--seed", 1, *QUIET)
    folder = content(arena(*command, "--json").out)["folder"]
    Path("mine.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert "mine changed: 2 games again." in arena("run", folder).err
    assert content(arena(*command, "--json").out)["folder"] != folder, "a changed bot is another run"


# ---------------------------------------------------------------- patterns and folders


PLAY = ("--games", 2, "--seed", 1, "--workers", 1, "--json")


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


def test_patterns_are_taken_in_and_left_out(cups: Arena) -> None:
    listed = (
        "cups/group1/",
        "cups/group2/",
        "random",
        "--exclude",
        "cups/*/a*.py",
        "--exclude",
        "cups/group2/helper.py",
    )
    assert names(cups("tournament", *listed, *PLAY).out) == ["group1-ben", "group2-ben", "random"]
    assert "mean 'ben.py'?" in cups("tournament", "cups/group1/", "--exclude", "cups/group1/bne.py", code=2).err
    assert "--exclude does not go with --from" in cups("compare", "--from", "x", "--exclude", "y", code=2).err


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


def test_options_that_do_not_apply_to_what_is_played_are_refused(arena: Arena) -> None:
    arena("match", "first", "random", "--games", 2, "--out", "one", *QUIET)
    Path("cup.toml").write_text('bots = ["random", "first"]\nformat = "swiss"\nseed = 1\n')
    for words, said in (
        (("one", "--out", "two"), "--out is for a new run"),
        (("one", "--set", "swiss.rounds=3"), 'the table [swiss] belongs to format = "swiss"'),
        (("one", "--games", 3, "--set", "games=4"), "--games and --set games were given together"),
        (("one", "--move-ms", 3, "--set", "clock.bank_ms=4"), "--move-ms and --set clock were given together"),
        (("one", "--move-ms", "5+"), "--move-ms"),
        (("one", "--set", "format=swiss"), "the command says which format"),
        (("cup.toml", "--trust"), "--trust is for the folder of a run"),
    ):
        assert said in arena("run", *words, code=2).err
    one_round = ("--set", "swiss.rounds=1", "--games", 2)
    assert content(arena("run", "cup.toml", *one_round, *QUIET, "--json").out)["complete"]


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
