"""`arena standings --versions`: what a run holds of bots as they were."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.results.run_data import read_run
from arena.stats.intervals import mean_difference
from arena.tournament.plan import BEST_OF_MANY
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE
from tests.cli.conftest import Arena, json_of
from tests.tournament.store.stored import query

pytestmark = pytest.mark.process

MINE = """
from arena import Bot

class Mine(Bot):
    def __init__(self, last: bool = False) -> None:
        self.move = -1 if last else 0

    def act(self, view, moves):
        return moves[self.move]
"""
CUP = "name = 'cup'\nseed = 3\ngames = {games}\nbots = {bots}\n"


def play(place: Path, bots: Iterable[str], games: int = 24, out: str = "run", *more: object) -> None:
    specs = [f"mine={place / bot}" if ".py" in bot else bot for bot in bots]
    (place / "cup.toml").write_text(CUP.format(games=games, bots=specs))
    command = ["run", place / "cup.toml", "--workers", 1, "--out", place / out, "--quiet", *more]
    assert main([*map(str, command)]) == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose bot `mine` has had three versions, of which the first never met `three`."""
    place = tmp_path_factory.mktemp("versions")
    (place / "mine.py").write_text(MINE)
    play(place, ["gone=first", "random", "mine.py"])
    (place / "mine.py").write_text(f"{MINE}# better\n")
    play(place, ["gone=first", "random", "mine.py:last=true"])
    play(place, ["three=first", "random", "mine.py:last=true"], 28)
    play(place, ["three=first", "random", "mine.py"], 24)
    return place / "run"


@pytest.fixture
def run(arena: Arena, folder: Path) -> Path:
    """A copy in the working directory."""
    return Path(shutil.copytree(folder, "run"))


@pytest.fixture(scope="module")
def values(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json_of("standings", folder, "--versions", "--json")
    return found


def stored_games(folder: Path, bot: int, opponents: Sequence[int], deals: int) -> dict[tuple[int, int, int], float]:
    """Read with SQL the score of each game of a bot by opponent, deal and seat; bots are numbers in the store."""
    sql = (
        "SELECT p.a, p.b, g.deal, g.game, g.score / 2.0 FROM games g JOIN pairings p ON p.pairing = g.pairing"
        f" WHERE g.deal < {deals} AND {bot} IN (p.a, p.b)"
    )
    with Reader(folder) as reader:
        rows = query(reader, sql)
    found = {}
    for a, b, deal, game, score in rows:
        opponent, began = (b, game == 0) if a == bot else (a, game == 1)
        if opponent in opponents:
            found[opponent, deal, int(began)] = score if began else 1 - score
    return found


def test_the_difference_is_that_of_the_games_both_played(folder: Path, values: dict[str, Any]) -> None:
    with Reader(folder) as reader:
        known, field = reader.entries(), reader.field_numbers()
    first, second, third = (bot for bot, entry in known.items() if entry.name == "mine")
    others = [bot for bot in field if bot != third]
    assert [(row["version"], row["difference"]) for row in values["versions"][:1]] == [(3, None)]
    for change, then, deals in zip(values["versions"][1:], (second, first), (24, 12), strict=True):
        now, before = stored_games(folder, third, others, 12), stored_games(folder, then, others, 12)
        both = sorted(now.keys() & before.keys())
        cards = [opponent * 1000 + deal for opponent, deal, _ in both]  # every pairing has its own deals
        wanted = mean_difference([now[key] for key in both], cards, [before[key] for key in both], cards)
        assert (change["shared_games"], change["shared_deals"]) == (len(both), deals) == (2 * deals, wanted.shared)
        assert change["difference"] == pytest.approx(wanted.difference, abs=1e-4)
        assert change["low"] == pytest.approx(wanted.low, abs=1e-4)
        assert change["high"] == pytest.approx(wanted.high, abs=1e-4)


def test_the_table_says_what_differs(arena: Arena, run: Path, values: dict[str, Any]) -> None:
    shown = arena("standings", run, "--versions", "--print", "wide").out
    source = values["versions"][0]["source"][:8]
    lines = re.findall(r"^mine +(\d) +(now|) +(\w{8}) +(last=true|)", shown, re.MULTILINE)
    assert lines == [
        ("3", "now", source, ""),
        ("2", "", source, "last=true"),
        ("1", "", values["versions"][2]["source"][:8], ""),
    ]
    assert "gone" not in shown  # it has left
    assert "differ from those of the standings" in shown
    assert f"3 versions of mine: {BEST_OF_MANY}." in shown
    Path("mine.py").write_text(f"{MINE}# once more\n")
    Path("cup.toml").write_text(CUP.format(games=24, bots=["three=first", "random", "mine=mine.py"]))
    planned = arena("run", "cup.toml", "--out", "run", "--dry-run").out
    assert f"This is version 4 of mine: {BEST_OF_MANY}." in planned


def test_a_bot_that_plays_again_or_goes_back_keeps_its_numbers(arena: Arena, tmp_path: Path) -> None:
    for change in ("", "# worse\n", ""):
        (tmp_path / "mine.py").write_text(MINE + change)
        play(tmp_path, ["random", "mine.py"], 4)
    rows = json_of("standings", "run", "--versions", "--json")["versions"]
    assert [(row["version"], row["plays"]) for row in rows] == [(2, False), (1, True)]
    play(tmp_path, ["random", "mine.py"], 4, "run", "--again", "mine")
    found = arena("standings", "run", "--versions", "--print", "wide").out
    assert re.search(r"mine +3 +now +\w+ ", found)
    assert "no interval yet" in found.lower()
    assert "There is no interval on fewer than 10 deals." in found
    assert re.search(r"mine +1 .* 0\.0 +- +-\n", found)


def test_games_on_other_deals_are_not_compared(arena: Arena, tmp_path: Path) -> None:
    for text, shape in ((MINE, "own_deals = false"), (f"{MINE}# better\n", "own_deals = true")):
        (tmp_path / "mine.py").write_text(text)
        (tmp_path / "cup.toml").write_text(f"name = 'cup'\nseed = 3\ngames = 4\nbots = ['random', 'mine.py']\n{shape}")
        arena("run", "cup.toml", "--workers", 1, "--out", "run", "--quiet")
    assert [row["games"] for row in json_of("standings", "run", "--versions", "--json")["versions"]] == [4, 0]
    assert "A version without games met no bot as it is now." in arena("standings", "run", "--versions").out


def test_comparisons_have_tables_for_each_variant(arena: Arena, tmp_path: Path) -> None:
    options = {"--variants": "base,expert", "--games": 4, "--seed": 1, "--workers": 1, "--out": "pair"}
    command = ["compare", "random", "mine.py", *(part for option in options.items() for part in option)]
    (tmp_path / "mine.py").write_text(MINE)
    arena(*command)
    (tmp_path / "mine.py").write_text(f"{MINE}# better\n")
    arena(*command)
    rows = json_of("standings", "pair", "--versions", "--json")["versions"]
    assert {row["variant"] for row in rows} == {"base", "expert"}


EDITS_ITSELF = """
class Mine:
    def __init__(self, n: int = 0):
        with open("mine.py", "a") as file:
            file.write("#")

    def act(self, view, moves):
        return moves[0]
"""


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "mine.py", "random", "--variants", "base,expert", "--games", 2),
        ("tune", "mine.py", "--param", "n:0..9", "--trials", 1, "--games", 2, "--confirm", 2),
        ("ladder", "mine.py", "--rules", "base,expert", "--games", 2),
    ],
)
def test_all_runs_of_a_command_play_the_bot_as_it_was_at_first(arena: Arena, command: tuple[str, ...]) -> None:
    if command[0] == "tune":
        pytest.importorskip("optuna")
    Path("mine.py").write_text(EDITS_ITSELF)
    Path("configs").mkdir()
    Path("configs/ladder.toml").write_text('bots = ["random", "first"]\nseed = 1\n')
    arena(*command, "--workers", 1, code=None)
    runs = [read_run(path.parent) for path in Path("results").rglob(DATABASE)]
    assert len(runs) == 2
    names = {"mine", "tuned", "default"}
    assert len({digest for run in runs for name, digest in run.sources.items() if name in names}) == 1
