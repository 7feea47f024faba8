"""`arena sprt`: counts against the reference, and tests that are played."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from arena.cli.playing import SPRT_FILE
from arena.tournament.store.reader import Reader
from tests.bots.processes.waiting import wait_for_games
from tests.cli.conftest import SLOW_BOT, Arena, program
from tests.tournament.runner.runs import games

pytestmark = pytest.mark.process
PLAY = ("greedy", "random", "--elo0", 0, "--elo1", 400, "--seed", 4)
CLOSE = ("first", "random", "--elo0", -40, "--elo1", 60, "--seed", 5)


def test_the_example_of_the_issue(arena: Arena) -> None:
    command = ("sprt", "--pentanomial", "120,0,500,0,180", "--elo0", 0, "--elo1", 5, "--model", "logistic")
    values = json.loads(arena(*command, "--json", code=4).out)
    assert (values["units"], values["games"], values["verdict"], values["remark"]) == (
        800,
        1600,
        "continue",
        "",
    )
    shown = arena(*command, code=4).out
    assert f"LLR {values['llr']:+.3f}" in shown
    assert "120, 0, 500, 0, 180" in shown


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--trinomial", "100,0,300"), 0, "H1 accepted, the first bot is shown to be stronger than +0 Elo (elo0)"),
        (("--trinomial", "300,0,100"), 3, "H0 accepted, the first bot is not shown to be stronger by +10 Elo (elo1)"),
        (("--trinomial", "30,0,31"), 4, "undecided, no bound is crossed; more games may decide"),
        (("--trinomial", "90,20,10", "--elo0", -20, "--elo1", 0), 3, "H0 accepted, the first bot is not shown to be"),
        (("--trinomial", "50,0,250", "--model", "normalized"), 0, "H1 accepted, the first bot is shown to be stronger"),
    ],
)
def test_a_verdict_says_what_is_true_and_has_an_exit_code(
    arena: Arena, options: tuple[object, ...], code: int, words: str
) -> None:
    assert words in arena("sprt", *options, code=code).out
    assert words in json.loads(arena("sprt", *options, "--json", code=code).out)["meaning"]
    verdict = words.split(",")[0].split()[0]
    assert re.search(rf"^ +{code}  +{verdict}", arena("sprt", "--help").out, re.M)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pentanomial", "1,2,3"), "3 given, expected 5 counts: LL, LD+DL, LW+DD+WL, DW+WD, WW"),
        (("--trinomial", "1,2,3,4,5"), "5 given, expected 3 counts: L, D, W"),
        (("--pentanomial", "1,2,-3,4,5"), "'-3' for LW+DD+WL is not a whole number from 0 up"),
        (("--pentanomial", "1,2,nan,4,5"), "'nan' for LW+DD+WL"),
        (("--pentanomial", "1,2,2.5,4,5"), "'2.5' for LW+DD+WL"),
        (("--pentanomial", "1,2,,4,5"), "'' for LW+DD+WL"),
        (("--trinomial", "a,b,c"), "'a' for L"),
        (("--trinomial", "0,0,0"), "all zero"),
        (("--trinomial", "1,1,1", "--pentanomial", "1,1,1,1,1"), "both given"),
        (("greedy", "--trinomial", "1,1,1"), "either play or test counts"),
        (("--trinomial", "1,1,1", "--seed", 4), "--seed: cannot be used with counts"),
        (("--trinomial", "1,1,1", "--elo0", 5, "--elo1", 5), "elo0 = 5 must be less than elo1 = 5"),
        (("--trinomial", "1,1,1", "--elo1", "nan"), "'--elo1': expected a number from -10000 to 10000, found nan"),
        (("--trinomial", "1,1,1", "--alpha", 0.7), "'--alpha': expected an error rate between 0 and 0.5, found 0.7"),
        (("--trinomial", "1,1,1", "--model", "logistc"), "did you mean 'logistic'?"),
        ((), "expected two bots, found 0"),
        (("greedy",), "expected two bots, found 1: greedy"),
        (("greedy", "random", "first"), "found 3"),
        (("greedy", "greddy"), "did you mean 'greedy'?"),
        (("greedy", "random", "--elo0", 20), "elo0 (20) must be less than elo1 (10)"),
        (("greedy", "random", "--model", "elo"), "logistic, normalized"),
        (("greedy", "random", "--rules", "basse"), "did you mean 'base'?"),
    ],
)
def test_mistakes_are_said(arena: Arena, options: tuple[object, ...], message: str) -> None:
    found = arena("sprt", *options, code=2)
    assert message in found.err
    assert "Traceback" not in found.err
    assert found.out == ""
    assert not Path("results").exists()


# ---------------------------------------------------------------- played


def played(folder: Path) -> tuple[str, bytes, list[tuple[Any, ...]]]:
    return (folder / SPRT_FILE).read_text(), (folder / "summary.json").read_bytes(), games(folder)


@pytest.mark.parametrize("play", [PLAY, CLOSE])
def test_any_number_of_workers_ends_at_the_same_pair(arena: Arena, play: tuple[object, ...]) -> None:
    found = [json.loads(arena("sprt", *play, "--workers", w, "--out", f"w{w}", "--json").out) for w in (1, 2)]
    assert found[0] | {"folder": ""} == found[1] | {"folder": ""}
    assert played(Path("w1")) == played(Path("w2"))
    assert found[0]["verdict"] in ("H0", "H1")
    # only the pairs of the prefix count, and one pair less was not enough
    assert found[0]["games"] == 2 * found[0]["pairs"] == len(games(Path("w1")))
    with Reader("w1") as reader:
        cells = reader.pair_scores_from(0)
    judge = ("--elo0", found[0]["elo0"], "--elo1", found[0]["elo1"], "--json")
    for number, verdict in ((len(cells), found[0]["verdict"]), (len(cells) - 1, "continue")):
        counts = ",".join(str(cells[:number].count(cell)) for cell in range(5))
        values = json.loads(arena("sprt", "--pentanomial", counts, *judge, code=None).out)
        assert values["verdict"] == verdict
        if verdict != "continue":
            same = ("llr", "elo", "elo_error95", "los", "counts")
            assert [values[key] for key in same] == [found[0][key] for key in same]


def test_shows_the_test_and_goes_on_from_a_stored_one(arena: Arena) -> None:
    first = arena("sprt", *PLAY, "--workers", 1)
    assert "Verdict: H1" in first.out
    assert "biased" in first.out
    assert "LLR" in first.err
    assert "at most 2,000,000 games, seed 4" in first.err
    (folder,) = Path("results").iterdir()
    again = arena("sprt", *PLAY, "--workers", 1)
    assert again.out == first.out
    assert "were played before" in again.err
    assert arena("resume", folder).out == first.out
    number = json.loads((folder / SPRT_FILE).read_text())["games"]
    assert f"rules base, {number} games, seed 4" in arena("standings", folder.name).out
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["complete"]
    assert summary["format"] == "sprt"
    assert arena("verify", folder).code == 0


def test_given_up_it_goes_on_with_more_pairs(arena: Arena) -> None:
    short = json.loads(arena("sprt", *CLOSE, "--max-pairs", 3, "--out", "x", "--json", "--workers", 1, code=4).out)
    assert (short["verdict"], short["pairs"], short["max_pairs"]) == ("continue", 3, 3)
    assert "given up after 3 pairs" in arena("sprt", *CLOSE, "--max-pairs", 3, "--out", "x", code=4).out
    longer = json.loads(arena("sprt", *CLOSE, "--out", "x", "--json", "--workers", 1).out)
    whole = json.loads(arena("sprt", *CLOSE, "--out", "y", "--json", "--workers", 1).out)
    assert longer | {"folder": ""} == whole | {"folder": ""}
    assert games(Path("x")) == games(Path("y"))


@pytest.mark.slow
def test_interrupted_and_resumed_it_equals_the_whole(arena: Arena, tmp_path: Path) -> None:
    Path("slow.py").write_text(SLOW_BOT)
    Path("slow").touch()
    command = ("sprt", "greedy", "slow.py", "--elo0", 0, "--elo1", 60, "--seed", 2)
    run = program(*command, "--out", "broken", "--workers", 2, cwd=tmp_path, start_new_session=True)
    count = wait_for_games(tmp_path / "broken", run, 8)
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    Path("slow").unlink()
    assert run.returncode == 130, err
    assert "arena resume broken" in err
    assert out == ""
    resumed = json.loads(arena("resume", "broken", "--json", "--workers", 1).out)
    whole = json.loads(arena(*command, "--out", "whole", "--json", "--workers", 2).out)
    assert resumed | {"folder": ""} == whole | {"folder": ""}
    assert whole["pairs"] > count / 2
    assert played(Path("broken")) == played(Path("whole"))


def test_a_test_from_a_file(arena: Arena) -> None:
    Path("t.toml").write_text(
        'format = "sprt"\nbots = ["greedy", "random"]\nseed = 4\n[sprt]\nelo1 = 400\nmodel = "logistic"\n'
    )
    values = json.loads(arena("run", "t.toml", "--json", "--workers", 1).out)
    direct = json.loads(arena("sprt", *PLAY, "--json", "--workers", 1).out)
    assert values | {"folder": ""} == direct | {"folder": ""}
