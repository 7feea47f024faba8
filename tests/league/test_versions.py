"""Bots and versions: what becomes of a submission, whose name is whose, who works on what."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.league import pairings, versions
from arena.league.league_settings import LeagueError
from arena.league.match_runner import Lease, release_expired
from arena.league.store import League
from arena.league.submission import StoredFile, Submission
from arena.league.versions import ACTIVE, MAX_ATTEMPTS, PENDING, PLACING, REFUSED, REPLACED, Version
from tests.league.leagues import FIRST, LAST, MIDDLE, enter, submission


@pytest.fixture
def lease(found: League) -> Iterator[Lease]:
    with Lease(found) as made:
        yield made


def send(found: League, lease: Lease, name: str, source: str, **more: Any) -> versions.Receipt:
    again = more.pop("again", False)
    return versions.store_version(found, lease.number, submission(name, source, **more), again)


def put(found: League, one: Version, state: str) -> None:
    """Bring a version into a state, as its check and placement would."""
    if state == REFUSED:
        versions.refuse(found, one, "it hums\nall day")
    else:
        versions.accept(found, one)
        if state == ACTIVE:
            with found.change():
                assert versions.promote(found, one)


def test_a_new_bot(found: League, lease: Lease) -> None:
    sent = send(found, lease, "ann", FIRST, author="Ann")
    one = sent.version
    assert sent.outcome == "new"
    assert (one.name, one.author, one.number, one.state, one.label) == ("ann", "Ann", 1, PENDING, "ann v1")
    assert versions.files_of(found, one.id) == [StoredFile("ann.py", FIRST.encode())]


def test_files_are_kept_once(found: League, lease: Lease, tmp_path: Path) -> None:
    shared = StoredFile("lib/data.bin", bytes(1000), True)
    for name, source in (("ann", FIRST), ("bob", LAST)):
        files = (StoredFile(f"{name}.py", source.encode()), shared)
        versions.store_version(found, lease.number, Submission(name, None, f"{name}.py", files))
    assert found.value("SELECT count(*) FROM files") == 3
    versions.write_files(versions.files_of(found, 2), tmp_path / "out")
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
def test_the_same_file_again(found: League, lease: Lease, state: str, outcome: str, then: str) -> None:
    one = send(found, lease, "ann", FIRST).version
    if state != PENDING:
        put(found, one, state)
    sent = send(found, lease, "ann", FIRST)
    assert (sent.outcome, sent.version.id, sent.version.state) == (outcome, one.id, then)
    assert found.value("SELECT count(*) FROM versions") == 1


def test_a_new_version_replaces_the_old(found: League, lease: Lease) -> None:
    one = send(found, lease, "ann", FIRST).version
    put(found, one, ACTIVE)
    with pytest.raises(LeagueError, match="test already has this content, as ann v1"):
        send(found, lease, "bob", FIRST)
    two = send(found, lease, "ann", LAST).version
    assert (two.number, versions.get(found, one.id).state) == (2, ACTIVE)
    put(found, two, ACTIVE)
    assert [(v.number, v.state, v.reason) for v in versions.of_bot(found, "ann")] == [
        (1, REPLACED, "by v2"),
        (2, ACTIVE, ""),
    ]


def test_back_to_an_older_version(found: League, lease: Lease) -> None:
    one, two = (send(found, lease, "ann", source).version for source in (FIRST, LAST))
    for version in (one, two):
        put(found, version, ACTIVE)
    sent = send(found, lease, "ann", FIRST)
    assert (sent.outcome, sent.version.state, sent.version.number) == ("back", PLACING, 1)
    put(found, sent.version, ACTIVE)
    assert [v.state for v in versions.of_bot(found, "ann")] == [ACTIVE, REPLACED]


def test_the_one_submitted_last_stays(found: League, lease: Lease) -> None:
    """Also if it was placed first, by another process."""
    one, two = (send(found, lease, "ann", source).version for source in (FIRST, LAST))
    put(found, two, ACTIVE)
    put(found, one, ACTIVE)
    assert [v.state for v in versions.of_bot(found, "ann")] == [REPLACED, ACTIVE]
    with found.change():
        assert not versions.promote(found, one)


@pytest.mark.parametrize("authors", [("Ann", "Bob"), ("Ann", None), (None, "Bob")])
def test_a_name_belongs_to_who_came_first(found: League, lease: Lease, authors: tuple[str | None, str | None]) -> None:
    put(found, send(found, lease, "ann", FIRST, author=authors[0]).version, ACTIVE)
    for source in (FIRST, LAST):
        with pytest.raises(LeagueError, match="the name 'ann' is taken"):
            send(found, lease, "ann", source, author=authors[1])
    assert send(found, lease, "ann", LAST, author=authors[0]).version.number == 2


def test_names_differ_in_more_than_capitals(found: League, lease: Lease) -> None:
    put(found, send(found, lease, "ann", FIRST).version, ACTIVE)
    with pytest.raises(LeagueError, match="test has a bot 'ann'"):
        send(found, lease, "Ann", LAST)


def test_a_refused_bot_keeps_no_name(found: League, lease: Lease) -> None:
    put(found, send(found, lease, "ann", FIRST, author="Ann").version, REFUSED)
    assert send(found, lease, "ann", LAST, author="Bob").version.author == "Bob"
    with pytest.raises(LeagueError, match="is taken"):
        send(found, lease, "ann", MIDDLE, author="Ann")


def test_refused_and_checked_again(found: League, lease: Lease) -> None:
    one = send(found, lease, "ann", FIRST).version
    put(found, one, REFUSED)
    assert versions.get(found, one.id).reason == "it hums\nall day"
    assert found.query("SELECT kind, note FROM events WHERE version = ?", one.id) == [("refused", "it hums")]
    sent = send(found, lease, "ann", FIRST, again=True)
    assert (sent.outcome, sent.version.state, sent.version.reason) == ("new", PENDING, "")


def test_retired(found: League, lease: Lease) -> None:
    enter(found, "ann")
    with found.change():
        versions.retire(found, "ann", "cheats")
    assert versions.in_state(found, ACTIVE) == []
    assert [v.retired_reason for v in versions.in_state(found, ACTIVE, retired=True)] == ["cheats"]
    for source in (f"# ann\n{FIRST}", LAST):
        with pytest.raises(LeagueError, match=r"'ann' was retired .* UTC: cheats.*--undo"):
            send(found, lease, "ann", source)
    with pytest.raises(LeagueError, match="already"), found.change():
        versions.retire(found, "ann")
    with found.change():
        versions.retire(found, "ann", undo=True)
    assert [v.name for v in versions.in_state(found, ACTIVE)] == ["ann"]
    with pytest.raises(LeagueError, match="not retired"), found.change():
        versions.retire(found, "ann", undo=True)


def test_unknown_bots(found: League) -> None:
    with pytest.raises(LeagueError, match="nothing has been submitted yet"):
        versions.of_bot(found, "ann")
    enter(found, "ann", "bob")
    with pytest.raises(LeagueError, match=r"no bot 'anm' in test; did you mean 'ann'\? \(known bots: ann, bob\)"):
        versions.of_bot(found, "anm")


# ---------------------------------------------------------------- who works on what


def test_a_submission_is_in_one_hand(found: League, lease: Lease) -> None:
    one = send(found, lease, "ann", FIRST).version
    with Lease(found) as other:
        assert versions.claim(found, other.number) is None
        assert versions.claim(found, lease.number) is not None
        versions.release(found, one)
        assert versions.claim(found, other.number) == versions.get(found, one.id)
        assert versions.claim(found, lease.number) is None
    assert versions.claim(found, lease.number) is not None  # the other has let go of it


def expire(found: League, lease: Lease) -> None:
    """Let a lease expire, as that of a process that was killed does."""
    with found.change():
        found.run("UPDATE sessions SET lease = 1 WHERE session = ?", lease.number)


def playing(found: League, lease: Lease) -> Path:
    """Make the folder in which the bots of a lease play."""
    left = found.folder / ".playing" / f"{lease.number}-{pairings.new_lineup(found, lease.number)}"
    left.mkdir(parents=True)
    return left


def test_an_expired_lease_is_cleaned_up(found: League, lease: Lease) -> None:
    one = send(found, lease, "ann", FIRST).version
    left = playing(found, lease)
    expire(found, lease)
    assert release_expired(found) == 1
    assert found.query("SELECT holder FROM versions") == [(None,)]
    assert not left.parent.exists()
    assert release_expired(found) == 0
    with Lease(found) as other:
        assert versions.claim(found, other.number) == versions.get(found, one.id)


def test_a_lease_is_renewed(found: League, lease: Lease, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.match_runner.RENEW_S", 0.0)
    left = playing(found, lease)
    expire(found, lease)
    lease.beat()
    assert found.value("SELECT lease FROM sessions") > time.time() + 20
    assert release_expired(found) == 0
    assert left.exists()


def test_interruptions_are_no_failures(found: League, lease: Lease) -> None:
    one = send(found, lease, "ann", FIRST).version
    for _ in range(MAX_ATTEMPTS + 2):
        assert versions.claim(found, lease.number) is not None
        versions.release(found, one)
    assert versions.get(found, one.id).state == PENDING
