"""A stored game decision by decision, and what is counted from its record by the literal engine's account."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.game.cards import card_name
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, parse_record, record_text, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.policy import load_net
from arena.results.decisions import (
    COUNTED_COLUMNS,
    decision_times,
    early_claims,
    tactics,
    with_counts,
)
from arena.results.positions import decisions, legend
from arena.results.run_data import read_run
from arena.results.selected import selected
from arena.tournament.games import GameResult, bucket_ms, times_in_order
from arena.tournament.store.reader import Reader
from tests.oracle import Options, Oracle
from tests.tournament.runner.runs import bot, play, settings

SLEEPER = """
import time

ask_forced = {forced}

def act(view, moves):
    time.sleep(0.003 if len(moves) > 20 else 0)
    return moves[0]
"""


def test_the_legend_has_the_names_of_the_edition() -> None:
    for name in ("tactical", "ps-2004-tactical", "battle-line-tactical"):
        rules = load_rules(name)
        for token in ("*J", f"*{rules.spy_value}", "fog", "scout", "traitor"):
            assert f"{token} {card_name(token, rules.edition)}" in legend(rules)
    assert "scout" not in legend(load_rules("base"))


def games_of(folder: Path, forced: bool, **more: object) -> list[GameResult]:
    source = folder / "sleeper.py"
    source.write_text(SLEEPER.format(forced=forced))
    field = {"spec": str(source), "name": "ann", "params": {}}, bot("random", "bob")
    play(folder / "run", settings(*field, games=2, rules="tactical", **more), workers=1)
    with Reader(folder / "run") as reader:
        return list(reader.results())


@pytest.mark.process
@pytest.mark.parametrize(("forced", "isolation"), [(False, "process"), (True, "none")])
def test_times_belong_to_the_decisions_they_were_taken_of(tmp_path: Path, forced: bool, isolation: str) -> None:
    found = games_of(tmp_path, forced, isolation=isolation, clock={"move_ms": 10_000})
    seen = 0
    for game in found:
        asked = [0, 0]
        for made in decisions(game):
            bot = game.first if made.seat == parse_record(game.record).deal.starter else game.second
            asked[bot == game.second] += made.asked
            assert made.asked == (len(made.legal) > 1 or (forced and bot == "ann"))
            assert (made.ms is not None) == made.asked
            if bot == "ann" and made.ms is not None and len(made.legal) > 20:
                assert made.ms > 2.5
                seen += 1
        assert tuple(asked) == game.decisions
    assert seen > 10


@pytest.mark.process
def test_the_decision_that_failed_is_not_in_the_record(tmp_path: Path) -> None:
    source = tmp_path / "evil.py"
    source.write_text("def act(view, moves):\n    return moves[0] if len(moves) > 40 or len(moves) == 2 else None\n")
    field = {"spec": str(source), "name": "evil", "params": {}}, bot("random", "bob")
    play(tmp_path / "run", settings(*field, games=4, clock={"move_ms": 10_000}), workers=1)
    with Reader(tmp_path / "run") as reader:
        for game in reader.results():
            assert game.forfeit_by == "evil"
            made = decisions(game)
            starter = parse_record(game.record).deal.starter
            evil = starter if game.first == "evil" else 1 - starter
            own = [one for one in made if one.seat == evil]
            assert own
            assert all(one.asked == (len(one.legal) > 1) for one in made)
            assert sum(one.asked for one in own) + 1 == game.decisions[game.second == "evil"]
            assert all(one.ms is not None for one in made if one.asked)


# ---------------------------------------------------------------- counts


class Counting(Oracle):
    """Counts the claims of each seat that it made before the other side was full."""

    early = (0, 0)

    def _claim(self, stone: int) -> None:
        is_early = not self.is_complete(1 - self.turn, stone)
        self.early = tuple(count + (is_early and seat == self.turn) for seat, count in enumerate(self.early))
        super()._claim(stone)


@pytest.mark.parametrize("name", ["iello-base", "battle-line-base", "bga-tactical", "battle-line-expert"])
def test_counts_are_those_of_the_literal_engine(name: str) -> None:
    rules, net = load_rules(name), load_net(name)
    found = [0, 0]
    for number in range(6):
        deal, auto = make_deal(rules, 11, number), (number % 3 > 0, number % 2 == 0)
        state, rng, moves = State(rules, deal, auto), Rng(number), []
        tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
        literal = Counting(Options.like(rules), deal.clan, tactic, deal.starter, auto)
        while legal := state.legal_moves():
            move = net.choose(state, legal) if number % 2 else rng.choice(legal)
            moves.append(move)
            state.apply(move)
            literal.apply(str(move))
        record = record_text(rules, deal_text(11, number), auto, moves, result_text(state))
        order = (deal.starter, 1 - deal.starter)
        assert early_claims(record) == tuple(literal.early[seat] for seat in order)
        assert tactics(record) == tuple(literal.played_tactics[seat] for seat in order)
        found[0] += sum(literal.early)
        found[1] += sum(literal.played_tactics)
    assert found[0] > 10
    assert (found[1] > 10) == rules.tactics


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("counted")
    play(out, settings(bot("random", "ann"), bot("random", "bob"), games=20, rules="tactical"))
    return out


def test_columns_of_a_run_and_of_a_selection(folder: Path) -> None:
    run = read_run(folder)
    with Reader(folder) as reader:
        expected = [(*tactics(game.record), *early_claims(game.record)) for game in reader.results()]
    counted = with_counts(run, ["early_claims"])
    assert list(zip(*(counted.columns[name].tolist() for name in COUNTED_COLUMNS))) == expected
    assert with_counts(run, ["turns"]) is run
    assert with_counts(counted, ["early_claims"]) is counted
    few = selected(run, "tactics_first > 2 and tactics_second < 9")
    assert list(few.columns["tactics_first"]) == [row[0] for row in expected if row[0] > 2 and row[1] < 9]
    with_metric = selected(replace(run, metrics={"it": "mean tactics"}), "turns > 0")
    assert with_metric.columns["tactics_second"].tolist() == [row[1] for row in expected]


def test_games_that_came_since_are_left_out(folder: Path) -> None:
    run = read_run(folder)
    whole = with_counts(run, ["tactics"]).columns["tactics_first"]
    held = run.columns["deal"] > 3
    columns = replace(run.columns, values={name: column[held] for name, column in run.columns.values.items()})
    part = with_counts(replace(run, columns=columns), ["tactics"])
    assert part.columns["tactics_first"].tolist() == whole[held].tolist()


def test_times_of_decisions(folder: Path) -> None:
    times = decision_times(read_run(folder))
    with Reader(folder) as reader:
        game = next(iter(reader.results()))
    own = times[(times["deal"] == 0) & (times["game"] == 0) & (times["bot"] == game.first)]["move_ms"]
    assert own.tolist() == [bucket_ms(bucket) for bucket in times_in_order(game.times[0])]
    assert own.sum() == pytest.approx(game.ms[0], rel=0.1, abs=0.002)
    assert len(own) == game.decisions[0]
