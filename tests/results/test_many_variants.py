"""A comparison of few deals, or with a bot that forfeits every game: what it must not say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from arena.results.formats import write_report
from arena.results.pages.figures import calibration_plot
from arena.results.table import Report
from arena.results.variant_report import comparison, read_variants
from arena.tournament.games import GameResult, GameTask
from tests.results.synthetic import store_run
from tests.results.test_many_bots import failing
from tests.tournament.runner.fake import fake_result


def fair(task: GameTask) -> GameResult:
    return fake_result(task, faults=False)


def compared(folder: Path, games: int, play: Callable[[GameTask], GameResult] = fair) -> Report:
    folders = [
        store_run(folder / rules, {"rules": rules, "games": games, "own_deals": False}, play=play)
        for rules in ("base", "tactical")
    ]
    return comparison(read_variants(folders, 0))


@pytest.mark.parametrize(("games", "known"), [(18, False), (20, True)])
def test_few_deals_show_no_interval_and_no_verdict(tmp_path: Path, games: int, known: bool) -> None:
    report = compared(tmp_path, games)
    text = write_report(report)
    assert ("Too few deals to say whether the variant matters (10 needed)." in text) == (not known)
    assert ("Fewer than 10 deals give no interval: play more games." in text) == (not known)
    assert ("with the places of 95% of samples" in text) == known
    for table in report.tables:
        for row in table.rows:
            ends = [row[name] for name in ("score_low", "low", "p_holm", "place_low", "elo_low") if name in row]
            assert not any(pd.notna(end) != known for end in ends), (table.name, row)
    largest = next(line for line in text.splitlines() if " in tactical against base" in line)
    assert (" .. " in largest) == known
    assert "nan" not in text


def test_total_forfeits_stand_before_the_answer(tmp_path: Path) -> None:
    report = compared(tmp_path, 4, failing("counter"))
    assert report.answer[0] == "counter forfeited every game in base, tactical."
    assert report.answer[1].startswith("Too few deals")
    text = write_report(report)
    assert "Fewer than 10 deals give no interval." in text
    assert "lay more games" not in text


def test_the_plot_of_chances_has_no_interval_of_few_deals() -> None:
    line = {"bot": "a", "moves": 7, "said": 0.5, "score": 0.75, "score_low": float("nan"), "score_high": float("nan")}
    plot = calibration_plot(pd.DataFrame([line, line | {"score_low": 0.5, "score_high": 0.9}]))
    assert plot is not None
    few, enough = plot.rows
    assert (few.value, few.low, few.high) == (25.0, None, None)
    assert (enough.low, enough.high) == pytest.approx((0.0, 40.0))
    assert few.tip.endswith("scored 75.0%")
    assert enough.tip.endswith("scored 75.0% (50.0 .. 90.0)")
