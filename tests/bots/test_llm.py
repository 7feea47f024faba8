"""The example of a bot that asks a language model, against a server in the test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena import run_tournament

BOT = Path(__file__).parents[2] / "examples" / "wire" / "llm.py"
STONE = {"mine": ["r7"], "theirs": [], "owner": None, "modes": [], "capacity": 3, "completed_first": None}
ACT = {"type": "act", "id": 3, "phase": "play", "hand": ["r8", "b2"], "unseen": ["g1"], "stones": [STONE] * 9}
MOVES = ["r8@1", "b2@1", "pass"]

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


def decision(url: str) -> dict[str, Any]:
    """What the bot answers to one decision."""
    lines = [{"type": "hello", "id": 1}, {"type": "begin", "id": 2, "seed": 5}, ACT | {"moves": MOVES}]
    settings = {"BOT_LLM_URL": url, "BOT_LLM_KEY": "secret", "BOT_LLM_MODEL": "stub", "BOT_LLM_SECONDS": "20"}
    done = subprocess.run(
        [sys.executable, str(BOT)],
        input="".join(json.dumps(line) + "\n" for line in lines),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "secret" not in done.stdout + done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    return answers[2]


@pytest.mark.parametrize(
    ("replies", "move", "fallback"),
    [
        (["I place the red 8.\n\n**0**"], 0, 0),
        (["b2@1"], 1, 0),
        (["no idea", "Move 1."], 1, 0),
        (["7", "none of these"], None, 1),
        (["", ""], None, 1),
    ],
)
def test_replies_of_the_model(replies: list[str], move: int | None, fallback: int) -> None:
    script = iter(replies)
    with chat_server(lambda _: next(script)) as (url, requests):
        answer = decision(url)
    assert answer["note"] | {"seconds": 0} == {"tokens": 10 * len(replies), "seconds": 0, "fallback": fallback}
    assert answer["move"] == move if move is not None else MOVES[answer["move"]] != "pass"
    assert [request["path"] for request in requests] == ["/v1/chat/completions"] * len(replies)
    assert {request["authorization"] for request in requests} == {"Bearer secret"}
    question = requests[0]["messages"][-1]["content"]
    assert "1: r7 | -" in question
    assert "0: r8@1" in question


def test_without_a_server() -> None:
    answer = decision("http://127.0.0.1:1/v1")
    assert answer["note"]["fallback"] == 1
    assert MOVES[answer["move"]] != "pass"


@pytest.mark.process
def test_a_match(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings reach the bot, and a model that always takes the first move plays like `first`."""
    monkeypatch.chdir(tmp_path)
    with chat_server(lambda _: "0") as (url, requests):
        monkeypatch.setenv("BOT_LLM_URL", url)
        run = run_tournament(bots=[f"llm=cmd:{sys.executable} {BOT}", "first"], games=2, seed=1, workers=1, out="run")
    assert set(run.games["ending"]) <= {"five stones", "three adjacent"}
    assert len(requests) > 10
    log = Path("run", "run.log").read_text()
    tokens = [int(text) for text in re.findall(r"(\d+) tokens", log)]
    assert sum(tokens) == 10 * len(requests)
    assert len(tokens) == 2
