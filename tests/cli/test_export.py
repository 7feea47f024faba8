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
from arena.stats.frames import GAME_FACTS
from arena.tournament.store.reader import Reader
from tests.cli.conftest import Arena

FIRST_GAMES_OF_DATA_SET = "02dd6ae85ac612634a04d2617394bdf2e7e4fd07c16ae9f69353763182125af2"
GAME_COLUMNS = [name for name in GAME_FACTS if name not in ("ms_first", "ms_second")]


def test_records_are_read_by_replay_verify_and_load(arena: Arena, played: Path) -> None:
    assert arena("export", played, "--records", "r.txt").out == "30 games in r.txt\n"
    assert arena("export", played, "--records", "r.txt.gz").out == "30 games in r.txt.gz\n"
    assert gzip.decompress(Path("r.txt.gz").read_bytes()) == Path("r.txt").read_bytes()
    assert not {"standings.csv", "games.csv"} & {*os.listdir()}
    for name in ("r.txt", "r.txt.gz"):
        assert arena("verify", name).out == "30 games replayed, all with their stored results.\n"
        assert len(public.load(name).games) == 30
        from_run, from_file = (arena("replay", source, 7).out for source in (played, name))
        assert without_times(from_file) == without_times(from_run)
        assert "first" in from_file
        game = ("first/again/0", "--record")
        assert arena("replay", name, *game).out == arena("replay", played, *game).out
        listed = arena("replay", name, "--bot", "first", "--lost").out
        assert listed.replace(name, "RUN") == (
            arena("replay", played, "--bot", "first", "--lost").out.replace(str(played), "RUN")
        )


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
    first = Path("cup.xlsx").read_bytes()
    arena("export", played, "-o", "cup.xlsx")
    assert Path("cup.xlsx").read_bytes() == first


def test_a_workbook_of_a_comparison_has_sheets_for_each_rule_set(arena: Arena) -> None:
    pytest.importorskip("xlsxwriter", reason="workbooks need the extra 'data'")
    play = ("--games", 2, "--seed", 1, "--workers", 1, "--out", "pair", "--quiet")
    arena("compare", "random", "first", "--variants", "base,expert", *play)
    assert arena("export", "pair", "-o", "pair.xlsx").out == "6 sheets in pair.xlsx\n"
    assert [*sheets_of("pair.xlsx")][:4] == ["base standings", "base crosstable", "base games", "expert standings"]


def test_a_workbook_without_its_library_is_a_sentence(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    said = arena("export", played, "-o", "cup.xlsx", code=2).err
    assert "cup.xlsx: a workbook needs xlsxwriter, which is not installed: pip install 'schotten-arena[data]'" in said
    assert not Path("cup.xlsx").exists()


@pytest.mark.parametrize("out", ["tables", "open.xlsx"])
def test_a_new_league_has_no_tables(arena: Arena, out: str) -> None:
    if out.endswith(".xlsx"):
        pytest.importorskip("xlsxwriter", reason="workbooks need xlsxwriter: the extra data is not installed")
    arena("league", "create", "open", "--isolation", "none")
    assert arena("export", "open", "-o", out, code=2).err == "Error: open: no games yet\n"
    assert not Path(out).exists()


def test_the_data_set_begins_as_it_was_made(arena: Arena) -> None:
    """If bots or rules change, make the data set again: docs/reference/dataset.md holds its hashes."""
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra data is not installed")
    arena("run", "dataset", "--games", "2", "--out", "dataset")
    arena("export", "dataset", "--records", "games.parquet")
    lines = arena("export", "games.parquet", "--records", "-").out
    assert hashlib.sha256(lines.encode()).hexdigest() == FIRST_GAMES_OF_DATA_SET


def test_parquet_without_pyarrow(arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for option in ("--records", "--moves"):
        assert "pip install 'schotten-arena[data]'" in arena("export", played, option, "f.parquet", code=2).err
    assert os.listdir() == []


def without_times(text: str) -> str:
    return "\n".join(re.sub(r"  \(\d+ legal.*", "", line) for line in text.splitlines())


def test_a_chosen_part_is_exported(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt", "--moves", "m.csv", "--bot", "first", "--won")
    run = public.load("r.txt")
    seats = run.by_seat()
    assert len(run.games) > 0
    assert set(seats[seats["bot"] == "first"]["score"]) == {1.0}
    moves = pd.read_csv("m.csv", keep_default_na=False)
    assert len(moves) == run.games["plies"].sum()
    # and out of a file again
    assert arena("export", "r.txt", "--records", "-", "--deal", 0).out.count("\n") == (run.games["deal"] == 0).sum()
    assert "no bot 'frist'" in arena("export", played, "--records", "x", "--bot", "frist", code=2).err
    assert not Path("x").exists()


def test_to_the_terminal(arena: Arena, played: Path) -> None:
    with Reader(played) as reader:
        records = [result.record for result in reader.results()]
    lines = arena("export", played, "--records", "-").out.splitlines()
    assert [line.partition("; {")[0] for line in lines] == records
    assert arena("export", played, "--moves", "-").out.count("\n") > 1000
    assert "only one of" in arena("export", played, "--moves", "-", "--records", "-", code=2).err


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
    assert arena("rate", "g.pgn", "--print", "csv").out == arena("rate", "run", "--print", "csv").out


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--records", "gone/r.txt"], "cannot write gone/r.txt: No such file or directory"),
        (["--records", "gone/r.parquet"], "cannot write gone/r.parquet: No such file or directory"),
        (["--bot", "first"], "choose games for --records, --moves and --pgn; add one"),
        (["--records", "r", "--lost"], "name it with --bot"),
        (["--moves", "-o", "m.csv"], "Invalid value for '--moves': expected a path, found '-o'"),
    ],
)
def test_what_cannot_be_exported(arena: Arena, played: Path, options: list[str], wanted: str) -> None:
    if any(option.endswith(".parquet") for option in options):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: the extra data is not installed")
    assert wanted in arena("export", played, *options, code=2).err
    assert os.listdir() == []


def test_verify_finds_what_was_changed_in_a_file(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt")
    lines = Path("r.txt").read_text().splitlines()
    lines[3] = lines[3].replace('"turns":', '"turns":1')
    lines[5] = lines[5].replace("; a ", "; b ") if "; a " in lines[5] else lines[5].replace("; b ", "; a ")
    lines[7] = lines[7].replace("@", "@9", 1)
    lines[9] = lines[9].replace('"deal":', '"deal":9')
    Path("r.txt").write_text("\n".join(lines))
    found = arena("verify", "r.txt", code=1)
    assert "4 of 30 games do not replay" in found.err
    assert "r.txt, line 4: turns: 1" in found.out
    assert "r.txt, line 6: record, result" in found.out
    assert "r.txt, line 8: record, move" in found.out
    assert "r.txt, line 10: deal: 9" in found.out


def test_a_game_that_does_not_replay_stops_the_moves(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt")
    lines = Path("r.txt").read_text().splitlines()
    lines[3] = lines[3].replace(",draw clan", ",draw clan,r1@1", 1)
    Path("r.txt").write_text("\n".join(lines))
    assert "/0 does not replay: record, move" in arena("export", "r.txt", "--moves", "m.csv", code=2).err
    assert os.listdir() == ["r.txt"]


def test_a_file_of_records_is_listed_like_a_run(arena: Arena, played: Path) -> None:
    arena("export", played, "--records", "r.txt")
    first, *games = arena("replay", "r.txt", "--limit", 3).out.splitlines()
    assert first == "r.txt holds 30 games. See one with: arena replay r.txt GAME"
    assert len(games) == 1 + 3 + 1
    Path("one.txt").write_text(Path("r.txt").read_text().splitlines()[0])
    assert arena("replay", "one.txt").out == arena("replay", "r.txt", 1).out


def test_a_file_that_holds_no_text_is_no_file_of_records(arena: Arena) -> None:
    Path("x.zip").write_bytes(b"PK\xff\x00")
    assert arena("standings", "x.zip", code=2).err == "Error: x.zip is no file of records: it is not text\n"


def test_a_reader_that_has_seen_enough(played: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m arena.cli.main export {played} --moves - | head -2; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("rules,deal_seed,pairing,")
    assert (done.stdout.splitlines()[-1], done.stderr) == ("141", "")


def test_a_report_opens_in_the_browser(arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    arena("report", played, "-o", "page.html", "--replays", 0, "--open")
    assert opened == [Path("page.html").resolve().as_uri()]
    assert "--open needs a file" in arena("report", played, "-o", "-", "--open", code=2).err
