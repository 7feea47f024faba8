"""Whoever fails after the game, in `end`, keeps the result of the board; the failure is noted and counted."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.tournament.store.reader import Reader
from tests.attacks.runs import LIMITS, attack, needs_sandbox, tournament

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix")]

HOWS = {"raises": "exception", "dies": "crash", "hangs": "timeout"}


def results(folder: Path) -> list[tuple[Any, ...]]:
    with Reader(folder / "run") as reader:
        games = sorted(reader.results(), key=lambda one: one.id)
        return [(one.id, one.score, one.ending, one.forfeit, one.stones, one.record) for one in games]


@pytest.mark.parametrize(
    ("how", "level"),
    [("raises", "none"), ("hangs", "none"), pytest.param("dies", "sandbox", marks=[needs_sandbox, pytest.mark.slow])],
)
def test_the_result_of_the_board_stands(how: str, level: str, tmp_path: Path) -> None:
    fails = attack("fails_in_end", how=how, won=how == "hangs")  # a hang takes its time
    limits = replace(LIMITS, decision_s=0.5)
    honest = replace(fails, params={**fails.params, "honest": "{root}"})
    tournament(tmp_path / "honest", [honest], "none", games=4)
    found = tournament(tmp_path, [fails], level, games=4, limits=limits)
    assert results(tmp_path) == results(tmp_path / "honest")
    with Reader(tmp_path / "run") as reader:
        games = [one for one in reader.results() if fails.name in (one.first, one.second)]
        blamed = [one for one in games if one.failed_after == (fails.name,)]
        assert len(blamed) == (sum(one.winner == fails.name for one in games) if how == "hangs" else len(games))
        assert blamed
        said = f"{fails.name} failed after the game by {HOWS[how]}: in end: "
        assert all((one.detail or "").startswith(said) for one in blamed)
        reasons = [(one.bot, one.kind, one.games) for one in reader.forfeit_reasons()]
        assert reasons == [(fails.name, "end", len(blamed))]
        assert reader.count(forfeited=True) == found.report.forfeits == 0
        assert reader.columns().frame()["forfeit_by"].isna().all()
    rows = standings(read_run(tmp_path / "run")).rows
    assert {row["bot"]: row["end_faults"] for row in rows} == {"ann": 0, "bob": 0, fails.name: len(blamed)}
    assert sum(row["forfeits"] for row in rows) == 0


@pytest.mark.slow
def test_who_fails_after_a_game_that_the_other_has_forfeited_has_won_it(tmp_path: Path) -> None:
    """Without isolation, a hang there was the loss of who had won."""
    bots = [attack("fails_in_end", how="hangs"), attack("misbehaves_in")]
    limits = replace(LIMITS, decision_s=0.5)
    found = tournament(tmp_path, bots, "none", limits=limits, format="round-robin", gauntlet=None, games=2)
    forfeits = [one.kind for one in found.verdicts[bots[1].name]]
    assert forfeits == ["exception"] * len(forfeits)
    assert not [one for one in found.verdicts[bots[0].name] if one.kind]
