"""Programs at a server: `arena submit --server`; pages as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.league.book import refuse
from arena.league.store import open_league
from arena.league.versions import get
from arena.web import client
from arena.web.client import Server, ServerError
from tests.web.conftest import GOOD, Web

GOOD_ANSWER = {
    "id": 3,
    "bot": "mine",
    "version": 1,
    "state": "pending",
    "held": False,
    "reason": "",
    "waits": "",
    "outcome": "",
}


@pytest.fixture
def asked(web: Web, monkeypatch: pytest.MonkeyPatch) -> Web:
    """Servers are asked without a network."""

    def ask(server: Server, path: str, body: bytes | None = None, kind: str = "") -> dict[str, Any]:
        head = {"authorization": f"Bearer {server._token}", "content-type": kind}
        url = f"/api/v1/{path}"
        answer = web.new().get(url, headers=head) if body is None else web.new().post(url, content=body, headers=head)
        if answer.status_code >= 400:
            raise ServerError(answer.json()["error"], answer.status_code)
        found: dict[str, Any] = answer.json()
        return found

    monkeypatch.setattr(Server, "ask", ask)
    return web


def decided(web: Web, number: int, reason: str) -> Callable[[float], None]:
    def pause(seconds: float) -> None:
        with open_league(web.folder) as league:
            refuse(league, get(league, number), reason)

    return pause


def test_a_bot_is_submitted_and_waited_for(
    asked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(GOOD)
    monkeypatch.setattr(Server.wait, "__defaults__", (decided(asked, 3, "no idea\n  line 2"),))
    command = ["submit", str(tmp_path / "mine.py"), "--server", "http://league.test"]
    monkeypatch.setenv("ARENA_TOKEN", asked.token("Ann"))
    assert main(command) == 1
    err = capsys.readouterr().err
    assert "is not encrypted" in err
    assert "mine v1: waiting: 0 ahead" in err
    assert "mine v1 is refused: no idea\n" in err
    monkeypatch.setenv("ARENA_TOKEN", "wrong")
    assert main(command) == 2
    assert "a valid token is needed" in capsys.readouterr().err


def test_a_folder_travels_whole(asked: Web, tmp_path: Path) -> None:
    from arena.league.submission import packed, read_submission, read_upload

    (tmp_path / "more").mkdir()
    (tmp_path / "bot.py").write_text(GOOD)
    (tmp_path / "more" / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "more" / "run.sh").chmod(0o755)
    what = read_submission("mine=bot.py:depth=2", tmp_path, "Ann")
    assert read_upload("mine.zip", packed(what), "Ann", what.name, what.entry) == what
    assert Server("http://x", asked.token("Ann")).submit(what)["hash"] == what.hash


def test_a_server_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServerError, match="cannot be reached"):
        Server("http://127.0.0.1:1").ask("standings")
    server = Server("http://x")
    for text in (b"", b"<html>", b"[]", b"[" * 100_000, b"\xff"):
        with pytest.raises(ServerError, match="does not answer like the server"):
            server._read(text)
    assert client._NoRedirect().redirect_request() is None  # a token follows no redirection


def test_a_malformed_answer_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(GOOD)
    monkeypatch.setenv("ARENA_TOKEN", "x")
    strange = ({"id": "1/../../x"}, {"state": ["pending"]}, {"version": None})
    for answer in ({}, {"id": 1}, *(GOOD_ANSWER | one for one in strange)):
        monkeypatch.setattr(Server, "ask", lambda self, *args, answer=answer: answer)
        assert main(["submit", str(tmp_path / "mine.py"), "--server", "http://localhost"]) == 2
        assert "does not answer like the server of a league" in capsys.readouterr().err


def test_texts_of_a_server_do_not_reach_the_terminal_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(GOOD)
    monkeypatch.setenv("ARENA_TOKEN", "x")
    evil = "\x1b[2J\u202e\r"
    told = GOOD_ANSWER | {"bot": evil, "state": "refused", "reason": evil}
    monkeypatch.setattr(Server, "ask", lambda self, path, *args: told)
    assert main(["submit", str(tmp_path / "mine.py"), "--server", "http://localhost"]) == 1
    out = "".join(capsys.readouterr())
    assert "?[2J" in out
    assert not {"\x1b", "\u202e", "\r"} & {*out}
