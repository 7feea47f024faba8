"""Lists of games that people have: CSV in two styles, PGN, names that look like missing values, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.endings import FORFEITS
from arena.results.game_list import read_game_list, write_pgn
from arena.stats.frames import StatsError, games_of
from arena.stats.pairs import counts_between
from arena.tournament.games import GameId, GameResult


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "first,second,score,deal\nann, bob ,1,17\n\nbob,ann,0.5,17\nann,bob,0,\n")
    read, left_out = read_game_list(path)
    assert left_out == 0
    assert read["second"].tolist() == ["bob", "ann", "bob"]
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
        'first;second;score;deal\nann;"bob ""the"" best";1;7\nbob "the" best;ann;0,5;7 \nann;x;*;\n',
        'first\tsecond\tscore\tdeal\nann\tbob "the" best\t1,0\t7\nbob "the" best\tann\t½\t7\nann\tx\t*\t\n',
    ],
)
def test_lists_of_other_programs_are_read(tmp_path: Path, text: str) -> None:
    read, left_out = read_game_list(write(tmp_path, text))
    assert read["first"].tolist() == ["ann", 'bob "the" best']
    assert read["score"].tolist() == [1.0, 0.5]
    assert read["deal"].tolist() == ["7", "7"]
    assert left_out == 1


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
    assert write_pgn(games, tmp_path / "g.pgn", 'my "cup"') == 6
    text = (tmp_path / "g.pgn").read_text(encoding="utf-8")
    assert '[Event "my \\"cup\\""]' in text
    assert text.count('[Round "3"]') == 6
    assert text.count("[Termination ") == 5
    read, left_out = read_game_list(tmp_path / "g.pgn")
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
