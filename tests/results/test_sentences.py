"""What the figures are said to show: how surely, and of how many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from arena.cli.playing import next_step
from arena.lab.tournament import run_tournament
from arena.results.note_figures import calibration
from arena.results.ratings_report import ratings_report
from arena.results.run_data import read_run
from arena.results.run_standings import RunStandings, standings
from arena.stats.pairs import head_to_head
from arena.stats.ratings import rate


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> RunStandings:
    folder = tmp_path_factory.mktemp("match") / "run"
    run_tournament(["first", "random"], rules="base", games=10, seed=3, out=folder, workers=1)
    return standings(read_run(folder))


def test_an_open_match_warns_of_looking_again_and_names_the_test(match: RunStandings) -> None:
    advice = next_step(replace(match, head_to_head=head_to_head([3, 0, 4, 0, 3])), "run")
    assert "To find out, play more games: arena resume run --games 80" in advice
    assert "false alarms likelier" in advice
    assert advice.endswith(": arena sprt first random")


def test_a_rung_is_known_by_its_source_and_not_by_its_name(match: RunStandings) -> None:
    other = replace(match, run=replace(match.run, sources=match.run.sources | {"random": "another"}))
    assert "random, rung 1 of 7" in next_step(match, "run")
    assert next_step(other, "run") == ""


def test_likelihoods_say_of_how_many_pairs_the_most_extreme_is() -> None:
    rows = [
        (first, second, float((deal + ahead) % 4 < 2 + ahead))
        for deal in range(12)
        for first, second, ahead in (("a", "b", 1), ("b", "a", 0), ("a", "c", 0), ("c", "b", 0), ("b", "c", 1))
    ]
    games = pd.DataFrame(rows, columns=["first", "second", "score"])
    *_, shown = ratings_report(rate(games), los=True).tables
    likely = rate(games).los().to_numpy()
    assert shown.note.startswith("The most extreme of 3 pairs")
    assert f"{100 * likely.max():.1f}%" in shown.note
    assert not ratings_report(rate(games[games["second"] != "c"].query("first != 'c'")), los=True).tables[-1].note


def test_the_error_of_brier_holds_the_truth_though_surprises_are_rare() -> None:
    held = 0
    for generator in np.random.default_rng(1).spawn(100):
        chance = generator.beta(9, 1, 40)  # of two games on each of 20 deals
        score = (generator.random(40) < chance).astype(float)
        said = pd.DataFrame({"deal_seed": 1, "deal": np.arange(40) // 2, "bot": "a", "note": "value", "score": score})
        row = calibration(said.assign(figure=chance)).loc[0]
        held += abs(row["brier"] - 9 / 110) <= row["brier_error95"]
    assert held >= 0.9 * 100
