"""The example of a bot that asks a language model, against a server in the test."""

from __future__ import annotations

import json
import re
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena import run_tournament
from arena.errors import ArenaError

BOT = Path(__file__).parents[2] / "examples" / "wire" / "llm.py"

Answer = Callable[[dict[str, Any]], str]


@contextmanager
def chat_server(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A chat server on this machine: its address, and the requests that have come."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body | {"path": self.path, "authorization": self.headers["Authorization"]})
            reply = {"choices": [{"message": {"content": answer(body)}}], "usage": {"total_tokens": 10}}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(reply).encode())

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()


EXAMPLE = runpy.run_path(str(BOT))
chosen = EXAMPLE["chosen"]


@pytest.mark.parametrize(
    ("reply", "move"),
    [("I place the red 8.\n\n**0**", 0), ("b2@1", 1), ("Move 1.", 1), ("7", None), ("", None), ("9" * 5000, None)],
)
def test_replies_of_the_model(reply: str, move: int | None) -> None:
    assert chosen(reply, ["r8@1", "b2@1", "pass"]) == move


@pytest.mark.process
@pytest.mark.parametrize("reply", ["0", "none of these"])
def test_a_match(reply: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings reach the bot; without a move of the model it plays its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOT_LLM_KEY", "secret")
    with chat_server(lambda _: reply) as (url, requests):
        monkeypatch.setenv("BOT_LLM_URL", url)
        run = run_tournament(bots=[f"llm=cmd:{sys.executable} {BOT}", "first"], games=2, seed=1, workers=1, out="run")
    assert set(run.games["ending"]) <= {"five stones", "three adjacent"}
    log = Path("run", "run.log").read_text()
    assert "secret" not in log
    told = [*map(int, re.findall(r"(\d+) tokens, ", log))]
    assert len(told) == 2
    assert sum(told) == 10 * len(requests)
    assert run.forfeits["games"].tolist() == ([] if reply == "0" else [2])
    for reason in run.forfeits["reason"]:
        assert re.search(r": ([0-9]+) of \1 moves were random, not the model's$", reason)
    assert {request["path"] for request in requests} == {"/v1/chat/completions"}
    assert {request["authorization"] for request in requests} == {"Bearer secret"}
    question = requests[0]["messages"][-1]["content"]
    assert "1: - | " in question
    assert re.search(r"^0: \w+@1$", question, re.MULTILINE)


@pytest.mark.process
def test_without_a_server_no_game_begins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with chat_server(lambda _: "0") as (url, _):
        monkeypatch.setenv("BOT_LLM_URL", url)
    with pytest.raises(ArenaError, match=f"cannot be loaded: no chat server can be reached at {url}"):
        run_tournament(bots=[f"llm=cmd:{sys.executable} {BOT}", "first"], games=2, seed=1, workers=1, out="run")
