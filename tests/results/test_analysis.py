"""Games judged move by move, and the luck of their draws, which are stored beside a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arena.lab.single_game import PlayedGame, play_game
from arena.lab.tournament import run_tournament
from arena.policy import load_net
from arena.results.judge import BLUNDER, Judge, analyse, page_notes
from arena.results.pages.game_data import replay_page
from arena.results.positions import decisions
from arena.results.run_data import RunData, read_run
from arena.results.run_standings import standings
from arena.results.sources import run_luck
from arena.results.standings_report import standings_report
from arena.results.words import remarks
from arena.stats.adjusted import FEWEST_JUDGED
from arena.stats.frames import Floats
from arena.stats.pairs import elo_of_score
from arena.tournament import luck as luck_module
from arena.tournament.luck import LUCK
from tests.cli.conftest import Arena, arena, content  # noqa: F401


@pytest.fixture(scope="module", params=["base", "tactical"])
def game(request: pytest.FixtureRequest) -> PlayedGame:
    return play_game("greedy", "random", rules=request.param, seed=1, deal=3)


def test_a_judgement_is_the_net_s_own(game: PlayedGame) -> None:
    found = analyse(game)
    net = load_net(found.judged[0].made.before.rules)
    for judged in found.judged:
        made = judged.made
        if made.phase in ("draw", "scout"):
            assert (judged.chance, judged.loss) == (None, 0)
            continue
        values = net.values(made.before.view(made.seat), list(made.legal))
        assert judged.chance == values[made.legal.index(made.move)]
        assert judged.loss == max(values) - judged.chance
        assert values[made.legal.index(judged.best)] == max(values)


def test_the_curve_ends_with_the_result_and_begins_even(game: PlayedGame) -> None:
    found = analyse(game)
    end = found.judged[-1].made.after.outcome
    assert end is not None
    assert end.winner is not None
    assert (found.chances[0], found.chances[-1]) == (0.5, float(end.winner == 0))
    assert len(found.chances) == len(found.judged) + 1
    assert all(0 <= one <= 1 for one in found.chances)


def test_with_a_budget_it_repeats_and_looks_further(game: PlayedGame) -> None:
    some = decisions(game)[10:40:10]
    judge = Judge(some[0].before.rules, nodes=60)
    once = [judge.judge(one) for one in some]
    assert once == [Judge(some[0].before.rules, nodes=60).judge(one) for one in reversed(some)][::-1]
    assert any(one.chance != other.chance for one, other in zip(once, map(Judge(some[0].before.rules).judge, some)))


def test_the_page_has_the_curve(game: PlayedGame) -> None:
    found = analyse(game)
    notes = page_notes(found)
    assert [note["chance"] for note in notes] == [round(one, 4) for one in found.chances]
    assert {number for number, note in enumerate(notes) if note.get("mark") == "blunder"} == {
        judged.made.number for judged in found.judged if judged.loss >= BLUNDER
    }
    page = replay_page(game, "1", found)
    data = json.loads(page.partition('id="data-games"')[2].partition(">")[2].partition("</script>")[0])
    assert [step["chance"] for step in data[0]["steps"]] == [note["chance"] for note in notes]


@pytest.mark.process
def test_the_command(arena: Arena) -> None:  # noqa: F811
    arena("match", "greedy", "random", "--games", 2, "--seed", 1, "--out", "run", "--workers", 1)
    shown = arena("judge", "run", 1, "--nodes", 0).out
    assert "average loss %" in shown
    found = content(arena("judge", "run", "greedy/random/0", "--nodes", 0, "--json").out)
    assert found["moves"][0]["number"] == 1
    assert len(found["chances"]) == len(found["moves"]) + 1
    assert "name a game, such as 1" in arena("judge", "run", code=2).err
    page = arena("judge", "run", 1, "--nodes", 20, "-o", "-").out
    assert "search over the net, 20 nodes per move" in page
    assert "--print does not go with a page" in arena("judge", "run", 1, "--print", "wide", "-o", "-", code=2).err
    assert "--json does not go with a page" in arena("judge", "run", 1, "--json", "--open", code=2).err


# ---------------------------------------------------------------- the luck of the draw


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on as many deals as it takes, whose draws nobody judges: tests say themselves what its luck was."""
    out = tmp_path_factory.mktemp("luck") / "run"
    run_tournament(["first", "random"], rules="base", games=2 * FEWEST_JUDGED, seed=3, out=out, workers=1)
    return out


def told_luck(run: RunData) -> Floats:
    """Luck that says nearly all of how the games ended."""
    luck = np.random.default_rng(2).normal(0, 0.1, (len(run.columns), 3))
    luck[:, 0] += run.columns["score"] - run.columns["score"].mean()
    return luck


def test_the_luck_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    run_tournament(["greedy", "counter"], rules="base", games=8, seed=3, out=folder, workers=1)
    run = read_run(folder)
    luck = run_luck(folder)
    assert luck.shape == (len(run.columns), 3)
    total = luck.sum(axis=1)
    assert abs(total.mean()) < 4 * total.std() / np.sqrt(len(total))
    assert 0.05 < total.std() < 0.6
    won = np.asarray(run.columns["score"])
    assert np.corrcoef(won, total)[0, 1] > 0.2
    monkeypatch.setattr(luck_module, "game_luck", lambda *_: pytest.fail("judged twice"))
    assert (run_luck(folder) == luck).all()
    stored = json.loads((folder / LUCK).read_text())
    assert len(stored["games"]) == len(run.columns)
    (folder / LUCK).write_text("{")  # damaged, it is made anew
    monkeypatch.setattr(luck_module, "game_luck", lambda *_: [0.0, 0.5, 0.25])
    assert (run_luck(folder) == [0.0, 0.5, 0.25]).all()


def test_an_interrupted_call_keeps_what_it_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_tournament(["first", "random"], rules="base", games=120, seed=3, out=tmp_path / "run", workers=1)
    monkeypatch.setattr(luck_module, "game_luck", lambda *_: [0.0, 0.0, 0.0])
    seen = iter(range(115))
    with pytest.raises(StopIteration):
        run_luck(tmp_path / "run", lambda: next(seen))
    assert len(json.loads((tmp_path / "run" / LUCK).read_text())["games"]) > 100


def test_without_help_all_ratings_are_as_counted(folder: Path) -> None:
    run = read_run(folder)
    noise = np.random.default_rng(1).normal(0, 0.3, (len(run.columns), 3))
    plain, adjusted = standings(run), standings(run, luck=noise)
    assert [met.helps for met in adjusted.adjusted or ()] == [False]
    assert str(adjusted.rows) == str(plain.rows)  # nan is not equal to itself
    assert remarks(adjusted)[:-1] == remarks(plain)[:-1]
    assert remarks(adjusted)[0].startswith("First player: ")
    assert adjusted.ratings is not None and plain.ratings is not None  # noqa: PT018
    assert adjusted.ratings.notes[:-1] == plain.ratings.notes
    assert "does not help" in adjusted.ratings.notes[-1]


def test_a_duel_is_rated_by_its_adjusted_score(folder: Path) -> None:
    run = read_run(folder)
    luck = told_luck(run)
    plain, adjusted = standings(run), standings(run, luck=luck)
    (met,) = adjusted.adjusted or ()
    score, error = met.adjusted_for(run.bots[0])
    head = adjusted.head_to_head
    assert head is not None
    assert met.helps
    low, high = elo_of_score(score - error), elo_of_score(score + error)
    assert (head.elo, head.elo_low, head.elo_high) == pytest.approx((elo_of_score(score), low, high))
    row = next(row for row in adjusted.rows if row["bot"] == run.bots[0])
    assert (2 * row["elo"], 2 * (row["elo_minus"] + row["elo_plus"])) == pytest.approx((head.elo, high - low))
    assert f"{abs(head.elo):.0f}" in remarks(adjusted)[2]
    assert remarks(adjusted)[0].startswith("First player, luck taken out: ")
    assert any(table.name == "adjusted" for table in standings_report(adjusted).tables)
    first = adjusted.first_player
    assert first.high - first.low < plain.first_player.high - plain.first_player.low
    assert elo_of_score(first.mean) == pytest.approx(adjusted.first_advantage[0], abs=3)
