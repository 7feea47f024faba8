"""Who played which tactic card, read from records, against the engine's own account."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, parse_record, record_text, replay_steps, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules, preset_names
from arena.results.moves import PLAY_COLUMNS, plays, plays_frame, tactic_cards
from arena.tournament.store.reader import Reader
from tests.tournament.runner.runs import bot, play, settings


@pytest.mark.parametrize("name", preset_names())
def test_agrees_with_a_replay(name: str) -> None:
    rules = load_rules(name)
    seen = set()
    for number in range(40):
        state = State(rules, make_deal(rules, 7, number), (number % 2 == 0, True))
        rng, first, moves, expected = Rng(number), state.turn, [], []
        while not state.is_over:
            move = rng.choice(state.legal_moves())
            if state.phase == "play" and move.card in tactic_cards(rules):
                expected.append((int(state.turn != first), move.card))
            moves.append(move)
            state.apply(move)
        claims = (number % 2 == 0, True)
        record = record_text(rules, deal_text(7, number), claims, moves, result_text(state))
        assert list(plays(record)) == expected
        seen.update(card for _, card in expected)
    assert seen == set(tactic_cards(rules))


def test_frame_of_a_run(tmp_path: Path) -> None:
    play(tmp_path, settings(bot("random", "ann"), bot("random", "bob"), games=20, rules="expert"))
    rules = load_rules("expert")
    with Reader(tmp_path) as reader:
        frame = plays_frame(reader.results(), rules)
        results = list(reader.results())
        assert plays_frame(reader.results(), load_rules("base")).empty
    assert list(frame.columns) == list(PLAY_COLUMNS)
    assert len(frame) == 20 * 9
    total = 0
    for result in results:
        for state, move in replay_steps(parse_record(result.record)):
            total += state.phase == "play" and move.card in tactic_cards(rules)
    assert frame["played_by_first"].sum() + frame["played_by_second"].sum() == total > 20
    same = frame.groupby(["deal", "game"])["score"].first().to_list()
    assert same == [result.score for result in results]
