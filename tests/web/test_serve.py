"""What `arena serve` says when it cannot serve, and a league that is copied while it is served."""

from __future__ import annotations

import http.server
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra web is not installed")

from arena.bots.bundle import BundleFile
from arena.cli.main import main as arena
from arena.errors import ArenaError
from arena.league import versions
from arena.league.store import open_league
from arena.league.submission import Submission
from arena.league.verification import league_faults, verified_games
from arena.web.backend import WebSettings
from arena.web.client import Server
from arena.web.server import serve
from tests.bots.processes.waiting import wait_for
from tests.league.leagues import enter, league
from tests.web.served import ROOT, served


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with league(tmp_path / "league") as found:
        return found.folder


def test_a_port_that_is_taken(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(ArenaError, match=r"in use\. Choose another"):
        serve(folder, "127.0.0.1", other.getsockname()[1], None, WebSettings())


@pytest.mark.parametrize("host", ["192.0.2.1", "a..b"])
def test_an_address_that_is_not_ours(folder: Path, host: str) -> None:
    with pytest.raises(ArenaError, match=f"cannot listen on {host}, port 0: "):
        serve(folder, host, 0, None, WebSettings())


def test_a_database_that_is_none(folder: Path) -> None:
    (folder / "web.sqlite").write_bytes(b"nonsense" * 1000)
    with pytest.raises(ArenaError, match="not a database"):
        serve(folder, "127.0.0.1", 0, None, WebSettings())


@pytest.mark.slow
@pytest.mark.process
def test_a_terminated_server_ends_its_player(folder: Path) -> None:
    with served(folder, 1, "--isolation", "none") as server:
        assert server.process is not None
        assert wait_for(server.player_pids, 60.0)
        server.process.terminate()
        assert server.process.wait(60) == 0
        assert server.player_pids() == []


def test_a_wrong_token_in_words() -> None:
    class Refuses(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(401)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Refuses) as server:
        threading.Thread(target=server.handle_request).start()
        with pytest.raises(ArenaError, match="the token is not valid: it is misspelt"):
            Server(f"http://127.0.0.1:{server.server_port}", "x").ask("submissions/1")


# ---------------------------------------------------------------- copies of a league


def command() -> str:
    """The program of the page, for those without sqlite3."""
    found = re.search(r'python3 -c "(.*)" FROM TO', (ROOT / "docs" / "howto" / "deployment.md").read_text())
    assert found
    return found[1]


def bot(number: int) -> Submission:
    text = f"# {number}\ndef act(view, moves):\n    return moves[{-number % 2}]\n"
    return Submission(f"bot{number}", None, "bot.py", {"bot.py": BundleFile(text.encode())})


@pytest.mark.slow
@pytest.mark.process
def test_a_copy_is_whole_and_goes_on(tmp_path: Path) -> None:
    folder, copies = tmp_path / "league", tmp_path / "copies"
    copies.mkdir()
    small = " ".join(f"--set placement.{one}" for one in ("error=300", "most_games=6", "games=2", "sample=1"))
    assert arena([*f"league create open --set isolation=process {small} --out".split(), str(folder)]) == 0
    with open_league(folder) as found:
        enter(found, "first")
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
