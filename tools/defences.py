"""Every attack succeeds without its defence: `python -m tools.defences` (words: only those whose names have one).

Takes one defence after the other out of a copy of the program and runs the tests that are there for it: they must fail.
"""

# ruff: noqa: E501 (places of the program, as they stand there)
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("arena", "bots", "configs", "tests", "pyproject.toml")
SECURITY, UPLOADS = "tests/web/test_security.py", "tests/web/test_uploads.py"
CONNECTIONS = "tests/web/test_connection.py"
PLAYING = "tests/web/test_playing.py"


@dataclass(frozen=True)
class Defence:
    """Edits (file below arena/, what stands there once, what in its place) that take a defence away; a test for it."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    test: str
    file: str = SECURITY


def one(name: str, file: str, old: str, new: str, test: str, tests: str = SECURITY) -> Defence:
    """A defence of one place."""
    return Defence(name, ((file, old, new),), test, tests)


_FORM = 'check_form(found, form.get("form"))'
_HEADER = "test_no_other_site_can_frame_a_page_or_run_a_script_in_it"
_OTHER_SITE = "test_a_request_of_another_site_does_nothing"
_ELSEWHERE = "test_a_form_from_elsewhere_does_nothing"
_ANOTHER = "test_one_author_at_anothers_bots"
_MARKUP = "test_texts_of_strangers_are_no_markup"
_OPENS = "test_a_token_that_is_guessed_revoked_or_expired_opens_nothing"
_COOKIE = "test_the_cookie_is_out_of_reach_of_scripts_and_other_sites"
_SAID = "test_what_a_bot_in_the_table_has_said_is_for_its_author"
_BODY = "test_a_large_body_is_not_read"
_RAISED, _GAME = "test_what_a_bot_has_raised_is_for_its_author", "test_a_whole_game_is_played_kept_and_seen"
_BOUNDED, _GUESTS = "test_tables_are_bounded", "test_guests_play_where_they_may_and_keep_nothing"

DEFENCES = (
    # signed out
    one(
        "a session is needed",
        "web/state.py",
        'raise HTTPException(401, "Sign in first.")',
        'found = Session(Account(1, "Ann", True), "")',
        "test_nobody_signed_out_changes_anything",
    ),
    one(
        "a token is needed",
        "web/state.py",
        'raise HTTPException(401, "a valid token is needed: Authorization: Bearer TOKEN", {"www-authenticate": "Bearer"})',
        'return Account(1, "Ann", False)',
        "test_nobody_signed_out_changes_anything",
    ),
    # requests from elsewhere
    *(
        one(f"forms of a session: {name}", file, f"{before}{_FORM}", f"{before}pass", _ELSEWHERE)
        for name, file, before in (
            ("upload", "web/members.py", "max_part_size=limits.mb << 20) as form:\n        "),
            ("admin", "web/admin.py", ""),
        )
    ),
    one(
        "forms of a session: all",
        "web/state.py",
        "if not isinstance(text, str) or not hmac.compare_digest(text.encode(), found.form.encode()):",
        "if False:",
        _ELSEWHERE,
    ),
    one("origin", "web/guard.py", 'return urlsplit(origin).netloc == headers.get("host")', "return True", _OTHER_SITE),
    one(
        "fetch metadata",
        "web/guard.py",
        'if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):',
        "if False:",
        _OTHER_SITE,
    ),
    # frames and scripts
    one("frames, old browsers", "web/guard.py", '"x-frame-options": "DENY",', "", _HEADER),
    one("frames", "web/guard.py", "; frame-ancestors 'none'", "", _HEADER),
    one("scripts from elsewhere", "web/guard.py", "default-src 'none'; ", "", _HEADER),
    one("scripts in pages", "web/guard.py", "script-src 'self'", "script-src 'self' 'unsafe-inline'", _HEADER),
    one("types are not guessed", "web/guard.py", '"x-content-type-options": "nosniff",', "", _HEADER),
    one("pages of an author are not kept", "web/guard.py", '"cache-control": "no-store",', "", _HEADER),
    one("addresses with tokens are not told", "web/guard.py", '"referrer-policy": "same-origin",', "", _HEADER),
    one("content types", "web/guard.py", "if kind not in FORMS:", "if False:", "test_only_forms_are_read"),
    one("methods", "web/guard.py", 'if method != "POST":', "if False:", "test_only_forms_are_read"),
    one("escaping", "web/render.py", "autoescape=True", "autoescape=False", _MARKUP),
    one(
        "control characters",
        "text.py",
        "def printable(",
        "def printable(text: str, keep: str = '', instead: str = '') -> str:\n    return text\n\n\ndef _printable(",
        _MARKUP,
    ),
    # one author at another's
    one("own versions", "web/members.py", "if account.admin or one.author == account.author:", "if True:", _ANOTHER),
    one(
        "own bots",
        "web/members.py",
        "if not found or not (account.admin or found[-1].author == account.author):",
        "if not found:",
        _ANOTHER,
    ),
    one("organisers", "web/state.py", "if not found.account.admin:", "if False:", _ANOTHER),
    one("names of bots", "league/versions.py", "if submission.author == author:", "if True:", _ANOTHER),
    Defence(
        "what was noticed",
        (
            ("web/public.py", 'if line["kind"] != events.NOTICED', ""),
            ("web/public.py", "(events.REFUSED, events.NOTICED)", "(events.REFUSED,)"),
        ),
        _SAID,
    ),
    one(
        "reasons of refused ones",
        "web/public.py",
        '"" if line["kind"] in (events.REFUSED, events.NOTICED) else line["note"]',
        'line["note"]',
        "test_reasons_and_tracebacks_are_for_their_author",
    ),
    one("tracebacks on public pages", "web/public.py", '{"last": fault["last"] if private else ""}', "{}", _SAID),
    one(
        "reasons of versions",
        "web/public.py",
        '"" if key in hidden and line["state"] == "refused" else value',
        "value",
        _SAID,
    ),
    one("what bots said in public games", "web/public.py", "replace(game, detail=None)", "game", _SAID),
    # tokens and sessions
    one(
        "guesses are counted: pages",
        "web/members.py",
        "if state.attempts.blocked(address(request)):",
        "if False:",
        "test_whoever_guesses_is_not_listened_to",
    ),
    one(
        "guesses are counted: programs",
        "web/state.py",
        "if state.attempts.blocked(address(request)):",
        "if False:",
        "test_whoever_guesses_is_not_listened_to",
    ),
    one(
        "guesses of programs count",
        "web/state.py",
        "        if token:\n            failed(request)\n",
        "",
        "test_programs_that_guess_are_counted",
    ),
    one(
        "guesses are forgotten",
        "web/guard.py",
        "while times and times[0] < self._now() - self._window_s:",
        "while False:",
        "test_guessing_is_forgotten_after_a_while",
    ),
    one(
        "length of tokens",
        "web/accounts.py",
        "PREFIX + secrets.token_urlsafe(32)",
        "PREFIX + secrets.token_urlsafe(4)",
        "test_tokens_and_sessions_cannot_be_guessed",
    ),
    one(
        "length of sessions",
        "web/accounts.py",
        "session = secrets.token_urlsafe(32)",
        "session = secrets.token_urlsafe(4)",
        "test_tokens_and_sessions_cannot_be_guessed",
    ),
    one(
        "a hash is stored",
        "web/accounts.py",
        'return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()',
        "return secret",
        "test_tokens_and_sessions_are_not_stored",
    ),
    one(
        "others cannot read the file",
        "web/store.py",
        "self.path.touch(mode=0o600)",
        "self.path.touch(mode=0o644)",
        "test_tokens_and_sessions_are_not_stored",
    ),
    one(
        "expiry of tokens",
        "web/accounts.py",
        "if revoked is not None or expires <= (time.time() if now is None else now):",
        "if revoked is not None:",
        _OPENS,
    ),
    one("revoked tokens", "web/accounts.py", "if revoked is not None or expires", "if expires", _OPENS),
    one(
        "sessions end with their token",
        "web/accounts.py",
        " AND t.expires > ? AND t.revoked IS NULL",
        " AND ? > 0",
        _OPENS,
    ),
    one(
        "sessions expire",
        "web/accounts.py",
        "s.hash = ? AND s.expires > ? AND",
        "s.hash = ? AND ? > 0 AND",
        "test_a_session_ends_by_itself",
    ),
    one(
        "a session is new",
        "web/members.py",
        "        secret = await state.desk.office(_begin, token.strip())",
        "        secret = await state.desk.office(_begin, token.strip())\n"
        "        if (old := request.cookies.get(state.cookie)) and secret:\n"
        "            await state.desk.office(lambda office: office.store.run(\n"
        '                "UPDATE sessions SET hash = ? WHERE hash = ?", accounts.fingerprint(old), accounts.fingerprint(secret)))\n'
        "            secret = old",
        "test_a_session_cannot_be_chosen_by_somebody_else",
    ),
    one("scripts cannot read the cookie", "web/members.py", "httponly=True, samesite", "samesite", _COOKIE),
    one(
        "the cookie stays on this site",
        "web/members.py",
        'httponly=True, samesite="lax"',
        'httponly=True, samesite="none"',
        _COOKIE,
    ),
    one(
        "the cookie travels encrypted",
        "web/members.py",
        "secure=state.settings.secure, httponly=True, samesite",
        "httponly=True, samesite",
        "test_behind_https_the_cookie_goes_no_other_way",
    ),
    one(
        "the cookie is of this host",
        "web/state.py",
        'return "__Host-arena" if self.settings.secure else "arena"',
        'return "arena"',
        "test_behind_https_the_cookie_goes_no_other_way",
    ),
    one(
        "signing out",
        "web/accounts.py",
        'store.run("DELETE FROM sessions WHERE hash = ?", fingerprint(session))',
        "pass",
        "test_signing_out_ends_the_session_on_the_server",
    ),
    one(
        "links change nothing",
        "web/members.py",
        '    return _shown(request, "sign_in.html", token=request.query',
        '    await state_of(request).desk.office(_begin, request.query_params.get("token", ""))\n'
        '    return _shown(request, "sign_in.html", token=request.query',
        "test_following_an_invitation_changes_nothing",
    ),
    one(
        "no tokens in the log",
        "web/guard.py",
        '"path": scope["path"][:200],',
        '"path": str(scope["query_string"]),',
        "test_the_log_has_no_tokens",
    ),
    # bodies
    one("declared sizes", "web/guard.py", "or int(length) > self._most(scope):", "or False:", _BODY),
    one(
        "counted sizes",
        "web/guard.py",
        "if left < 0:",
        "if False:",
        "test_a_body_that_does_not_say_its_size_is_counted",
    ),
    one("small where nothing is uploaded", "web/guard.py", 'if scope["path"] in UPLOADS else _SMALL', "", _BODY),
    one(
        "slow bodies",
        "web/guard.py",
        "asyncio.wait_for(receive(), max(end - time.monotonic(), 0.0))",
        "receive()",
        "test_a_slow_body_is_not_waited_for",
    ),
    one(
        "uploads in an hour",
        "web/queue.py",
        "if len(times) >= limits.uploads:",
        "if False:",
        "test_limits_of_an_author",
    ),
    one(
        "bots of an author",
        "web/queue.py",
        "if submission.name.lower() not in bots and len(bots) >= limits.bots:",
        "if False:",
        "test_an_author_has_so_many_bots",
    ),
    one(
        "a link as the database",
        "web/store.py",
        "if self.path.is_symlink() or (",
        "if (",
        "test_a_link_in_the_place_of_the_database_is_refused",
    ),
    one(
        "slow heads",
        "web/connection.py",
        "            else:\n                self._hurry()\n",
        "",
        "test_a_slow_second_request_is_not_waited_for",
        CONNECTIONS,
    ),
    one(
        "silence",
        "web/connection.py",
        "        super().connection_made(transport)\n        self._hurry()",
        "        super().connection_made(transport)",
        "test_whoever_says_nothing_is_not_waited_for",
        CONNECTIONS,
    ),
    one(
        "large heads",
        "web/connection.py",
        "if self._head > self.head_bytes:",
        "if False:",
        "test_a_head_has_an_end",
        CONNECTIONS,
    ),
    one(
        "bodies after the answer",
        "web/connection.py",
        "        if self._in_body:\n            self._hurry()",
        "",
        "test_the_rest_of_what_was_answered_is_not_waited_for",
        CONNECTIONS,
    ),
    # archives
    Defence(
        "paths",
        (
            (
                "league/submission.py",
                "def check_path(name: str) -> None:",
                "def check_path(name: str) -> None:\n    return\n\n\ndef _check_path(name: str) -> None:",
            ),
            ("league/versions.py", "if not (home / file.path).parent.resolve().is_relative_to(home):", "if False:"),
        ),
        "test_no_path_leads_out",
        UPLOADS,
    ),
    one(
        "links in zip",
        "web/uploads.py",
        "if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):",
        "if False:",
        "test_no_links_and_no_devices",
        UPLOADS,
    ),
    one("links in tar", "web/uploads.py", "if not one.isreg():", "if False:", "test_no_links_and_no_devices", UPLOADS),
    one(
        "bombs in zip",
        "web/uploads.py",
        "            with archive.open(one) as file:\n                data = file.read(left + 1)\n            left -= len(data)\n",
        "            with archive.open(one) as file:\n                data = file.read()\n",
        "test_bombs",
        UPLOADS,
    ),
    one(
        "bombs in tar",
        "web/uploads.py",
        "            data = file.read(left + 1)  # a sparse file says any size\n            left -= len(data)\n",
        "            data = file.read(left + 1)\n",
        "test_bombs",
        UPLOADS,
    ),
    one(
        "bombs in gzip",
        "web/uploads.py",
        "        if len(plain) > _TAR_BYTES:\n            raise _too_large()\n",
        "",
        "test_a_gzip_bomb",
        UPLOADS,
    ),
    one(
        "sparse files",
        "web/uploads.py",
        "data = file.read(left + 1)  # a sparse file says any size",
        "data = file.read(1 << 50)",
        "test_a_sparse_file_does_not_grow",
        UPLOADS,
    ),
    one(
        "entries of zip",
        "web/uploads.py",
        'if content.count(b"PK\\1\\2") > _ENTRIES:',
        "if False:",
        "test_too_many_files_are_counted_before_they_are_read",
        UPLOADS,
    ),
    one(
        "entries of tar",
        "web/uploads.py",
        "if number >= _ENTRIES:",
        "if False:",
        "test_too_many_files_are_counted_before_they_are_read",
        UPLOADS,
    ),
    one(
        "files",
        "web/uploads.py",
        "    if len(seen) > MOST_FILES:\n        raise _too_many()\n",
        "",
        "test_too_many_files_are_counted_before_they_are_read",
        UPLOADS,
    ),
    one(
        "ways of packing",
        "web/uploads.py",
        "if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):",
        "if False:",
        "test_nonsense_is_refused_in_words",
        UPLOADS,
    ),
    # games of people
    one(
        "guests only where they may",
        "web/playing/pages.py",
        "if not state.settings.play.guests:",
        "if False:",
        "test_nobody_signed_out_plays_by_default",
        PLAYING,
    ),
    one(
        "forms of games",
        "web/playing/pages.py",
        'check_form(who.session, form.get("form"))',
        "pass",
        "test_a_form_from_elsewhere_plays_nothing",
        PLAYING,
    ),
    one(
        "whose game it is",
        "web/playing/tables.py",
        "if found is not None and found.owner == owner else None",
        "",
        _GAME,
        PLAYING,
    ),
    one(
        "whose record is kept",
        "web/playing/kept.py",
        "kept_games WHERE account = ? ORDER",
        "kept_games WHERE ? > 0 ORDER",
        _GAME,
        PLAYING,
    ),
    one(
        "whose record is removed",
        "web/playing/kept.py",
        "game = ? AND account = ?",
        "game = ? AND ? > 0",
        _GAME,
        PLAYING,
    ),
    one("moves that come too late", "web/playing/tables.py", "table.number == number and ", "", _GAME, PLAYING),
    one(
        "the hidden hand",
        "web/playing/child.py",
        "news.scene(state), news",
        "replace(news.scene(state), hands=(state.hand_of(1 - news.seat), None)), news",
        "test_the_page_holds_no_secret",
        PLAYING,
    ),
    one(
        "what a bot has raised: records",
        "web/playing/child.py",
        "replace(result, detail=None), plain(",
        "result, plain(",
        _RAISED,
        PLAYING,
    ),
    one(
        "what a bot has raised: results",
        "web/playing/child.py",
        "end_text(session, reason=False)",
        "end_text(session)",
        _RAISED,
        PLAYING,
    ),
    one(
        "what a bot has raised: pages",
        "web/templates/table.html",
        "{% if table.reveals and game.detail %}",
        "{% if game.detail %}",
        _RAISED,
        PLAYING,
    ),
    one("games at a time", "web/playing/tables.py", "if len(going) >= self.limits.games or", "if", _BOUNDED, PLAYING),
    one(
        "games in an hour",
        "web/playing/tables.py",
        "if self._starts.blocked(_starter(owner, address)):",
        "if False:",
        _BOUNDED,
        PLAYING,
    ),
    one(
        "games of a person",
        "web/playing/tables.py",
        "if any(one.owner == owner for one in going):",
        "if False:",
        "test_giving_up_and_one_game_at_a_time",
        PLAYING,
    ),
    one(
        "games of an address",
        "web/playing/tables.py",
        "sum(one.address == address for one in guests) >= _PER_ADDRESS",
        "False",
        _GUESTS,
        PLAYING,
    ),
    one(
        "games in which nobody moves",
        "web/playing/tables.py",
        "if table.in_hand and time.monotonic()",
        "if False and time.monotonic()",
        "test_a_game_in_which_nobody_moves_ends",
        PLAYING,
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", default=[""])
    words = parser.parse_args().words
    held = []
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)
        for part in PARTS:
            (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, copy / part)
        asked = [defence for defence in DEFENCES if any(word in defence.name for word in words)]
        for defence in asked:
            fails = without(copy, defence)
            print(f"{'fails' if fails else 'PASSES'}  {defence.name}: {fails or defence.test}", flush=True)
            if not fails:
                held.append(defence.name)
    print(f"{len(asked)} defences; without {len(held)} of them nothing fails" + f": {', '.join(held)}" * bool(held))
    return 1 if held else 0


def without(copy: Path, defence: Defence) -> str:
    """How the test of a defence fails without it, "" if it does not."""
    before = {}
    for file, old, new in defence.edits:
        path = copy / "arena" / file
        text = path.read_text()
        before.setdefault(path, text)
        assert text.count(old) == 1, f"{file} has not once: {old}"
        path.write_text(text.replace(old, new))
    try:
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-m", "", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, f"{defence.file}::{defence.test}"], cwd=copy, capture_output=True, text=True, timeout=60
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        found = [line for line in done.stdout.splitlines() if line.startswith("E ")]
        return found[0][1:].strip()[:100] if done.returncode else ""
    except subprocess.TimeoutExpired:
        return "it does not end"
    finally:
        for path, text in before.items():
            path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
