"""Attacks, each of which succeeds without its defence."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from arena.cli.main import main
from arena.league.book import refuse
from arena.league.store import open_league
from arena.league.submission import Submission, read_upload
from arena.league.versions import get
from arena.web import accounts, members
from arena.web.accounts import WebStore
from tests.web.conftest import GOOD, Person, Web

CHANGES = ("/me/upload", "/me/versions/3/again", "/me/bots/mine/retire", "/admin", "/sign-out", "/api/v1/submissions")


def test_nobody_signed_out_changes_anything(web: Web) -> None:
    before = web.states()
    for path in CHANGES:
        answer = web.new().post(path, data={"do": "pause"}, files={"file": ("mine.py", GOOD)})
        assert answer.status_code == 401, path
        assert web.new().get(path).status_code in (401, 404, 405), path
    assert web.states() == before


def test_a_request_of_another_site_does_nothing(web: Web) -> None:
    """Cross-site request forgery: an old browser sends the cookie, too."""
    boss = web.person("Boss", admin=True)
    token = web.token("Ann")
    for name, value in (
        ("origin", "http://evil.test"),
        ("origin", "https://league.test"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ):
        for path in (*CHANGES[:-1], "/play"):
            sent = {"data": {"do": "pause"}, "files": {"file": ("mine.py", GOOD)}, "headers": {name: value}}
            assert boss.client.post(path, **sent).status_code == 403, (path, value)
        # nor does it sign in somebody else's browser as another author
        assert web.new().post("/sign-in", data={"token": token}, headers={name: value}).status_code == 403
    assert len(web.states()) == 2
    assert "paused" not in boss.get("/admin")


def test_no_other_site_can_frame_a_page_or_run_a_script_in_it(web: Web) -> None:
    ann = web.person("Ann")
    for path in ("/", "/me", "/nope", "/static/live.js", "/healthz", "/api/v1/standings", "/bots/one"):
        headers = ann.client.get(path).headers
        assert headers["x-frame-options"] == "DENY", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"  # the address of an invitation has a token
    assert ann.client.get("/me").headers["cache-control"] == "no-store"


def test_one_author_at_anothers_bots(web: Web) -> None:
    ann, bob = web.person("Ann"), web.person("Bob")
    ann.upload("mine.py")
    with open_league(web.folder) as league:
        refuse(league, get(league, 3), "the secret traceback")
    for path in ("/me/versions/3", "/me/bots/mine", "/me/bots/one", "/me/versions/1", "/me/versions/99"):
        assert bob.client.get(path).status_code == 404, path
    for path in ("/me/versions/3/again", "/me/bots/mine/retire", "/me/bots/one/retire"):
        bob.post(path, status=404)
    ann.upload("other.py", GOOD + "#")
    assert "is taken" in bob.upload("other.py", GOOD + "##", status=400)
    assert bob.client.get("/admin").status_code == 404
    bob.post("/admin", status=404, do="pause")
    assert web.states() == {"one v1": "active", "two v1": "active", "mine v1": "refused", "other v1": "pending"}


def _raises(view: object, moves: object) -> None:
    raise ValueError


def spoilt(web: Web, text: str) -> tuple[Person, str]:
    """Ann, whose bot in the table has raised `text` and, as version 2, refused with it; the game."""
    from arena import play_game
    from arena.league import fixtures
    from arena.league.book import accept, promote
    from tests.league.leagues import row

    ann = web.person("Ann")
    ann.upload("mine.py")
    with open_league(web.folder) as league:
        one, mine = get(league, 1), get(league, 3)
        accept(league, mine)
        promote(league, mine)
        [task] = fixtures.deal_units(league, [fixtures.Fixture(one, mine, 1)])
        record = play_game("first", _raises, deal=task.deal).record
        rows = [row(task, game, 2 - 2 * game, 1, 2 - game)._replace(record=record, detail=text) for game in (0, 1)]
        league.insert_games(rows)
    ann.upload("mine.py", GOOD + "# 2")
    with open_league(web.folder) as league:
        refuse(league, get(league, 4), text)
        web.renew()
        return ann, f"{task.pairing}-{task.deal}-0"


def test_what_a_bot_in_the_table_has_said_is_for_its_author(web: Web) -> None:
    ann, game = spoilt(web, "secret\n  secret")
    assert ann.get("/me/bots/mine").count("secret") >= 4
    anybody = web.new()
    listed = anybody.get("/bots/mine").text
    for other in (f"{game}%0a", f"{game}%20", f"0{game}", game.replace("-", "/")):  # a page has one address
        assert anybody.get(f"/games/{other}").status_code == 404, other
    for path in ("/", "/live", "/history", "/bots/mine", f"/games/{game}", "/api/v1/standings"):
        answer = anybody.get(path)
        assert answer.status_code == 200, path
        assert "secret" not in answer.text, path
    assert "forfeit (" in listed


def test_texts_of_strangers_are_no_markup(web: Web) -> None:
    script = "<script>alert(1)</script>"
    ann, game = spoilt(web, f"Error: </pre></script>{script}\x1b[31m\u202e")
    eve = web.person(f"Eve{script}")
    eve.upload("eve.py", GOOD + "##")
    with open_league(web.folder) as league:
        refuse(league, get(league, 5), f"{script}\x1b[31m\u202e")
    eve.upload(f"{script}.py", GOOD + "#", status=400)
    web.renew()
    boss = web.person("Boss", admin=True)
    pages = [eve.get(path) for path in ("/me", "/me/versions/5", "/me/bots/eve", "/history", "/live")]
    pages += [ann.get(path) for path in ("/me", "/me/bots/mine", "/bots/mine", f"/games/{game}")]
    pages += [boss.get("/admin"), *(eve.client.get(f"{path}{script}").text for path in ("/bots/", "/games/"))]
    for page in pages:
        assert "<script>alert" not in page
        assert "\x1b" not in page
        assert "\u202e" not in page


# ---------------------------------------------------------------- signing in


def test_a_token_that_is_guessed_revoked_or_expired_opens_nothing(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    token = web.token("Ann")
    for wrong in (token[:-1], token + "x", token.upper(), "", "arena_", "%", "' OR 1=1 --", "x" * 5000, "\udc00"):
        with WebStore(web.folder) as store:
            assert accounts.account_of(store, wrong) is None
    with WebStore(web.folder) as store:
        assert accounts.account_of(store, token) is not None
        session = accounts.sign_in(store, token)
        assert session is not None
        year, now = accounts.sign_in(store, web.token("Bob", days=365)) or "", time.time()
        for later, ended in ((accounts.SESSION_S - 60, False), (accounts.SESSION_S + 60, True)):
            with monkeypatch.context() as patch:
                patch.setattr(accounts.time, "time", lambda later=later: now + later)
                assert accounts.account_of(store, token) is None
                assert accounts.session_of(store, session) is None  # it ends with its token
                assert (accounts.session_of(store, year) is None) == ended
        accounts.revoke(store, "Ann")
        assert accounts.account_of(store, token) is None
        assert accounts.session_of(store, session) is None


def test_wrong_tokens_lock_nobody_out(web: Web) -> None:
    client, token = web.new(), web.token("Ann")
    assert {client.post("/sign-in", data={"token": f"arena_{n}"}).status_code for n in range(15)} == {401}
    assert client.post("/sign-in", data={"token": token}, follow_redirects=False).status_code == 303


def test_a_session_is_neither_chosen_nor_stored_nor_kept(web: Web) -> None:
    """Session fixation: the cookie that was there before is worth nothing after."""
    client = web.new()
    client.cookies.set("arena", "chosen-by-eve")
    client.post("/sign-in", data={"token": web.token("Ann")}, follow_redirects=False)
    eve = web.new()
    eve.cookies.set("arena", "chosen-by-eve")
    assert eve.get("/me", follow_redirects=False).status_code == 303
    ann = web.person("Ann")
    session = ann.client.cookies["arena"]
    assert session != web.person("Ann").client.cookies["arena"]
    assert len(session) >= 43  # 256 bits
    stored = b"".join(path.read_bytes() for path in web.folder.glob("*.sqlite*"))
    assert session.encode() not in stored
    assert web.token("Ann").encode() not in stored
    assert [path for path in web.folder.glob("*.sqlite*") if path.stat().st_mode & 0o077] == []
    ann.post("/sign-out")
    eve.cookies.set("arena", session)  # stolen, but ended on the server
    assert eve.get("/me", follow_redirects=False).headers["location"] == "sign-in"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(web: Web) -> None:
    from starlette.testclient import TestClient

    from arena.web.app import create_app
    from arena.web.backend import WebSettings

    with TestClient(create_app(web.folder, WebSettings(secure=True)), base_url="https://x.test") as client:
        answer = client.post("/sign-in", data={"token": web.token("Ann")}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].lower()
        assert cookie.startswith("__host-arena=")
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "; secure" in cookie
        assert "; path=/" in cookie
        assert "domain=" not in cookie
        assert "max-age" in answer.headers["strict-transport-security"]
        for origin, status in (("http://x.test", 403), ("https://x.test", 401)):
            assert client.post("/sign-in", data={"token": "x"}, headers={"origin": origin}).status_code == status
        assert client.get("/me", follow_redirects=False).status_code == 200


def test_a_token_has_ten_sessions(web: Web) -> None:
    """Whoever has a token does not fill the disk with it; the newest sessions last."""
    with WebStore(web.folder) as store:
        token = web.token("Ann")
        sessions = [accounts.sign_in(store, token) or "" for _ in range(12)]
        other = accounts.sign_in(store, web.token("Ann")) or ""
        assert [accounts.session_of(store, one) is not None for one in (*sessions, other)] == [False] * 2 + [True] * 11


def test_an_invitation_keeps_its_token_from_the_server(web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    """Browsers do not send what follows #, so it is in no log of a proxy."""
    assert main(["league", "people", str(web.folder), "--invite", "Ann", "--url", "https://league.test/"]) == 0
    token, link = capsys.readouterr().out.split()
    assert link == f"https://league.test/sign-in#token={token}"


# ---------------------------------------------------------------- bodies and limits


def test_a_large_body_is_not_read(web: Web) -> None:
    ann = web.person("Ann")
    kind = {"content-type": "multipart/form-data; boundary=b"}
    for path, headers, status in (
        ("/me/upload", {"content-length": "9" * 30}, 413),
        ("/me/upload", {"content-length": str((8 << 20) + 70_000)}, 413),
        ("/admin", {"content-length": "70000"}, 413),
        ("/me/upload", {"transfer-encoding": "chunked"}, 411),
        ("/me/upload", {"transfer-encoding": "chunked", "content-length": "5"}, 411),
    ):
        assert ann.client.post(path, content=iter([b""]), headers=kind | headers).status_code == status, headers
    assert len(web.states()) == 2
    answer = ann.client.post(
        "/api/v1/submissions", content=iter([b""]), headers=kind | {"content-length": str((8 << 20) + 70_000)}
    )
    assert (answer.status_code, answer.json()) == (413, {"error": "that is too large: at most 8 MiB"})


@pytest.mark.parametrize("method", ["OPTIONS", "DELETE", "PUT", "PATCH"])
def test_other_methods_are_not_possible(web: Web, method: str) -> None:
    for path in ("/", "/me/upload", "/api/v1/submissions"):
        assert web.person("Ann").client.request(method, path).status_code == 405


NONSENSE = (
    ("POST", "/sign-in", {"origin": "http://[::1"}, 403),
    ("POST", "/sign-in", {"content-type": "multipart/form-data; boundary=b; charset=punycode"}, 415),
    ("GET", "/me/versions/9223372036854775808", {}, 404),
    ("GET", f"/games/{'9' * 5000}-1-0", {}, 404),
    ("GET", "/games/1-1-0-0", {}, 404),
    ("GET", "/me%0a", {}, 404),
    ("GET", "/", {"x": "a" * (64 << 10)}, 431),
)


def test_nonsense_gets_an_answer(web: Web) -> None:
    ann = web.person("Ann")
    form = b'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\nx\r\n--b--\r\n'
    for method, path, headers, status in NONSENSE:
        body = form if method == "POST" else None
        kind = {"content-type": "multipart/form-data; boundary=b"} if body else {}
        assert ann.client.request(method, path, content=body, headers=kind | headers).status_code == status, path


def test_a_form_that_is_broken_off_is_not_an_error(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    """Its traceback would be 3 kB of log for everybody who wants to fill the disk."""
    client, kind = web.new(), "application/x-www-form-urlencoded"
    gone = [{"type": "http.request", "body": b"token=", "more_body": True}, {"type": "http.disconnect"}]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/sign-in",
        "raw_path": b"/sign-in",
        "query_string": b"",
        "scheme": "http",
        "headers": [(b"content-type", kind.encode()), (b"content-length", b"60000")],
    }

    async def receive() -> dict[str, Any]:
        return gone.pop(0)

    async def send(message: dict[str, Any]) -> None:
        pass

    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)  # raises nothing
    assert not gone
    assert not caplog.records


def test_archives_are_read_one_at_a_time(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is unpacked in memory, and the limit on uploads is checked before."""
    ann, reading, most = web.person("Ann"), [], 0

    def read(*args: Any) -> Submission:
        nonlocal most
        reading.append(1)
        most = max(most, len(reading))
        time.sleep(0.05)
        reading.pop()
        return read_upload(*args)

    monkeypatch.setattr(members, "read_upload", read)
    with ThreadPoolExecutor(4) as threads:
        sent = [threads.submit(ann.upload, "mine.py", f"{GOOD}# {number}", 303) for number in range(4)]
    assert [one.result() for one in sent]
    assert most == 1


@pytest.mark.parametrize("budget", [{"uploads": 3, "bots": 1}])
def test_limits_of_an_author(web: Web, budget: dict[str, int]) -> None:
    ann = web.person("Ann")
    assert "<h1>Too large</h1>" in ann.upload("large.py", b"#" * ((8 << 20) + 70_000), status=413)
    ann.upload("mine.py")
    assert "cannot be read" in ann.upload("mine.zip", b"PK\3\4nonsense", status=400)
    assert "already has 1 of 1 bots in the league" in ann.upload("more.py", GOOD + "#", status=400)
    assert "3 of 3 uploads per hour" in ann.upload("other.py", GOOD + "#", status=400)
    bob = web.person("Bob")  # others are not held up
    bob.upload("bobs.py", GOOD + "##")
