"""Bots and versions: what becomes of a submission, whose name is whose."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bundle import BundleFile
from arena.league import book, versions, views
from arena.league.league_settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission
from arena.league.versions import ACTIVE, PENDING, PLACING, REFUSED, REPLACED, Version
from tests.league.leagues import FIRST, LAST, MIDDLE, enter, submission


def send(found: League, name: str, source: str, **more: Any) -> book.Receipt:
    again = more.pop("again", False)
    return book.enqueue(found, submission(name, source, **more), again)


def put(found: League, one: Version, state: str) -> None:
    """Bring a version into a state, as its check and placement would."""
    if state == REFUSED:
        book.refuse(found, one, "it hums\nall day")
    else:
        book.accept(found, one)
        if state == ACTIVE:
            assert book.promote(found, one)


def test_a_new_bot(found: League) -> None:
    sent = send(found, "ann", FIRST, author="Ann")
    one = sent.version
    assert sent.outcome == "new"
    assert (one.name, one.author, one.number, one.state, one.label) == ("ann", "Ann", 1, PENDING, "ann v1")
    assert versions.files_of(found, one.id) == {"ann.py": BundleFile(FIRST.encode())}


def test_files_are_kept_once(found: League, tmp_path: Path) -> None:
    shared = BundleFile(bytes(1000), True)
    for name, source in (("ann", FIRST), ("bob", LAST)):
        files = {f"{name}.py": BundleFile(source.encode()), "lib/data.bin": shared}
        book.enqueue(found, Submission(name, None, f"{name}.py", files))
    assert found.value("SELECT count(*) FROM files") == 3
    assert views.fetch(found, versions.get(found, 2), tmp_path / "out") == [
        tmp_path / "out" / path for path in ("bob.py", "lib/data.bin")
    ]
    assert (tmp_path / "out" / "bob.py").read_text() == LAST
    assert os.access(tmp_path / "out" / "lib" / "data.bin", os.X_OK)
    assert not os.access(tmp_path / "out" / "bob.py", os.X_OK)


@pytest.mark.parametrize(
    ("state", "outcome", "then"),
    [
        (PENDING, "waiting", PENDING),
        (PLACING, "waiting", PLACING),
        (ACTIVE, "known", ACTIVE),
        (REFUSED, "refused", REFUSED),
    ],
)
def test_the_same_file_again(found: League, state: str, outcome: str, then: str) -> None:
    one = send(found, "ann", FIRST).version
    if state != PENDING:
        put(found, one, state)
    sent = send(found, "ann", FIRST)
    assert (sent.outcome, sent.version.id, sent.version.state) == (outcome, one.id, then)
    assert found.value("SELECT count(*) FROM versions") == 1


def test_a_new_version_replaces_the_old(found: League) -> None:
    one = send(found, "ann", FIRST).version
    put(found, one, ACTIVE)
    with pytest.raises(LeagueError, match="test already has this content, as ann v1"):
        send(found, "bob", FIRST)
    two = send(found, "ann", LAST).version
    assert (two.number, versions.get(found, one.id).state) == (2, ACTIVE)
    put(found, two, ACTIVE)
    assert [(v.number, v.state, v.reason) for v in versions.of_bot(found, "ann")] == [
        (1, REPLACED, "by v2"),
        (2, ACTIVE, ""),
    ]


def test_back_to_an_older_version(found: League) -> None:
    for source in (FIRST, LAST):
        put(found, send(found, "ann", source).version, ACTIVE)
    sent = send(found, "ann", FIRST)
    assert (sent.outcome, sent.version.state, sent.version.number) == ("back", PLACING, 1)
    put(found, sent.version, ACTIVE)
    assert [v.state for v in versions.of_bot(found, "ann")] == [ACTIVE, REPLACED]


def test_the_one_submitted_last_stays(found: League) -> None:
    """Also if it was placed first."""
    one = send(found, "ann", FIRST).version
    book.accept(found, one)
    put(found, send(found, "ann", LAST).version, ACTIVE)
    assert book.promote(found, one)
    assert [v.state for v in versions.of_bot(found, "ann")] == [REPLACED, ACTIVE]
    assert not book.promote(found, one)


@pytest.mark.parametrize("authors", [("Ann", "Bob"), ("Ann", None), (None, "Bob")])
def test_a_name_belongs_to_who_came_first(found: League, authors: tuple[str | None, str | None]) -> None:
    put(found, send(found, "ann", FIRST, author=authors[0]).version, ACTIVE)
    for source in (FIRST, LAST):
        with pytest.raises(LeagueError, match="the name 'ann' is taken"):
            send(found, "ann", source, author=authors[1])
    assert send(found, "ann", LAST, author=authors[0]).version.number == 2


def test_a_refused_bot_keeps_no_name(found: League) -> None:
    put(found, send(found, "ann", FIRST, author="Ann").version, REFUSED)
    assert send(found, "ann", LAST, author="Bob").version.author == "Bob"
    with pytest.raises(LeagueError, match="is taken"):
        send(found, "ann", MIDDLE, author="Ann")
    with pytest.raises(LeagueError, match="use that spelling"):  # deals follow from it
        send(found, "Ann", MIDDLE, author="Bob")


def test_refused_and_checked_again(found: League) -> None:
    one = send(found, "ann", FIRST).version
    put(found, one, REFUSED)
    assert versions.get(found, one.id).reason == "it hums\nall day"
    assert found.query("SELECT kind, note FROM events WHERE version = ?", one.id) == [("refused", "it hums")]
    sent = send(found, "ann", FIRST, again=True)
    assert (sent.outcome, sent.version.state, sent.version.reason) == ("new", PENDING, "")


def test_retired(found: League) -> None:
    enter(found, "ann")
    book.retire(found, "ann", "cheats")
    assert versions.in_state(found, ACTIVE) == []
    assert [v.retired_reason for v in versions.in_state(found, ACTIVE, retired=True)] == ["cheats"]
    for source in (f"# ann\n{FIRST}", LAST):
        with pytest.raises(LeagueError, match=r"'ann' was retired .* UTC: cheats.*--undo"):
            send(found, "ann", source)
    with pytest.raises(LeagueError, match="already"):
        book.retire(found, "ann")
    book.bring_back(found, "ann")
    assert [v.name for v in versions.in_state(found, ACTIVE)] == ["ann"]
    with pytest.raises(LeagueError, match="not retired"):
        book.bring_back(found, "ann")


def test_unknown_bots(found: League) -> None:
    with pytest.raises(LeagueError, match=r"no bot 'ann' in test$"):
        versions.of_bot(found, "ann")
    enter(found, "ann", "bob")
    with pytest.raises(LeagueError, match=r"no bot 'anm' in test; did you mean 'ann'\?"):
        versions.of_bot(found, "anm")


def test_the_queue_is_worked_off_in_order(found: League) -> None:
    one, two = (send(found, name, f"# {name}\n{FIRST}").version for name in ("ann", "bob"))
    assert [version.id for version in versions.waiting(found)] == [one.id, two.id]
    put(found, one, REFUSED)
    send(found, "ann", f"# ann\n{FIRST}", again=True)  # waits from now on
    assert [version.id for version in versions.waiting(found)] == [two.id, one.id]
