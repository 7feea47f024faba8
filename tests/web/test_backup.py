"""A league is copied while it is served and worked on, as docs/howto/deployment.md says, and goes on from the copy."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra web is not installed")

from arena.cli.main import main as arena
from arena.league import versions
from arena.league.store import open_league
from arena.league.submission import StoredFile, Submission
from arena.league.verification import league_faults, verified_games
from arena.web.client import Server
from tests.web.served import ROOT, served

pytestmark = [pytest.mark.slow, pytest.mark.process]


def command() -> str:
    """The program of the page, for those without sqlite3."""
    found = re.search(r'python3 -c "(.*)" FROM TO', (ROOT / "docs" / "howto" / "deployment.md").read_text())
    assert found
    return found[1]


def bot(number: int) -> Submission:
    text = f"# {number}\ndef act(view, moves):\n    return moves[{-number % 2}]\n"
    return Submission(f"bot{number}", None, "bot.py", (StoredFile("bot.py", text.encode()),))


def test_a_copy_is_whole_and_goes_on(tmp_path: Path) -> None:
    folder, copies = tmp_path / "league", tmp_path / "copies"
    copies.mkdir()
    small = " ".join(f"--set placement.{one}" for one in ("error=300", "most_games=6", "games=2", "sample=1"))
    assert arena([*f"league create open --isolation process {small} --out".split(), str(folder)]) == 0
    assert arena(["submit", "first", "--league", str(folder), "--workers", "1"]) == 0
    with served(folder, 1, "--isolation", "process") as server:
        ask = Server(server.url, server.token("Ann"))
        numbers = [int(ask.submit(bot(number))["id"]) for number in range(2)]
        while (told := ask.ask(f"submissions/{numbers[0]}"))["state"] == "pending" and not told["held"]:
            time.sleep(0.2)  # until it is worked on
        for name in ("web.sqlite", "league.sqlite"):
            subprocess.run([sys.executable, "-c", command(), str(folder / name), str(copies / name)], check=True)
        late = ask.submit(bot(9))
        server.kill()
    with open_league(copies, write=False) as league:
        assert not [*league_faults(league), *(fault for _, fault in verified_games(league) if fault)]
    for path in folder.glob("*.sqlite*"):
        path.unlink()
    for path in copies.glob("*.sqlite"):
        path.rename(folder / path.name)
    with served(folder, 1, "--isolation", "process") as server:
        ask = Server(server.url, ask._token)  # Ann's token is in the copy, too
        found = [ask.wait(ask.ask(f"submissions/{number}"), lambda told: None) for number in numbers]
        assert [one["state"] for one in found] == ["active", "active"]
        again = ask.submit(bot(9))  # what came after the copy is to be sent once more
        assert again["hash"] == late["hash"]
        assert ask.wait(again, lambda told: None)["state"] == "active"
    with open_league(folder, write=False) as league:
        assert not [*league_faults(league), *(fault for _, fault in verified_games(league) if fault)]
        assert len(versions.in_state(league, versions.ACTIVE)) == 4
