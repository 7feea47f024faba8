"""A served league without processes: uploads stay in the queue, where a test can inspect them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")

from starlette.testclient import TestClient

from arena.league.store import open_league
from arena.web.accounts import WebStore, invite
from arena.web.app import create_app
from arena.web.backend import WebSettings
from arena.web.web_games import PlayLimits
from tests.league.leagues import enter, league, played

GOOD = "def act(view, moves):\n    return moves[-1]\n"


@dataclass
class Person:
    """A visitor with a browser."""

    client: TestClient

    def get(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def post(self, path: str, status: int = 303, **values: str) -> str:
        answer = self.client.post(path, data=values or {"button": ""}, follow_redirects=False)
        assert answer.status_code == status, answer.text
        return answer.headers.get("location", answer.text)

    def upload(self, name: str = "mine.py", content: bytes | str = GOOD, status: int = 303, **values: str) -> str:
        """Upload a file; return the target of the redirect, or the text of a refusal."""
        answer = self.client.post("/me/upload", data=values, files={"file": (name, content)}, follow_redirects=False)
        assert answer.status_code == status, answer.text
        return answer.headers.get("location", answer.text)


@dataclass
class Web:
    """A served league in `folder`."""

    folder: Path
    new: Callable[[], TestClient]
    renew: Callable[[], None]  # show the current state of the league on the public pages

    def token(self, author: str, days: float = 1, admin: bool = False) -> str:
        with WebStore(self.folder) as store:
            return invite(store, author, days, admin)

    def person(self, author: str, admin: bool = False) -> Person:
        """Sign in an author."""
        client = self.new()
        answer = client.post("/sign-in", data={"token": self.token(author, admin=admin)}, follow_redirects=False)
        assert answer.status_code == 303
        return Person(client)

    def states(self) -> dict[str, str]:
        """Return the state of each version by its label."""
        from arena.league.versions import in_state

        with open_league(self.folder, write=False) as found:
            return {one.label: one.state for one in in_state(found, retired=True)}


@pytest.fixture
def budget() -> dict[str, int]:
    """The limits on authors that differ from the usual ones."""
    return {}


@pytest.fixture
def play() -> PlayLimits:
    return PlayLimits()


@pytest.fixture
def web(tmp_path: Path, budget: dict[str, int], play: PlayLimits) -> Iterator[Web]:
    with served_here(tmp_path / "league", WebSettings(play=play, level="none"), budget=budget) as found:
        yield found


@pytest.fixture
def sandboxed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """Create a league whose bots play visitors in the sandbox; return its name on the command line."""
    monkeypatch.chdir(tmp_path)
    with served_here(Path("league"), WebSettings(), clock={"move_ms": 2000}) as found:
        yield found


@contextmanager
def served_here(folder: Path, settings: WebSettings, **changed: Any) -> Iterator[Web]:
    """Serve the application with a league of two bots in this process."""
    with league(folder, **changed) as made:
        one, two = enter(made, "one", "two")
        played(made, [(one, two, [2, 1, 0, 2])])
    app = create_app(folder, settings)
    with TestClient(app, base_url="http://league.test") as first:

        def new() -> TestClient:
            client = TestClient(app, base_url="http://league.test")
            client.portal = first.portal  # one event loop for all
            return client

        def renew() -> None:
            assert first.portal is not None
            first.portal.call(app.state.backend._renew)
            app.state.backend._pages.clear()

        yield Web(folder, new, renew)
