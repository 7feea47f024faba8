"""Pages that are kept, and those that are not there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from arena.league import views
from arena.league.store import open_league
from arena.league.versions import retire
from arena.web.public import NoPage, page
from arena.web.reader import Reader
from tests.web.conftest import Web


def test_a_page_that_is_not_there_costs_no_new_table(web: Web) -> None:
    """Whoever asks for nonsense would have the league read anew and its ratings computed each time."""
    reader = Reader(web.folder)
    before = reader.run(lambda site: site)
    with pytest.raises(NoPage):
        reader.run(page, "bots/nobody")
    assert reader.run(lambda site: site) is before
    reader.close()


@pytest.mark.parametrize("path", ["nonsense", "me/x", "bots", "../league.sqlite", "index.html"])
def test_an_address_that_can_have_no_page_is_not_asked_for(path: str, tmp_path: Path) -> None:
    from arena.web.desk import Desk

    with pytest.raises(NoPage):
        asyncio.run(Desk(tmp_path, apart=False).page(path))


def test_a_page_is_sent_as_it_was_while_it_is_made_anew(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.desk.LEAST_S", 0.1)
    from arena.league.oversight.pause import pause

    client = web.new()
    before = client.get("/")
    with open_league(web.folder) as league:
        pause(league, "moving house")
    for _ in range(200):
        now = client.get("/")
        assert now.status_code == 200
        if "moving house" in now.text:
            break
        asyncio.run(asyncio.sleep(0.05))
    assert "moving house" in now.text
    assert now.headers["etag"] != before.headers["etag"]
    assert client.get("/", headers={"if-none-match": now.headers["etag"]}).content == b""
    assert client.head("/").status_code == 200
    assert now.headers["x-frame-options"] == "DENY"
    assert now.headers["cache-control"] == "no-cache"


def test_the_table_for_programs_is_made_once_and_again_after_changes(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.desk.LEAST_S", 0.1)
    made = []

    def counted(*args: Any) -> Any:
        made.append(args)
        return values(*args)

    values = views.standing_values
    monkeypatch.setattr(views, "standing_values", counted)
    client, path = web.new(), "/api/v1/standings"
    before = client.get(path)
    assert before.headers["content-type"] == "application/json"
    for _ in range(5):
        assert client.get(path).content == before.content
    assert client.get(path, headers={"if-none-match": before.headers["etag"]}).status_code == 304
    assert len(made) == 1
    with open_league(web.folder) as league, league.change():
        retire(league, "two")
    for _ in range(600):
        now = client.get(path)
        if len(now.json()["standings"]) == 1:
            break
        asyncio.run(asyncio.sleep(0.05))
    assert [line["bot"] for line in now.json()["standings"]] == ["one"]
    assert len(made) <= 3
