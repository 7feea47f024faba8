"""The bots of docs/bots.md play; tests/test_docs.py follows the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.rules import load_rules
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from tests.tournament.referee.games import detail, forfeit

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
FILES = dict(re.findall(r'```python title="(bots/[^"]+)"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rules", ["base", "expert"])
def test_bots_play(name: str, rules: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(FILES[name])
    bots = [load_bot(find_bot(f"a={path}")), load_bot(find_bot("b=random"))]
    table = Referee(GameSettings(load_rules(rules), 1), map(Player.of, bots))
    for row in table.play_unit(PairTask(0, 0, "a", "b")):
        assert forfeit(row) == (None, None), detail(row)


def test_the_page_has_two_bots() -> None:
    assert len(FILES) == 2
