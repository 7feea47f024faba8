"""Facts counted from records, against the literal engine's own account of claims and tactic cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, record_text, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.policy import load_net
from arena.results.decisions import COUNTED_COLUMNS, decision_times, early_claims, tactics, with_counts
from arena.results.run_data import read_run
from arena.results.selected import selected
from arena.tournament.games import bucket_ms, times_in_order
from arena.tournament.store.reader import Reader
from tests.oracle import Options, Oracle
from tests.tournament.runner.runs import bot, play, settings


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
