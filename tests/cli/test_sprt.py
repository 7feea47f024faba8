"""`arena sprt`: sequential tests that are played."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.game.record import parse_record
from arena.game.rules import load_rules
from arena.policy import load_net
from arena.results.words import sprt_text
from arena.stats.sprt import AdjustedSprt, SprtTest
from arena.tournament.luck import LUCK, JudgedLuck, fixed_luck, game_luck
from arena.tournament.store.reader import Reader
from tests.cli.conftest import Arena, content, json_of
from tests.tournament.runner.runs import games

pytestmark = pytest.mark.process
PLAY = ("greedy", "random", "--elo0", 0, "--elo1", 400, "--seed", 4)
CLOSE = ("first", "random", "--elo0", -200, "--elo1", 200, "--seed", 5)


def test_shows_the_test_and_goes_on_from_a_stored_one(arena: Arena) -> None:
    first = arena("sprt", *PLAY, "--workers", 1)
    assert "Verdict: H1" in first.out
    (folder,) = Path("results").iterdir()
    again = arena("sprt", *PLAY, "--workers", 1)
    assert again.out == first.out
    assert "were played before" in again.err
    assert arena("run", folder).out == first.out
    summary = content((folder / "summary.json").read_text())
    assert (summary["complete"], summary["format"], summary["head_to_head"][0]["los"]) == (True, "sprt", None)
    assert not {"los", "pairings"} & set(json_of("standings", folder, "--all", "--json"))
    assert arena("verify", folder).code == 0
    with Reader(folder) as reader:
        assert "adjusted" not in reader.config()["sprt"]
    assert not (folder / LUCK).exists()


def test_given_up_it_goes_on_with_more_pairs(arena: Arena) -> None:
    short = content(arena("sprt", *CLOSE, "--max-pairs", 3, "--out", "x", "--json", "--workers", 1, code=4).out)
    assert (short["test"][0]["verdict"], short["test"][0]["units"], short["games_planned"]) == ("continue", 3, 6)
    longer = content(arena("sprt", *CLOSE, "--out", "x", "--json", "--workers", 1, code=3).out)
    whole = content(arena("sprt", *CLOSE, "--out", "y", "--json", "--workers", 1, code=3).out)
    assert longer | {"folder": ""} == whole | {"folder": ""}
    assert games(Path("x")) == games(Path("y"))


# ---------------------------------------------------------------- with luck taken out

ADJUSTED = ("greedy", "first", "--elo0", 0, "--elo1", 300, "--seed", 4, "--adjusted")


@pytest.fixture(scope="module")
def adjusted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of a test with luck taken out, and what the command said; not to be changed."""
    folder = tmp_path_factory.mktemp("adjusted") / "one"
    return folder, json_of("sprt", *ADJUSTED, "--workers", 1, "--out", folder, "--json")


@pytest.mark.slow
def test_a_test_with_luck_taken_out(arena: Arena, adjusted: tuple[Path, dict[str, Any]]) -> None:
    """The same bytes with other workers and in pieces; as fed by hand from the records."""
    one, (values,) = adjusted[0], adjusted[1]["test"]
    arena("sprt", *ADJUSTED, "--workers", 2, "--max-pairs", 4, "--out", "more", code=4)
    arena("run", "more", "--set", "sprt.max_pairs=1000000")
    for name in (LUCK,):
        assert Path("more", name).read_bytes() == (one / name).read_bytes()
    assert games(Path("more")) == games(one)

    rules = load_rules("base")
    stored = JudgedLuck(one)
    with Reader(one) as reader:
        pairs = []
        for cell, *both in zip(reader.pair_scores_from(0), *[iter(reader.results())] * 2):
            luck = [fixed_luck(stored.of(game), rules) * (1 if game.first == "greedy" else -1) for game in both]
            pairs.append((cell, sum(luck) / 2))
        assert stored.of(both[0]) == game_luck(parse_record(both[0].record), load_net("base"))
    test = AdjustedSprt(SprtTest(0, 300))
    test.extend(pairs)
    result = test.result()
    assert (result.units, result.verdict) == (values["units"], "H1") == (len(pairs), values["verdict"])
    assert result.llr == pytest.approx(values["llr"])
    assert result.estimate is not None
    assert values["score"] == pytest.approx(result.estimate.score, abs=5e-5)  # four digits are written
    assert values["luck"] == pytest.approx(vars(result.luck))


def test_what_is_said_of_luck_taken_out(arena: Arena, adjusted: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(adjusted[0], "one")
    said = arena("sprt", *ADJUSTED, "--out", "one").out
    assert "Estimate, luck taken out: greedy against first" in said
    assert re.search(r"As counted, the score is .* a pair is worth", said)
    useless = AdjustedSprt(SprtTest(0, 300))
    useless.extend([(0, 0.0), (4, 0.0), (2, 0.0)])
    assert "a pair is worth 1.00 pairs as counted, so this does not help." in sprt_text(useless.result())
    before = Path("one", LUCK).read_bytes()
    assert "Sequential test" in arena("report", "one", "--out", "one.html").out + Path("one.html").read_text()
    assert Path("one", LUCK).read_bytes() == before  # judged once
    with Reader("one") as reader:
        assert reader.config()["sprt"]["adjusted"] is True
