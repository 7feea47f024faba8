"""The pages, and what is told of an upload."""

from __future__ import annotations

import html
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena import play_game
from arena.league.book import accept, promote, refuse
from arena.league.store import open_league
from arena.league.versions import get
from arena.league.views import trends
from arena.results.records import game_of
from arena.web import backend, members, play_pages, public
from arena.web.backend import WebSettings
from tests.league.leagues import enter, played
from tests.results.pages.conftest import Page
from tests.web.conftest import GOOD, Web, served_here

PUBLIC = ("/", "/live", "/history", "/rules", "/write", "/bots/one", "/sign-in")


def test_every_page_is_whole_and_its_links_lead_somewhere(web: Web) -> None:
    client = web.new()
    person = web.person("Ann", admin=True)
    person.upload()
    seen: set[str] = set()
    left = [*PUBLIC, "/me", "/admin"]
    while left:
        path = left.pop()
        if path in seen or path.startswith("/games"):  # these games have no records
            continue
        seen.add(path)
        answer = (person.client if path.startswith(("/me", "/admin", "/play")) else client).get(path)
        assert answer.status_code == 200, path
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        page = Page.of(answer.text)
        for tag, attributes in page.tags:
            target = attributes.get("href") or attributes.get("src")
            if tag in ("a", "link", "script") and target and not target.startswith("#"):
                left.append(str(answer.url.join(target).path))
    assert {"/learn", "/bots/two", "/static/web.css", "/me/bots/mine", "/me/versions/3"} <= seen


@pytest.mark.parametrize("path", ["/", "/static/web.css"])
def test_what_is_unchanged_is_not_sent_again(web: Web, path: str) -> None:
    client = web.new()
    first = client.get(path)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}'):  # proxies weaken tags, readers send several
        again = client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == first.headers["cache-control"]
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    assert client.head(path).status_code == 200


@pytest.mark.parametrize("path", ["/", "/static/web.css", "/play"])
def test_pages_and_files_are_sent_compressed(web: Web, path: str) -> None:
    client = web.new()
    packed, plain = (client.get(path, headers={"accept-encoding": way}) for way in ("gzip", "identity"))
    assert (packed.headers["content-encoding"], plain.headers.get("content-encoding")) == ("gzip", None)
    assert packed.headers["vary"].lower() == "accept-encoding"
    assert packed.text == plain.text  # the client unpacks it
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


def test_after_a_quiet_spell_the_first_request_shows_the_present(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """The API gave a table of 14 minutes ago."""
    monkeypatch.setattr(backend, "OUTDATED_S", 1.0)
    client, paths = web.new(), ("/", "/live", "/api/v1/standings")
    before = [client.get(path).text for path in paths]
    with open_league(web.folder) as league:
        one, two = (get(league, number) for number in (1, 2))
        played(league, [(one, two, [2, 2])])
    time.sleep(backend.FRESH_S + 4 * backend.POLL_S)
    for path, text in zip(paths, before):
        assert client.get(path).text != text, path


def test_an_upload_is_told_step_by_step(web: Web) -> None:
    ann = web.person("Ann")
    assert ann.upload() == "../me/versions/3"
    assert ann.upload("other.py", GOOD + "# other\n") == "../me/versions/4"
    assert "In the queue: 1 ahead" in ann.get("/me/versions/4")
    assert web.states() == {"one v1": "active", "two v1": "active", "mine v1": "pending", "other v1": "pending"}
    with open_league(web.folder) as league:
        refuse(league, get(league, 4), "it <b>cannot</b> play\n  line 2")
    assert "it &lt;b&gt;cannot&lt;/b&gt; play" in ann.get("/me/versions/4")
    assert ">refused: why</a>" in ann.get("/me")
    ann.post("/me/versions/4/again")
    assert web.states()["other v1"] == "pending"
    assert "mine" in ann.get("/me")


def test_what_is_not_taken_is_said_at_once(web: Web) -> None:
    broken = "import os\ndef act(view, moves:\n    pass\n"
    ann = web.person("Ann")
    wanted = f"Python 3.{sys.version_info.minor} cannot read mine.py: line 2: '(' was never closed"
    assert wanted in html.unescape(ann.upload(content=broken, status=400))
    assert wanted in html.unescape(ann.get("/me"))  # which lists what was not accepted
    assert {"/me", "/write"} <= links_of(ann.client.post("/me/upload", files={"file": ("mine.py", broken)}))
    taken = ann.upload("one.py", GOOD, status=400)
    assert "The name &#39;one&#39; is taken" in taken
    assert "--name" not in taken
    assert "choose a file" in ann.post("/me/upload", status=400).lower()
    head = {"authorization": f"Bearer {web.token('Bob')}"}
    answer = web.new().post("/api/v1/submissions", headers=head, files={"file": ("mine.py", broken)})
    assert (answer.status_code, answer.json()) == (400, {"error": wanted})
    assert [*web.states()] == ["one v1", "two v1"]


def links_of(answer: Any) -> set[str]:
    """The addresses to which the main part of a page leads."""
    main = answer.text.partition("<main")[2].partition("</main")[0]
    return {str(answer.url.join(target).path) for target in re.findall(r'href="([^"]*)"', main)}


@pytest.mark.parametrize(
    ("path", "status", "links"),
    [("/nothing/here", 404, {"/", "/play"}), ("/bots/nobody", 404, {"/", "/play"}), ("/admin", 401, {"/sign-in"})],
)
def test_a_page_of_an_error_leads_on(web: Web, path: str, status: int, links: set[str]) -> None:
    answer = web.new().get(path)
    assert answer.status_code == status
    assert links_of(answer) == links


def test_pages_show_versions_only_where_they_differ(web: Web) -> None:
    with open_league(web.folder) as league:
        assert "two v1" in public.open_site(league).single
        one = get(league, 1)
        enter(league, "one", source="# newer\n" + GOOD)
        site = public.open_site(league)
        assert (site.label("one v1"), site.label("one v2"), site.label("two v1")) == ("one v1", "one v2", "two")
        page = public.bot_page(site, "two")
        assert one.label in page
        assert "two v1" not in page.replace("two v1</summary>", "")


def test_programs_submit_with_a_token(web: Web) -> None:
    client, token = web.new(), web.token("Ann")
    head = {"authorization": f"Bearer {token}"}
    answer = client.post("/api/v1/submissions", headers=head, files={"file": ("mine.py", GOOD)})
    assert (answer.status_code, answer.json()["state"], answer.json()["ahead"]) == (202, "pending", 0)
    found = client.get("/api/v1/submissions/3", headers=head).json()
    assert (found["bot"], found["decided"], found["submitted"][-6:]) == ("mine", None, "+00:00")
    other = {"authorization": f"Bearer {web.token('Bob')}"}
    assert client.get("/api/v1/submissions/3", headers=other).status_code == 404
    assert client.get("/api/v1/submissions/3").json() == {
        "error": "a valid token is needed: Authorization: Bearer TOKEN"
    }


def test_the_rules_do_not_promise_what_the_server_does_not_hold(tmp_path: Path) -> None:
    """`arena serve --isolation process` of a league that was created with the sandbox."""
    with served_here(tmp_path / "league", WebSettings(level="process"), isolation="sandbox") as web:
        page = web.new().get("/rules").text
        assert "files or the network" not in page
        assert "bots in a process" in page
        assert "bots in a process" in web.new().get("/").text


def test_the_organiser_pauses_invites_and_retires(web: Web) -> None:
    boss = web.person("Boss", admin=True)
    boss.post("/admin", do="pause", reason="moving")
    web.renew()
    assert "moving" in web.new().get("/").text
    boss.post("/admin", do="resume")
    made = boss.post("/admin", status=200, do="invite", what="Cleo")
    token = re.search(r"sign-in#token=(arena_[\w-]+)<", made)
    assert token
    assert web.new().post("/sign-in", data={"token": token[1]}, follow_redirects=False).status_code == 303
    boss.post("/admin", do="revoke", what="Cleo")
    assert web.new().post("/sign-in", data={"token": token[1]}).status_code == 401
    boss.post("/admin", do="retire", what="one")
    assert "retired" in boss.get("/admin")
    boss.post("/admin", do="return", what="one")
    assert "brought back" in boss.get("/admin")


def test_pages_of_members_know_the_account(web: Web) -> None:
    boss = web.person("Boss", admin=True)
    boss.upload()
    for path in ("/me", "/me/versions/3", "/me/bots/mine", "/admin"):
        assert re.search(r'admin">Organise</a> <a href="[./]*me"[^>]*>Boss</a>', boss.get(path)), path
    assert re.findall(r">(Re[^>?]*\?)[^<]*<form", boss.get("/me/bots/mine")) == ["Retire mine?"]  # it asks first
    boss.post("/me/bots/mine/retire")
    assert "Yes, retire" not in boss.get("/me/bots/mine")
    answer = boss.client.get("/api/v1/me")
    assert (answer.json(), answer.headers["cache-control"]) == ({"author": "Boss", "admin": True}, "no-store")
    boss.post("/sign-out")
    assert boss.client.get("/api/v1/me").json() == {"author": None, "admin": False}


def test_a_class_is_invited_at_once(web: Web) -> None:
    boss = web.person("Boss", admin=True)
    web.token("Ann")
    names = f"Cleo\n\nAnn\nDora Ü.\nCleo \n{'x' * 200}\nann\n=Eve"
    page = Page.of(boss.post("/admin", status=200, do="invite", what=names))
    links = dict(page.tables[0][1:])
    assert [*links] == ["Cleo", "Dora Ü.", "=Eve"]
    for link in links.values():
        token = link.removeprefix("http://league.test/sign-in#token=")
        assert web.new().post("/sign-in", data={"token": token}, follow_redirects=False).status_code == 303
    faults = [line for line in page.text.splitlines() if line.startswith("Line ")]
    assert faults == [
        "Line 3: Ann already has an invitation; to make another, revoke it first.",
        "Line 5: Cleo is in the list twice; two people need two names.",
        "Line 6: an author's name is one line of printable text, at most 80 characters.",
        "Line 7: there is already an author 'Ann'; use that spelling.",
    ]
    assert boss.get("/admin").count("by Boss") == 3
    many = "\n".join(f"author {number}" for number in range(101))
    assert "100 authors can be invited at once, found 101" in boss.post("/admin", status=400, do="invite", what=many)


def test_links_lead_to_the_address_that_the_organiser_sees(web: Web) -> None:
    """The server is below a path of a proxy, which speaks HTTPS to browsers."""
    boss = web.person("Boss", admin=True)
    head = {"referer": "https://school.example/league/admin"}
    answer = boss.client.post("/admin", data={"do": "invite", "what": "Cleo"}, headers=head)
    assert "https://school.example/league/sign-in#token=arena_" in answer.text


def test_a_new_version_withdraws_the_pending_one_of_its_bot(web: Web) -> None:
    ann = web.person("Ann")
    for name in ("mine.py", "other.py", "mine.py"):
        ann.upload(name, f"{GOOD}# {len(web.states())}\n")
    states = web.states()
    assert [states[label] for label in ("mine v1", "mine v2", "other v1")] == ["refused", "pending", "pending"]
    assert "withdrawn: v2 was submitted" in ann.get("/me/versions/3")


def test_what_became_of_a_version_is_told_in_words(web: Web) -> None:
    ann = web.person("Ann")
    ann.upload()
    with open_league(web.folder) as league:
        one, mine = get(league, 1), get(league, 3)
        assert members.outcome_text(league, mine) == "waiting to be checked"
        accept(league, mine)
        played(league, [(one, mine, [2, 0, 0, 0, 1, 0])])
        promote(league, mine)
        assert re.fullmatch(r"placed 1st of 3, \+\d+", members.outcome_text(league, get(league, 3)))
    web.renew()
    assert re.search(r"placed 1st of 3, \+\d+", ann.get("/me"))
    assert len(set(re.findall(r"games/[\d-]+", ann.get("/me/versions/3")))) == 3  # lost 2 and 1 of two pairs


def test_the_latest_games_stand_beside_each_opponent(web: Web) -> None:
    page = web.new().get("/bots/one").text
    assert re.findall(r">([WLD])<span", page) == ["W", "W", "L", "L", "L", "W"]
    assert "scored 62%" in page


def test_a_trend_leaves_out_what_moves_all_bots(web: Web) -> None:
    with open_league(web.folder) as league:
        with league.change():
            league.run("DELETE FROM ratings")
            for event in (1, 2):
                league.run("INSERT OR IGNORE INTO events VALUES (?, 0, 'played', NULL, 0, 0, '')", event)
                for version in (1, 2):
                    elo = 100 * event + version
                    league.run("INSERT INTO ratings VALUES (?, ?, 1, ?, 5, 5, 1, 1, 0, 0)", event, version, elo)
        assert trends(league, 30) == {"one": [101, 101], "two": [102, 102]}


def test_a_game_can_be_read_without_scripts(web: Web) -> None:
    record = play_game("first", "first", seed=1).record
    with open_league(web.folder, write=False) as league:
        page = public.viewer_page(public.open_site(league), game_of(record), "1", "games/1")
    plain = page[page.index("<noscript>") : page.index("</noscript>")]
    assert "needs JavaScript" in plain
    assert record in html.unescape(plain)


def test_opponents_stand_from_easy_to_strong_with_what_one_scored(tmp_path: Path) -> None:
    with served_here(tmp_path / "league", WebSettings(level="none")) as web:
        with open_league(web.folder) as league:
            one, two = (get(league, number) for number in (1, 2))
            played(league, [(two, one, [2, 2, 2])])
            table = public.open_site(league).table
        web.renew()
        client = web.new()
        cards = re.findall(
            r'name="bot" value="(\w+)".*?of 5">.*?</span>(.*?)</button>', client.get("/play").text, re.DOTALL
        )
        assert [name for name, _ in cards] == [row.version.name for row in table.rows[::-1]]
        assert all("not met yet" in text for _, text in cards)
        weak, strong = (name for name, _ in cards)
        scores = f"key~{weak}:2-3~nobody:1-1~{strong}:0-4~<b>:1-1~{weak}:x"
        page = web.new().get("/play", headers={"cookie": f"arena-scores={scores}"}).text
        assert re.findall(r"you won \d of \d", page) == ["you won 2 of 3", "you won 0 of 4"]
        assert page.index("try next") > page.index(f'value="{strong}"')
        assert "<b>:" not in page


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ('"""Plays well.\n\nAnd more."""\n', "Plays well."),
        ("# mine\n\nr'''One thing\nand another. More'''\n", "One thing and another."),
        ('import os\n"""Not a docstring."""\n', ""),
        ('"""never closed\n' + "x" * 5000, ""),
        ('"<b>&"\n', "<b>&"),
    ],
)
def test_a_card_has_the_first_sentence_of_the_bot(web: Web, source: str, sentence: str) -> None:
    with open_league(web.folder) as league:
        (bot,) = enter(league, "mine", source=source + GOOD)
        assert play_pages.first_sentence(league, bot) == sentence
