"""With a budget of nodes, bots that search play the same games at every isolation level, compiled or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bots.isolation.inside import need_sandbox
from tests.game.play import COMPILED
from tests.tournament.runner.runs import bot, games, play, settings

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix"),
]
ROOT = Path(__file__).resolve().parents[3]


def search(rules: str) -> dict[str, Any]:
    return settings(bot("champion", nodes=24), bot("ismcts", nodes=6), bot("net"), games=2, rules=rules)


@pytest.mark.parametrize("rules", ["base", pytest.param("tactical", marks=pytest.mark.soak)])
def test_budgets_of_nodes_give_the_same_games_everywhere(rules: str, tmp_path: Path) -> None:
    data = search(rules)
    play(tmp_path / "none", data, 1)
    once = games(tmp_path / "none")
    assert len(once) == 6
    levels = ["process"]
    if sys.platform == "linux":
        need_sandbox()
        levels.append("sandbox")
    for level in levels:
        play(tmp_path / level, {**data, "isolation": level}, 2)
        assert games(tmp_path / level) == once
    if COMPILED:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.tournament.runner.runs",
                str(tmp_path / "plain"),
                json.dumps(data),
                "1",
                "600",
            ],
            cwd=ROOT,
            env=os.environ | {"ARENA_PURE": "1"},
            check=True,
            capture_output=True,
            timeout=900,
        )
        assert games(tmp_path / "plain") == once
