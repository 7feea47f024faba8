"""What `arena serve` says when it cannot serve, and what a server tells a program with a wrong token."""

from __future__ import annotations

import http.server
import socket
import threading
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra web is not installed")

from arena.errors import ArenaError
from arena.web.backend import WebSettings
from arena.web.client import Server
from arena.web.public import write_site
from arena.web.serve import serve
from tests.league.leagues import league


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with league(tmp_path / "league") as found:
        return found.folder


def test_a_port_that_is_taken(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(ArenaError, match=r"in use\. Choose another"):
        serve(folder, "127.0.0.1", other.getsockname()[1], 0, [], WebSettings())


@pytest.mark.parametrize("host", ["192.0.2.1", "a..b"])
def test_an_address_that_is_not_ours(folder: Path, host: str) -> None:
    with pytest.raises(ArenaError, match=f"cannot listen on {host}, port 0: "):
        serve(folder, host, 0, 0, [], WebSettings())


def test_a_database_that_is_none(folder: Path) -> None:
    (folder / "web.sqlite").write_bytes(b"nonsense" * 1000)
    with pytest.raises(ArenaError, match="not a database"):
        serve(folder, "127.0.0.1", 0, 0, [], WebSettings())


def test_pages_need_a_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with league(tmp_path / "other") as found, pytest.raises(ArenaError, match="is a file"):
        write_site(found, tmp_path / "file")


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
