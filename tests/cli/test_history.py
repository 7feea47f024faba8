"""The history of a bot as the field of a tournament: `bots/mybot.py@last-8`."""

import csv
from pathlib import Path

import pytest

from arena.paths import data_folder
from tests.cli.conftest import Arena, content
from tests.repository import Repository

pytestmark = pytest.mark.process
GREEDY = (data_folder("bots") / "greedy.py").read_text(encoding="utf-8")
FIRST = "def act(view, moves):\n    return moves[0]\n"


@pytest.fixture
def repository(arena: Arena) -> Repository:
    made = Repository()
    made.commit("take the first", bots__mybot=FIRST, **{".gitignore": "results\n"})
    made.commit("be greedy", bots__mybot=GREEDY)
    Path("history.toml").write_text('bots = ["bots/mybot.py@last-8", "random"]\ngames = 4\nseed = 1\n')
    return made


def test_after_the_next_commit_only_its_games_are_played(arena: Arena, repository: Repository) -> None:
    shown = arena("run", "history.toml", "--workers", 1)
    assert "take the first" in shown.out
    repository.commit("be greedy again", bots__mybot=f"{GREEDY}\n# again\n")
    assert "is new: 12 games. 12 games stay." in arena("run", "history.toml", "--dry-run").out
    rows = content(arena("run", "history.toml", "--workers", 1, "--json").out)["standings"]
    labels = {row["subject"]: (row["commit"], row["named"]) for row in rows}
    assert {*labels} == {"", "take the first", "be greedy", "be greedy again"}
    assert labels["be greedy again"] == (repository.git("rev-parse", "HEAD"), "bots/mybot.py@last-8")
    with open("results/history/standings.csv") as file:
        assert {row["date"][:2] for row in csv.DictReader(file)} == {"", "20"}


def test_the_plot_has_the_commits_in_order(arena: Arena, repository: Repository) -> None:
    arena("run", "history.toml", "--workers", 1)
    arena("plot", "history", "--kind", "history", "-o", "one.svg")
    text = Path("one.svg").read_text()
    assert text.index(" take t") < text.index(" be gre")
    assert "By commit" in Path(arena("report", "history", "-o", "page.html") and "page.html").read_text()
    arena("match", "greedy", "random", "--games", 2, "--workers", 1, "--out", "other")
    assert "is for versions of a bot" in arena("plot", "other", "--kind", "history", code=2).err


def test_a_history_is_refused_where_one_bot_is_wanted(arena: Arena, repository: Repository) -> None:
    for command in ("sprt", "check"):
        assert "one is wanted here" in arena(command, "bots/mybot.py@last-8", code=2).err
    assert "one is wanted here" in arena("match", "bots/mybot.py@HEAD~1..", "random", code=2).err


def test_a_run_goes_on_with_its_commits_and_not_with_a_changed_file(arena: Arena, repository: Repository) -> None:
    options = ("--games", 2, "--workers", 1)
    Path("bots/mybot.py").write_text(f"{GREEDY}\n# changed\n")
    arena("match", "bots/mybot.py@HEAD~1", "random", *options, "--out", "committed")
    arena("match", "bots/mybot.py", "bots/mybot.py@HEAD", *options, "--out", "changed")
    repository.commit("next", bots__mybot=f"{GREEDY}\n# next\n")
    assert "Nothing is left" in arena("run", "committed", "--dry-run").out
    assert "has changed since it was mybot@" in arena("run", "changed", "--games", 4, code=2).err
