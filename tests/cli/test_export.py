"""`arena export --records` and `--moves`, and what reads the files: replay, verify, load."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import arena as public
from arena.results import table
from arena.stats.frames import GAME_FACTS
from arena.tournament.store.reader import Reader
from tests.cli.conftest import Arena

FIRST_GAMES_OF_DATA_SET = "02dd6ae85ac612634a04d2617394bdf2e7e4fd07c16ae9f69353763182125af2"
GAME_COLUMNS = [name for name in GAME_FACTS if name not in ("ms_first", "ms_second")]


def test_records_are_read_by_replay_and_load(arena: Arena, played: Path) -> None:
    assert arena("export", played, "--records", "r.txt").out == "30 games in r.txt\n"
    name = "r.txt.gz"
    assert arena("export", played, "--records", name).out == "30 games in r.txt.gz\n"
    assert gzip.decompress(Path(name).read_bytes()) == Path("r.txt").read_bytes()
    assert not {"standings.csv", "games.csv"} & {*os.listdir()}
    assert len(public.load(name).games) == 30
    game = ("first/again/0", "--record")
    assert arena("replay", name, *game).out == arena("replay", played, *game).out


def test_parquet_says_what_records_say(arena: Arena, played: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra data is not installed")
    assert arena("export", played, "--records", "g.parquet").out == "30 games in g.parquet\n"
    assert arena("verify", "g.parquet").out == "30 games replayed, all with their stored results.\n"
    assert arena("export", "g.parquet", "--records", "-").out == arena("export", played, "--records", "-").out
    games = public.load(played).games
    table = pd.read_parquet("g.parquet")
    assert [*table.columns] == ["rules", "round", *GAME_COLUMNS, "detail", "record"]
    for column in GAME_COLUMNS:
        assert table[column].dropna().tolist() == games[column].dropna().tolist(), column


def sheets_of(path: str) -> dict[str, list[list[str]]]:
    """Read the texts of a workbook without a library."""
    with zipfile.ZipFile(path) as book:
        names = re.findall(r'<sheet name="(.*?)"', book.read("xl/workbook.xml").decode())
        texts = [book.read(f"xl/worksheets/sheet{number}.xml").decode() for number in range(1, len(names) + 1)]
    rows = [re.findall(r"<row .*?</row>", text) for text in texts]
    return {name: [re.findall(r"<(?:t|v)>(.*?)</", row) for row in part] for name, part in zip(names, rows)}


def test_a_workbook_is_refused_before_the_games_are_read(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xlsxwriter", reason="workbooks need the extra 'data'")
    monkeypatch.setattr(table, "_MOST_ROWS", 4)
    monkeypatch.setattr(Reader, "columns", lambda _: pytest.fail("the games are read"))
    assert "cup.xlsx: a sheet holds 3 rows, but games has" in arena("export", played, "-o", "cup.xlsx", code=2).err


def test_a_workbook_has_a_sheet_for_each_table(arena: Arena, played: Path) -> None:
    pytest.importorskip("xlsxwriter", reason="workbooks need the extra 'data'")
    assert arena("export", played, "-o", "cup.xlsx").out == "3 sheets in cup.xlsx\n"
    sheets = sheets_of("cup.xlsx")
    arena("export", played, "--all", "-o", "tables")
    for name in ("standings", "crosstable", "games"):
        lines = [*csv.reader(Path(f"tables/{name}.csv").read_text().splitlines())]
        assert [row[0] for row in sheets[name]] == [line[0] for line in lines]
        assert sheets[name][0] == lines[0]
    assert sheets["games"][1][0] == str(public.load(played).games["deal_seed"][0])  # all digits


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("pyarrow.parquet", ["--records", "f.parquet"]),
        ("pyarrow.parquet", ["--moves", "f.parquet"]),
        ("xlsxwriter", ["-o", "cup.xlsx"]),
    ],
)
def test_a_library_that_is_not_installed(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch, module: str, options: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert "pip install 'schotten-arena[data]'" in arena("export", played, *options, code=2).err
    assert os.listdir() == []


def test_the_data_set_begins_as_it_was_made(arena: Arena) -> None:
    """If bots or rules change, make the data set again: docs/reference/dataset.md holds its hashes."""
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra data is not installed")
    arena("run", "dataset", "--games", "2", "--workers", "1", "--out", "dataset")
    arena("export", "dataset", "--records", "games.parquet")
    lines = arena("export", "games.parquet", "--records", "-").out
    assert hashlib.sha256(lines.encode()).hexdigest() == FIRST_GAMES_OF_DATA_SET


def test_a_chosen_part_is_exported(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt", "--moves", "m.csv", "--bot", "first", "--won")
    run = public.load("r.txt")
    seats = run.by_seat()
    assert len(run.games) > 0
    assert set(seats[seats["bot"] == "first"]["score"]) == {1.0}
    moves = pd.read_csv("m.csv", keep_default_na=False)
    assert len(moves) == run.games["plies"].sum()
    assert arena("export", "r.txt", "--moves", "-").out == Path("m.csv").read_text()
    assert arena("export", "r.txt", "--records", "s.txt", "--moves", "-").out == Path("m.csv").read_text()
    # and out of a file again
    assert arena("export", "r.txt", "--records", "-", "--deal", 0).out.count("\n") == (run.games["deal"] == 0).sum()


def test_pgn_holds_what_other_programs_rate(arena: Arena) -> None:
    Path("bot.py").write_text("def act(view, moves):\n    return None if view.turns > 9 else moves[0]\n")
    command = ("match", "bot.py", "rändom=random", "--games", 2, "--seed", 1, "--workers", 1, "--out", "run")
    arena(*command, code=1)
    assert arena("export", "run", "--pgn", "g.pgn").out == "2 games in g.pgn\n"
    tags, result, *_ = Path("g.pgn").read_text(encoding="utf-8").split("\n\n")
    assert tags.splitlines() == [
        '[Event "run"]',
        '[Site "?"]',
        '[Date "????.??.??"]',
        '[Round "1"]',
        '[White "bot"]',
        '[Black "rändom"]',
        '[Result "0-1"]',
        f'[Deal "{public.load("run").games["deal_seed"][0]}:0"]',
        '[Termination "rules infraction"]',
    ]
    assert result == "0-1"
    assert arena("export", "run", "--pgn", "-", "--bot", "bot", "--lost").out == Path("g.pgn").read_text("utf-8")
    rated = arena("rate", "run", "--print", "csv", code=1).out  # bot forfeited both games, which the list does not tell
    of_list = arena("rate", "g.pgn", "--print", "csv").out
    for line, whole in zip(of_list.splitlines(), rated.splitlines(), strict=True):
        assert whole.startswith(line.rpartition(",")[0])  # a run has more columns in place of the list's last, `group`


def test_verify_finds_what_was_changed_in_a_file(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt")
    lines = Path("r.txt").read_text().splitlines()
    lines[3] = lines[3].replace('"turns":', '"turns":1')
    lines[5] = lines[5].replace("; a ", "; b ") if "; a " in lines[5] else lines[5].replace("; b ", "; a ")
    lines[7] = lines[7].replace("@", "@9", 1)
    lines[9] = lines[9].replace('"deal":', '"deal":9')
    Path("r.txt").write_text("\n".join(lines))
    found = arena("verify", "r.txt", code=1)
    assert "4 of 30 games do not replay" in found.out
    assert "r.txt, line 4: turns: 1" in found.out
    assert "r.txt, line 6: record, result" in found.out
    assert "r.txt, line 8: record, move" in found.out
    assert "r.txt, line 10: deal: 9" in found.out


def test_a_reader_that_has_seen_enough(played: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m arena.cli.main export {played} --moves - | head -2; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("rules,deal_seed,pairing,")
    assert (done.stdout.splitlines()[-1], done.stderr) == ("141", "")


def test_a_game_that_does_not_replay_stops_the_moves(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt")
    lines = Path("r.txt").read_text().splitlines()
    lines[3] = lines[3].replace(",draw clan", ",draw clan,r1@1", 1)
    Path("r.txt").write_text("\n".join(lines))
    assert "/0 does not replay: record, move" in arena("export", "r.txt", "--moves", "m.csv", code=2).err
    assert os.listdir() == ["r.txt"]
