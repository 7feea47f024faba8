"""Endings and kinds of forfeit are declared once; whatever lists them follows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.endings import ENDINGS, FORFEITS, ForfeitKind
from arena.game.board import REASONS

ROOT = Path(__file__).parents[1]

ONE_MORE = r"""
import tempfile, arena.endings as endings
from pathlib import Path
source = Path(endings.__file__).read_text(encoding="utf-8")
line = '    SLEEP = "sleep over", "forfeits for falling asleep"\n'
exec(source.replace("\n    def __new__", f"{line}\n    def __new__"), vars(endings))
endings.ENDINGS = (*endings.ENDINGS, "boredom")
endings.ENDING_CODES["boredom"] = 4

from dataclasses import replace
from arena.tournament.games import Chunk, PairTask
from arena.results.standings import COLUMNS, FORFEIT_COLUMNS
from arena.stats.field import endings as share_of_endings, terminations
from arena.stats.frames import check_games
from arena.tournament.store.writer import open_store
from tests.tournament.runner.fake import CONFIG, fake_result, row_of
from tests.tournament.store.stored import ENTRIES

unit = PairTask(0, 0, "ann", "bob")
one, two = (fake_result(task, faults=False) for task in unit.game_tasks())
one = replace(one, ending="boredom")
two = replace(two, score=0.0, ending="forfeit", forfeit="sleep over", forfeit_by="bob", detail="in act: zzz")
with tempfile.TemporaryDirectory() as folder, open_store(folder, CONFIG, ENTRIES) as store:
    store.add(Chunk(0, (unit,)), [row_of(one), row_of(two)])
    assert list(store.results()) == [one, two]
    [reason] = store.forfeit_reasons()
    assert (reason.bot, reason.kind, reason.reason) == ("bob", "sleep over", "in act: zzz")
    games = store.columns().frame()
    assert list(games["ending"]) == ["boredom", "forfeit"]
    assert games["forfeit"][1] == "sleep over"
    check_games(games)
    assert share_of_endings(games)["ending"].tolist().count("boredom")
    assert terminations(games).set_index("bot")["sleep over"]["bob"] == 1
assert FORFEIT_COLUMNS["sleep over"] == "sleep_over"
assert COLUMNS["sleep_over"] == "forfeits for falling asleep"
"""


@pytest.mark.slow
def test_one_more_of_each_needs_no_other_change_in_store_and_tables() -> None:
    done = subprocess.run([sys.executable, "-c", ONE_MORE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_engine_ends_games_as_declared() -> None:
    assert tuple(REASONS[1:]) == ENDINGS[:-1]


def test_the_schema_of_the_protocol_knows_all() -> None:
    schema = json.loads((ROOT / "docs" / "wire.schema.json").read_text(encoding="utf-8"))
    end = schema["$defs"]["end"]["properties"]
    assert tuple(end["reason"]["enum"]) == ENDINGS
    assert {"enum": list(FORFEITS)} in end["forfeit"]["anyOf"]


def test_columns_are_words_of_their_own() -> None:
    assert len({kind.column for kind in ForfeitKind}) == len(ForfeitKind)
    assert all(kind.column.isidentifier() for kind in ForfeitKind)
