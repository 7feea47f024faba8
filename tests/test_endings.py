"""Endings and kinds of forfeit are declared once; whatever lists them follows."""

from __future__ import annotations

import json
from pathlib import Path

from arena.endings import ENDINGS, FORFEITS, ForfeitKind
from arena.game.board import REASONS

ROOT = Path(__file__).parents[1]


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
