"""Whatever stands in a form, in a query, in a part of an address or in a body: no answer is a fault of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote_from_bytes, urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Route

from arena.league import book
from arena.league.store import open_league
from arena.league.versions import get
from arena.web import play_pages
from arena.web.web_games import PlayLimits
from tests.web.conftest import GOOD, Person, Web
from tests.web.test_playing import Play, threads

__all__ = ["threads"]
HOST = "http://league.test/"
SENT_BY_SCRIPTS = (  # and by programs: fields that stand in no form, with the fields that are sent with them
    ("/play", {"bot": "one"}),
    ("/play/games/KEY", {"number": "1", "move": "0"}),
    ("/play/games/KEY", {"again": "1"}),
    ("/api/v1/submissions", {"file": "", "name": "mine", "entry": "mine.py", "again": "true"}),
)
QUERIES_OF_SCRIPTS = {"after"}
VALUES = (
    *(b"", b" ", b"0", b"-1", b"1.5", b"1e9", b"NaN", b"9" * 18, b"9" * 20, b"9" * 5000, b"-" + b"9" * 5000),
    *("²".encode(), "٣".encode() * 9, b"\0", b"\xff\xfe", b"\xed\xb0\x80", b"a\r\nb: c", "\u202e\U0001f600".encode()),
    *(b"x" * 10_000, b"../../../etc/passwd", b"'\" OR 1=1 --", b"{{7*7}}%s%n", b'{"a": [1]}', b"one", b"*"),
)


@dataclass
class Forms(HTMLParser):
    """The forms of a page, each as its address and its fields with their values, and the page's links."""

    address: str
    found: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    select: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "form" and (has.get("method") or "").lower() == "post":
            self.found.append((urlsplit(urljoin(self.address, has["action"])).path, {}))
        elif tag in ("input", "select", "textarea", "button") and has.get("name"):
            self.select = str(has["name"])
            self.found[-1][1].setdefault(self.select, has.get("value") or "")
        elif tag == "option":
            fields = self.found[-1][1]
            fields[self.select] = fields[self.select] or has["value"] or ""
        elif tag == "a":
            self.links.add(urljoin(self.address, (has["href"] or "").partition("#")[0]))


def crawled(person: Person, *more: str) -> Iterator[Forms]:
    """Yield the forms of each page that a person reaches by links from the first page and `more`."""
    waiting = [urljoin(HOST, path) for path in ("/", *more)]
    seen = set(waiting)
    while waiting:
        address = waiting.pop()
        page = Forms(address)
        page.feed(person.client.get(address).text)
        yield page
        new = {link for link in page.links if link.startswith(HOST)} - seen
        seen |= new
        waiting += new


def bodies(fields: Mapping[str, str], changed: str, value: bytes | None) -> Iterator[tuple[str, bytes]]:
    """Yield a form, as browsers may encode it, with one field sent again with this value (None: without it)."""
    sent = [(name.encode(), text.encode()) for name, text in fields.items() if name != changed or value is not None]
    if value is not None:
        sent.append((changed.encode(), value))
    yield "application/x-www-form-urlencoded", b"&".join(b"%s=%s" % (a, quote_from_bytes(b).encode()) for a, b in sent)
    file = (value, value) if changed == "file" and value is not None else (b"mine.py", GOOD.encode())
    made = b""
    for name, content in sent:
        if name == b"file":
            name, content = b'file"; filename="' + file[0], file[1]
        made += b'--x\r\ncontent-disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name, content)
    yield "multipart/form-data; boundary=x", made + b"--x--\r\n"


@pytest.fixture
def play() -> PlayLimits:
    return PlayLimits(games=1)  # so that a finished game is not forgotten for a new one


@pytest.fixture
def budget() -> dict[str, int]:
    return {"uploads": 10**6}


@pytest.mark.usefixtures("threads")
def test_no_value_is_a_fault_of_ours(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every field of every form that links lead to, and what only scripts and programs send."""
    for wait in ("_MOVE_WAIT_S", "_POLL_WAIT_S"):
        monkeypatch.setattr(play_pages, wait, 0.0)
    boss, ann, guest = web.person("Boss", admin=True), web.person("Ann"), Person(web.new())
    for name in ("mine", "other"):
        ann.upload(f"{name}.py", f"# {name}\n{GOOD}")
    with open_league(web.folder) as league:
        book.refuse(league, get(league, 3), "its reason")
        book.retire(league, "two")
    web.renew()
    over = Play(boss)
    over.to_the_end()
    going = Play(ann)
    forms: dict[tuple[str, ...], tuple[Person, str, dict[str, str]]] = {}
    pages = [(person, page) for person in (guest, ann, boss) for page in crawled(person, over.path, going.path)]
    answer = Forms(urljoin(HOST, "admin"))
    answer.feed(boss.post("/admin", 200, do="invite", what="Cleo"))
    for person, page in [*pages, (boss, answer)]:
        for address, fields in page.found:
            forms.setdefault((address, fields.get("do", ""), *fields), (person, address, fields))
    names = {name for _, _, fields in forms.values() for name in fields}
    for address, fields in SENT_BY_SCRIPTS:
        forms[address, "script", *fields] = (ann, address.replace("KEY", going.path.rpartition("/")[2]), fields)
    assert names >= {"token", "bot", "claims", "do", "what", "reason", "file", "entry"}
    assert {key[1] for key in forms} >= {"invite", "pause", "retire", "return", "check", "revoke"}
    links = {link for _, page in pages for link in page.links}
    queries = {name for link in links for name, _ in parse_qsl(urlsplit(link).query)} | QUERIES_OF_SCRIPTS
    routes = [route for route in boss.client.app.routes if isinstance(route, Route)]  # type: ignore[attr-defined]
    routes = [route for route in routes if route.path != "/sign-out"]  # which has no fields
    token = {"authorization": f"Bearer {web.token('Ann')}"}

    def ask(person: Person, method: str, path: str, kind: str = "", body: bytes = b"") -> None:
        headers = token | ({"content-type": kind, "content-length": str(len(body))} if method == "POST" else {})
        answer = person.client.request(method, path, content=body, headers=headers, follow_redirects=False)
        assert answer.status_code < 500, (method, path[:200], body[:200])

    def check(value: bytes | None) -> None:
        for person, address, fields in forms.values():
            for name in fields:
                for kind, body in bodies(fields, name, value):
                    ask(person, "POST", address, kind, body)
        if value is None:
            return
        quoted = quote_from_bytes(value, safe="")
        for route in routes:
            path = re.sub(r"\{\w+(:\w+)?\}", quoted, route.path)
            if "POST" in (route.methods or ()):
                ask(boss, "POST", path, "application/json", value)
                ask(boss, "POST", path, "multipart/form-data; boundary=x", b"--x\r\n" + value)
            else:
                ask(boss, "GET", f"{path}?{'&'.join(f'{name}={quoted}&{name}={quoted}' for name in queries)}")
        for name in queries:
            ask(ann, "GET", f"{going.path}?{name}={quoted}")

    for value in (*VALUES, None):
        check(value)
    given(st.binary() | st.integers().map(lambda number: b"%d" % number))(settings(max_examples=5)(check))()
    assert ann.get(going.path)
    assert boss.get("/admin")
    assert boss.get(over.path)
