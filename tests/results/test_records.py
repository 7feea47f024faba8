"""Files of games: our records in every form, lists that people have as CSV and PGN, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import arena
from arena.endings import FORFEITS
from arena.errors import ArenaError
from arena.game.record import parse_record
from arena.results.positions import ending_text
from arena.results.records import ABOUT, game_of, read_game_list, read_games, write_pgn, write_records
from arena.stats.frames import StatsError, games_of
from arena.stats.pairs import counts_between
from arena.tournament.games import GameId, GameResult
from arena.tournament.store.reader import Reader
from tests.tournament.runner.runs import bot, play, settings

EVIL = 'def act(view, moves):\n    raise ValueError("no; {}\\n\u2028 second line")\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with forfeits and strange names."""
    place = tmp_path_factory.mktemp("records")
    (place / "evil.py").write_text(EVIL, encoding="utf-8")
    evil = {"spec": str(place / "evil.py"), "name": '=ev;il "; é {}', "params": {}}
    play(place / "run", settings(bot("random", "ann"), bot("random", "bob"), evil, games=6, rules="tactical"))
    return place / "run"


@pytest.fixture(scope="module")
def games(folder: Path) -> list[GameResult]:
    with Reader(folder) as reader:
        return list(reader.results())


@pytest.mark.parametrize("name", ["records.txt", "records.txt.gz"])
def test_games_come_back_as_they_were(tmp_path: Path, games: list[GameResult], name: str) -> None:
    path = tmp_path / name
    assert write_records(games, path) == len(games)
    clockless = {"ms": (0.0, 0.0), "max_ms": (0.0, 0.0), "times": (b"", b""), "duration_ms": 0.0}
    assert list(read_games(path)) == [replace(game, **clockless) for game in games]  # type: ignore[arg-type]
    text = path.read_bytes() if path.suffix == ".txt" else gzip.decompress(path.read_bytes())
    lines = text.decode("ascii").splitlines()
    assert len(lines) == len(games)
    for line, game in zip(lines, games):
        record = parse_record(line)
        assert str(record) == line
        assert line.startswith(f"{game.record}; {{")
        assert set(record.about) | {"detail"} == set(ABOUT)


def test_bare_records_tell_what_a_replay_can(tmp_path: Path, games: list[GameResult]) -> None:
    (tmp_path / "bare.txt").write_text("\n".join(game.record for game in games))
    for found, game in zip(read_games(tmp_path / "bare.txt"), games):
        assert {found.first, found.second} == {"a", "b"}
        same = ("score", "ending", "stones", "turns", "plies", "record", "forfeit", "points")
        assert all(getattr(found, name) == getattr(game, name) for name in same)


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"\x1f\x8b\x08damaged", b"SQLite format 3\0\xff", None])
def test_what_is_no_text(tmp_path: Path, games: list[GameResult], damage: bytes | None) -> None:
    """None: a compressed file that was cut."""
    write_records(games, tmp_path / "whole.gz")
    (tmp_path / "file.gz").write_bytes(damage or (tmp_path / "whole.gz").read_bytes()[:-20])
    with pytest.raises(ArenaError, match=r"file"):
        list(read_games(tmp_path / "file.gz"))


def test_a_file_is_loaded_as_its_run(folder: Path, tmp_path: Path, games: list[GameResult]) -> None:
    write_records(games, tmp_path / "r.txt.gz")
    run, loaded = arena.load(folder), arena.load(tmp_path / "r.txt.gz")
    names = [name for name in run.games.columns if not name.startswith("ms_")]
    assert loaded.games[["ms_first", "ms_second"]].isna().all().all()
    assert list(loaded.games.columns) == list(run.games.columns)
    for name in names:
        assert loaded.games[name].astype(object).where(loaded.games[name].notna(), None).tolist() == (
            run.games[name].astype(object).where(run.games[name].notna(), None).tolist()
        ), name
    pd.testing.assert_frame_equal(loaded.plays, run.plays)
    pd.testing.assert_frame_equal(loaded.standings, run.standings)
    assert set(loaded.tables()) == set(run.tables())
    assert (loaded.seed, loaded.rules) == (None, "iello-tactical")  # each pairing has its own seed
    assert {*loaded.bots} == {*run.bots}
    for broken in (lambda: loaded.sprt, loaded.export):
        with pytest.raises(ArenaError, match=r"r\.txt\.gz"):
            broken()


def test_records_of_several_runs_in_one_file(tmp_path: Path, games: list[GameResult]) -> None:
    play(tmp_path / "other", settings(bot("random", "bob"), bot("random", "cid"), games=4, rules="base") | {"seed": 12})
    with Reader(tmp_path / "other") as reader:
        others = list(reader.results())
    write_records([*games, *others], tmp_path / "both.txt")
    both = arena.load(tmp_path / "both.txt")
    assert len(both.games) == len(games) + len(others)
    last, before = both.games.tail(len(others)), both.games.head(len(games))
    for name in ("deal_seed", "pairing"):
        assert set(last[name]).isdisjoint(before[name])
    assert len(both.pairs) == len(both.games) // 2
    assert both.seed is None
    with pytest.raises(ArenaError, match="several rule sets"):
        both.plays  # noqa: B018
    write_records([*games, games[3]], tmp_path / "twice.txt")
    with pytest.raises(ArenaError, match=f"record {len(games) + 1} is a game that was there before"):
        arena.load(tmp_path / "twice.txt")


BARE = "schotten/1 base 1:0 11; ; * 0-0"
ENDED = "schotten/1 base 1:0 11; ; a 0-0 forfeit crash"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "is empty"),
        (BARE, "line 1: the game was broken off"),
        (f"{ENDED}\n\nnonsense\n", "line 3: a record is one line"),
        (f"{ENDED}; {{\n", "line 1: record, fourth part: expected a JSON object"),
        (f'{ENDED}; {{"a":{"[" * 9000}\n', "fourth part"),
        (f"{ENDED}; {json.dumps({'turns': 10**20})}", "line 1: turns: expected a number from 0"),
        (f"{ENDED}; {json.dumps({'game': True})}", "game: expected a number from 0 to 1, not 'True'"),
        (f"{ENDED}; {json.dumps({'first': 7})}", "first: expected the name of a bot"),
        (f"{ENDED}; {json.dumps({'first': 'ann', 'second': 'ann'})}", "'ann' plays itself"),
        (ENDED.replace("crash", "boredom"), "not an end of a game"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, wanted: str) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text)
    with pytest.raises(ArenaError) as caught:
        list(read_games(path))
    assert wanted in str(caught.value)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 400


@pytest.mark.parametrize(
    ("result", "ending", "winner", "text"),
    [
        ("* 0-0", "broken off", None, "a – ann, broken off at 0–0"),
        ("b 0-0 resigned", "resigned", "ann", "ann beat a 0–0: resigned"),
    ],
)
def test_a_game_that_counts_in_no_table_is_shown(result: str, ending: str, winner: str | None, text: str) -> None:
    game = game_of(f'schotten/1 base 1:0:1 11; ; {result}; {{"first":"ann"}}')
    assert (game.ending, game.winner, game.first) == (ending, winner, "ann")
    assert ending_text(game) == text


# ---------------------------------------------------------------- lists of games that people have


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "first,second,score,deal\n'=a, bob ,1,17\n\nbob,'=a,0.5,17\n=a,bob,0,\n")
    read, left_out = read_game_list(path)
    assert left_out == 0
    assert read["second"].tolist() == ["bob", "=a", "bob"]
    assert read["score"].tolist() == [1.0, 0.5, 0.0]
    games = games_of(read)
    assert games.cluster.tolist() == [0, 0, 1]
    assert games.clusters == 2


PGN = """[Event "x"]
[White "ann"]
[Black "bob \\"the\\" best"]
[Result "1-0"]
[Deal "7"]

1. e4 {[%clk 1:00]} e5
[this is no tag] 1-0

[White "bob \\"the\\" best"]
[Black "ann"]
[Deal "7 "]
[Result "1/2-1/2"]

*
[Result "*"]
[White "ann"]
[Black "bob \\"the\\" best"]
"""


@pytest.mark.parametrize(
    "text",
    [
        'White, Black, Result, Deal\nann,bob "the" best,1-0,7\nbob "the" best,ann,1/2-1/2,7 \nann,x,*,\n',
        PGN,
        "\ufeff" + PGN,
        PGN.replace("[", "[ ").replace('"]', '" ]'),
        '%\n; a [White "b"]\n{a remark:\n[White "x"]\n}\n[Site "a "b""]\n[Bad tag]\n' + PGN.replace('"]\n[', '"] ['),
        PGN + '\n*\n[White "?"]\n[Black "?"]\n[Result "1-0"]\n',
        'first;second;score;deal\nann;"bob ""the"" best";1;7\nbob "the" best;ann;0,5;7 \nann;x;*;\n',
        'first\tsecond\tscore\tdeal\nann\tbob "the" best\t1,0\t7\nbob "the" best\tann\t½\t7\nann\tx\t*\t\n',
    ],
)
def test_lists_of_other_programs_are_read(tmp_path: Path, text: str) -> None:
    read, left_out = read_game_list(write(tmp_path, text))
    assert read["first"].tolist() == ["ann", 'bob "the" best']
    assert read["score"].tolist() == [1.0, 0.5]
    assert read["deal"].tolist() == ["7", "7"]
    assert left_out == 1 + text.count("?") // 2


def test_what_is_written_as_pgn_is_read_back(tmp_path: Path) -> None:
    names = ('bob "the" best', "back\\slash")
    record = "schotten/1 base 42:0 11; ; draw 0-0 stalemate"
    games = [
        GameResult(
            GameId(0, 0, number % 2),
            2,
            *names[:: 1 - 2 * (number % 2)],
            score,
            "forfeit",
            (0, 0),
            0,
            0,
            (0, 0),
            record,
            forfeit=kind,
        )
        for number, (score, kind) in enumerate([(0.5, None), *((0.0, kind) for kind in FORFEITS)])
    ]
    assert write_pgn(games, tmp_path / "g.pgn.gz", 'my "cup"') == 6
    text = gzip.decompress((tmp_path / "g.pgn.gz").read_bytes()).decode()
    assert '[Event "my \\"cup\\""]' in text
    assert text.count('[Round "3"]') == 6
    assert text.count("[Termination ") == 5
    read, left_out = read_game_list(tmp_path / "g.pgn.gz")
    assert left_out == 0
    assert read["first"].tolist() == [game.first for game in games]
    assert read["second"].tolist() == [game.second for game in games]
    assert read["score"].tolist() == [game.score for game in games]
    assert set(read["deal"]) == {"42:0"}


def test_latin_letters_are_read(tmp_path: Path) -> None:
    text = '[White "Ren\xe9"]\n[Black "M\xfcller"]\n[Result "1-0"]\n'
    for encoding in ("utf-8", "latin-1"):
        (tmp_path / "games.pgn").write_text(text, encoding=encoding)
        read, _ = read_game_list(tmp_path / "games.pgn")
        assert [*read["first"], *read["second"]] == ["Ren\xe9", "M\xfcller"]


@pytest.mark.parametrize("word", ["null", "nan", "#N/A"])
def test_no_word_is_a_missing_value(tmp_path: Path, word: str) -> None:
    """Neither as the name of a bot nor as the label of a deal; blanks around a label do not make it another."""
    lines = [f"{word},bob,1,{word}", f"bob,{word},0,{word} ", f"{word},bob,0, y", f"bob,{word},1,y "]
    read, _ = read_game_list(write(tmp_path, "first,second,score,deal\n" + "\n".join(lines)))
    assert set(read["first"]) == {word, "bob"}
    assert counts_between(read, word, "bob") == (1, 0, 0, 0, 1)
    assert games_of(read).clusters == 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty; expected CSV with a header line"),
        ("first,second,score\n", "no games"),
        ("first,secnd,score\nann,bob,1\n", "no column 'second'; did you mean 'secnd'"),
        ("[" * 5000, r"no column 'first' \(columns: \[{199}…\)$"),
        ("first,second,score\nann,bob,1\nann,bob\n", "line 3: score is missing"),
        ("first,second,score\nann,ann,1\n", "line 2: 'ann' plays itself"),
        ("first,second,score\na,b,1\na,b,1,2,3,4\n", "line 3: more values than the 3 columns"),
        ('[White "a"]\n[Black "b"]\n', "line 1: score is missing"),
        ('[White "a"]\n[Black "b"]\n[Result "*"]\n*\n[Black "b"]\n', r"line 5: the game does not name its first bot"),
    ],
)
def test_a_bad_list_is_told_with_its_line(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(StatsError, match=part):
        read_game_list(write(tmp_path, text))
    with pytest.raises(StatsError, match="No such file"):
        read_game_list(tmp_path / "none.csv")
    (tmp_path / "x.csv").write_bytes(b"\xff\xfef\0i\0r\0s\0t\0,\0")
    with pytest.raises(StatsError, match="is no text"):
        read_game_list(tmp_path / "x.csv")
