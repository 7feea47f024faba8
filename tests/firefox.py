"""Firefox without a window, driven by WebDriver BiDi over a socket: Firefox itself is all it needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PATIENCE_S = 120.0


@dataclass
class Firefox:
    """A browser with one tab; each call waits for its answer. `errors` are what its console has shown."""

    socket: Any
    tab: str = ""
    calls: int = 0
    errors: list[str] = field(default_factory=list)

    def call(self, method: str, **parameters: Any) -> Any:
        """Return the result of a command of WebDriver BiDi."""
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] in ("warn", "error"):
                self.errors.append(answer["params"]["text"])
            if answer.get("id") == self.calls:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, url: str, width: int, height: int = 900) -> None:
        """Open a page in a window of this size."""
        self.call("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        text = f"Promise.resolve({expression}).then((found) => JSON.stringify(found ?? null))"
        answer = self.call("script.evaluate", expression=text, target={"context": self.tab}, awaitPromise=True)
        return json.loads(answer["result"]["value"])

    def click(self, x: float, y: float) -> None:
        """Click at a point of the page with the mouse."""
        steps = [
            {"type": "pointerMove", "x": int(x), "y": int(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def press(self, *keys: str) -> None:
        """Press keys together, such as Shift and Tab, and let go of them."""
        down = [{"type": "keyDown", "value": key} for key in keys]
        self._act({"type": "key", "id": "keys", "actions": [*down, *({**one, "type": "keyUp"} for one in down[::-1])]})

    def _act(self, source: dict[str, Any]) -> None:
        self.call("input.performActions", context=self.tab, actions=[source])


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start Firefox with a profile of its own, and end it and its processes whatever happens."""
    if FIREFOX is None:
        pytest.skip("Firefox is not installed")
    websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text('user_pref("ui.prefersReducedMotion", 1);\n')
        log = Path(profile, "log.txt")
        command = [FIREFOX, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile]
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, env={**os.environ, "HOME": profile}, start_new_session=True
            )
        try:
            end = time.monotonic() + PATIENCE_S
            while not (found := re.search(r"BiDi listening on (ws://\S+)\n", log.read_text(errors="replace"))):
                assert process.poll() is None, log.read_text(errors="replace")
                assert time.monotonic() < end, log.read_text(errors="replace")
                time.sleep(0.05)
            socket = websocket.create_connection(f"{found[1]}/session", timeout=PATIENCE_S, suppress_origin=True)
            browser = Firefox(socket)
            browser.call("session.new", capabilities={})
            browser.tab = browser.call("browsingContext.create", type="window")["context"]  # which has the focus
            browser.call("session.subscribe", events=["log.entryAdded"])
            yield browser
            browser.call("browser.close")
            process.wait(PATIENCE_S)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
