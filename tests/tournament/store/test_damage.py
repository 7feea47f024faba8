"""Databases that are not what was stored: `verify` notices, and every command answers with one sentence."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.results.run_data import read_run
from arena.tournament.games import CLOCKED, ROW_COLUMNS
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError
from tests.tournament.runner.runs import bot, games, play, settings
from tests.tournament.store.stored import change_database
from tools.fuzz_database import fuzz

_FOURTH = "WHERE id = (SELECT id FROM games ORDER BY id LIMIT 1 OFFSET 3)"
_UNSEEN = {"id", "hist_first", "hist_second", "record", "detail", "forfeit_by", "decisions_first", "decisions_second"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("run")
    play(folder, settings(bot("random", "ann"), bot("random", "bob"), games=10, format="match"))
    return (folder / DATABASE).read_bytes()


@pytest.fixture
def run(tmp_path: Path, played: bytes) -> Path:
    (tmp_path / DATABASE).write_bytes(played)
    return tmp_path


@pytest.mark.parametrize(
    "sql",
    [
        *(f"UPDATE games SET {name} = {name} + 1 {_FOURTH}" for name in ROW_COLUMNS if name not in CLOCKED | _UNSEEN),
        f"UPDATE games SET record = replace(record, ':1 ', ':2 ') {_FOURTH}",
        f"UPDATE games SET record = NULL {_FOURTH}",
        f"UPDATE games SET score = 'abc' {_FOURTH}",
        f"DELETE FROM games {_FOURTH}",
        "DELETE FROM pairings",
        "DELETE FROM bots WHERE bot = 1",
        "UPDATE meta SET value = '[' || value WHERE key = 'config'",
    ],
)
def test_verify_notices_a_change(run: Path, sql: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(run)]) == 0
    change_database(run / DATABASE, sql)
    assert main(["verify", str(run)]) == 1
    assert capsys.readouterr().out


def test_verify_notices_a_broken_page(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray((run / DATABASE).read_bytes())
    start = next(re.finditer(rb"schotten/1 ", data)).start() // 16384 * 16384
    data[start + 8 : start + 40] = bytes(32)  # where its rows begin
    (run / DATABASE).write_bytes(data)
    assert main(["verify", str(run)]) == 1
    assert " is damaged.\n" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed")
def test_the_documented_way_recovers_what_can_be_read(run: Path) -> None:
    play(run, settings(bot("random", "ann"), bot("random", "bob"), games=400, format="match"))
    whole = games(run)
    data = (run / DATABASE).read_bytes()
    page_of_games = data.rindex(b"schotten/1 ") // 16384 * 16384
    (run / DATABASE).write_bytes(data[:page_of_games] + bytes(16384) + data[page_of_games + 16384 :])
    assert main(["standings", str(run)]) == 2
    page = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "database.md").read_text()
    commands = page.partition("```bash\n")[2].partition("```")[0]
    subprocess.run(["sh", "-c", commands], cwd=run, check=True, capture_output=True)
    assert main(["verify", str(run)]) == 0
    assert 0 < len(games(run)) < len(whole)
    play(run, settings(bot("random", "ann"), bot("random", "bob"), games=400, format="match"))
    assert games(run) == whole
    assert main(["verify", str(run)]) == 0


@pytest.mark.parametrize("sql", ["score = 'abc'", "score = NULL", "ending = 99", "hist_first = x'27'", "us_first = -1"])
def test_what_no_game_can_have_is_one_error(run: Path, sql: str) -> None:
    change_database(run / DATABASE, f"UPDATE games SET {sql} {_FOURTH}")
    with Reader(run) as reader, pytest.raises(StoreError, match=r"sqlite is damaged: .*database\.md"):
        reader.columns()


@pytest.mark.parametrize("sql", ["bots SET name = 'mine' WHERE bot = 1", "meta SET value = '{}' WHERE key = 'config'"])
def test_settings_and_bots_that_do_not_fit_are_one_error(run: Path, sql: str) -> None:
    change_database(run / DATABASE, f"UPDATE {sql}")
    with pytest.raises(StoreError, match="damaged: its settings do not name the bots of its table"):
        read_run(run)
    assert main(["verify", str(run)]) == 1


@pytest.mark.process
@pytest.mark.slow
def test_no_damage_ends_in_a_traceback() -> None:
    lines: list[str] = []
    assert fuzz(["base"], 5, 4, lines.append) == 0, "\n".join(lines)
