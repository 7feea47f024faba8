"""Every decision as a row, in step with a replay, whole or not at all; and who played which tactic card."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import deal_text, parse_record, record_text, replay_steps, result_text
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.results.positions import DECISION_COLUMNS, MovesError, move_rows, plays, tactic_texts, write_moves
from arena.tournament.games import GameResult
from arena.tournament.store.reader import Reader
from arena.whole_file import ExportError
from tests.tournament.runner.runs import bot, play, settings


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[GameResult]:
    folder = tmp_path_factory.mktemp("moves") / "run"
    play(folder, settings(bot("random", "=ann"), bot("greedy", "bob"), games=6, rules="tactical"))
    with Reader(folder) as reader:
        return list(reader.results())


def test_rows_are_the_decisions_of_the_records(games: list[GameResult]) -> None:
    for game in games:
        record = parse_record(game.record)
        rows = [dict(zip(DECISION_COLUMNS, row)) for row in move_rows(game)]
        assert len(rows) == game.plies
        for row, (state, move) in zip(rows, replay_steps(record)):
            seat, other = state.to_move, 1 - state.to_move
            assert row["moves"].split(",") == [str(one) for one in state.legal_moves()]
            assert row["moves"].split(",")[row["choice"]] == row["move"] == str(move)
            assert (row["seat"], row["phase"], row["turn"]) == (seat, state.phase, state.turns)
            assert row["began"] == (seat == state.first_seat) == (row["bot"] == game.first)
            assert {row["bot"], row["opponent"]} == {game.first, game.second}
            assert row["score"] == (game.score if row["began"] else 1 - game.score)
            assert tuple(row["hand"].split()) == state.hand_of(seat)
            assert tuple(row["hand_opponent"].split()) == state.hand_of(other)
            for name, one in (("mine", seat), ("theirs", other)):
                assert [tuple(cards.split()) for cards in row[name].split("/")] == [
                    state.side(one, stone) for stone in range(1, 10)
                ]
            assert [tuple(words.split()) for words in row["modes"].split("/")] == [
                state.modes(stone) for stone in range(1, 10)
            ]
            assert row["owners"] == state.owners
            assert (row["deck_clan"], row["deck_tactic"]) == state.deck_counts
            assert (tuple(row["beside"].split()), tuple(row["beside_opponent"].split())) == (
                state.row(seat),
                state.row(other),
            )
            assert row["pending"] == (state.pending or "")


def test_csv_holds_the_rows_packed_or_not(games: list[GameResult], tmp_path: Path) -> None:
    number = write_moves(games, tmp_path / "m.csv")
    assert write_moves(games, tmp_path / "m.csv.gz") == number == sum(game.plies for game in games)
    text, packed = (pd.read_csv(tmp_path / name, keep_default_na=False) for name in ("m.csv", "m.csv.gz"))
    pd.testing.assert_frame_equal(text, packed)
    assert list(text.columns) == list(DECISION_COLUMNS)
    assert set(text["bot"]) == {"'=ann", "bob"}  # no formula in a spreadsheet
    rows = [row for game in games for row in move_rows(game)]
    for index, name in enumerate(DECISION_COLUMNS):
        if name not in ("bot", "opponent", "ms") and not name.startswith("note_"):
            assert text[name].tolist() == [row[index] for row in rows], name


def test_parquet_holds_the_rows_and_types(games: list[GameResult], tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow: the extra data is not installed")
    assert write_moves(games, tmp_path / "m.parquet") == sum(game.plies for game in games)
    table = pq.read_table(tmp_path / "m.parquet")
    assert table.schema.field("hand").metadata == {b"meaning": DECISION_COLUMNS["hand"].encode()}
    rows = [row for game in games for row in move_rows(game)]
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    write_moves(iter(games), tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "m.parquet").read_bytes()
    write_moves([], tmp_path / "none.parquet")
    assert pq.read_schema(tmp_path / "none.parquet") == table.schema


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_a_failure_midway_leaves_the_old_file(games: list[GameResult], tmp_path: Path, name: str) -> None:
    def broken() -> object:
        yield from games
        raise KeyboardInterrupt

    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra data is not installed")
    (tmp_path / name).write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_moves(broken(), tmp_path / name)  # type: ignore[arg-type]
    assert (tmp_path / name).read_text() == "old"
    for wrong, error in ((tmp_path / "gone" / name, ExportError), (tmp_path / "m.txt", MovesError)):
        with pytest.raises(error):
            write_moves(games, wrong)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["iello-base", "bga-tactical", "battle-line-expert"])
def test_the_players_of_tactic_cards_are_those_of_a_replay(name: str) -> None:
    rules = load_rules(name)
    seen = set()
    for number in range(40):
        state = State(rules, make_deal(rules, 7, number), (number % 2 == 0, True))
        rng, first, moves, expected = Rng(number), state.to_move, [], []
        while not state.is_over:
            move = rng.choice(state.legal_moves())
            if state.phase == "play" and move.card in tactic_texts(rules):
                expected.append((int(state.to_move != first), move.card))
            moves.append(move)
            state.apply(move)
        claims = (number % 2 == 0, True)
        record = record_text(rules, deal_text(7, number), claims, moves, result_text(state))
        assert list(plays(record)) == expected
        seen.update(card for _, card in expected)
    assert seen == set(tactic_texts(rules))
