"""Games judged move by move, and the losses by bot that are stored beside a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.lab.single_game import PlayedGame, play_game
from arena.policy import load_net
from arena.results.judge import Judge, Losses, analyse, bot_losses, page_notes, read_losses, run_losses
from arena.results.pages.game_data import replay_page
from arena.results.positions import decisions
from tests.cli.conftest import Arena, arena  # noqa: F401


@pytest.fixture(scope="module", params=["base", "tactical"])
def game(request: pytest.FixtureRequest) -> PlayedGame:
    return play_game("greedy", "random", rules=request.param, seed=1, deal=3)


def test_a_judgement_is_the_net_s_own(game: PlayedGame) -> None:
    found = analyse(game)
    net = load_net(found.made[0].state().rules)
    for made, judged in zip(found.made, found.judged):
        if made.phase in ("draw", "scout"):
            assert (judged.chance, judged.loss) == (None, 0)
            continue
        values = net.values(made.state().view(made.seat), list(made.legal))
        assert judged.chance == values[made.legal.index(made.move)]
        assert judged.loss == max(values) - judged.chance
        assert values[made.legal.index(judged.best)] == max(values)


def test_the_curve_ends_with_the_result_and_begins_even(game: PlayedGame) -> None:
    found = analyse(game)
    end = found.made[-1].after.outcome
    assert end is not None
    assert end.winner is not None
    assert (found.chances[0], found.chances[-1]) == (0.5, float(end.winner == 0))
    assert len(found.chances) == len(found.made) + 1
    assert all(0 <= one <= 1 for one in found.chances)


def test_with_a_budget_it_repeats_and_looks_further(game: PlayedGame) -> None:
    some = decisions(game)[10:40:10]
    judge = Judge(some[0].state().rules, nodes=60)
    once = [judge.judge(one) for one in some]
    assert once == [Judge(some[0].state().rules, nodes=60).judge(one) for one in reversed(some)][::-1]
    assert any(one.chance != other.chance for one, other in zip(once, map(Judge(some[0].state().rules).judge, some)))


def test_losses_of_a_run_are_sums_of_its_games() -> None:
    games = [play_game("greedy", "random", seed=1, deal=deal) for deal in range(4)]
    found = run_losses(games, 0)
    judged = [analyse(game) for game in games]
    lost = [one.losses(game.seats.index("random")) for one, game in zip(judged, games)]
    assert found.games == 4
    own = found.bots["random"]
    assert own.mean == pytest.approx(sum(one.loss for one in lost) / own.decisions)
    assert own.decisions == sum(one.judged for one in lost)
    assert found.bots["random"].mean > found.bots["greedy"].mean


def test_the_error_is_student_s_of_a_ratio_by_deal() -> None:
    lost = [(deal, Losses(10, half, 0)) for deal, half in enumerate((0.1, 0.3) * 5) for _ in range(2)]
    found = bot_losses(lost)
    assert (found.games, found.deals) == (20, 10)
    assert found.mean == pytest.approx(0.02)
    assert found.error95 == pytest.approx(2.262157 * 0.01 / 9**0.5)  # of ten means with a deviation of 0.01 * √(10/9)
    few = bot_losses(lost[:-2])
    assert (few.deals, few.error95) == (9, None)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 2, "nodes": 1, "bots": {}}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "losses.json").write_text(text)
    with pytest.raises(ArenaError, match=r"losses\.json is not as arena replay --judge wrote it"):
        read_losses(tmp_path)


def test_the_page_has_the_curve(game: PlayedGame) -> None:
    found = analyse(game)
    notes = page_notes(found)
    assert [note["chance"] for note in notes] == [round(one, 4) for one in found.chances]
    assert {number for number, note in enumerate(notes) if note.get("mark") == "blunder"} == set(found.blunders)
    page = replay_page(game, "1", found)
    data = json.loads(page.partition('id="data-games"')[2].partition(">")[2].partition("</script>")[0])
    assert [step["chance"] for step in data[0]["steps"]] == [note["chance"] for note in notes]


@pytest.mark.process
def test_the_command(arena: Arena) -> None:  # noqa: F811
    arena("match", "greedy", "random", "--games", 2, "--seed", 1, "--out", "run", "--workers", 1)
    shown = arena("replay", "run", 1, "--judge", "--nodes", 0).out
    assert "average loss %" in shown
    found = json.loads(arena("replay", "run", "greedy/random/0", "--judge", "--nodes", 0, "--json").out)
    assert found["moves"][0]["number"] == 1
    assert len(found["chances"]) == len(found["moves"]) + 1
    assert "Average loss per move" not in arena("standings", "run", "--all").out
    assert "random" in arena("replay", "run", "--judge").out
    assert "Average loss per move" in arena("standings", "run", "--all").out
    both = [row["bot"] for row in json.loads(arena("standings", "run", "--all", "--json").out)["losses"]]
    assert both == ["greedy", "random"]
    assert "name it" in arena("replay", "run", "--judge", "--all", code=2).err
