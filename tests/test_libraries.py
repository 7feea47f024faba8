"""Random games of other libraries, for a comparison of speed: each ends, and says how many decisions it had."""

from __future__ import annotations

import sys
from random import Random

import pytest
from click.testing import CliRunner

from benchmarks.libraries import LIBRARIES, main


@pytest.mark.parametrize(
    ("library", "game", "least", "most"),
    [
        ("pyspiel", "leduc_poker", 2, 8),
        ("pyspiel", "hearts", 50, 70),
        ("pettingzoo", "leduc_holdem_v4", 1, 12),
        ("rlcard", "gin-rummy", 4, 500),
        ("chess", "chess", 4, 2000),
    ],
)
def test_a_game_of_each_library(library: str, game: str, least: int, most: int) -> None:
    pytest.importorskip(library, reason="comparisons need the extra 'bench'")
    (playout,) = [each.playout for each in LIBRARIES if game in each.games]
    try:
        play = playout(game)
    except ImportError as error:
        pytest.skip(f"comparisons need the extra 'bench': {error}")
    assert all(least <= play(Random(number)) <= most for number in range(3))


def test_libraries_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("chess", "pettingzoo.classic", "pyspiel", "rlcard"):
        monkeypatch.setitem(sys.modules, name, None)
    found = CliRunner().invoke(main, ["--quick", "--rules", "base"], catch_exceptions=False)
    (row,) = found.output.splitlines()[2:]
    library, game, _, decisions, _ = row.split()
    assert (library, game) == ("arena", "base")
    assert 20 <= int(decisions) <= 60
