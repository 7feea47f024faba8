"""Attackers in other languages, which in the sandbox see the system's programs; how they may babble is tested in
tests/bots/isolation."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from arena.tournament.store.reader import Reader
from tests.attacks.runs import ATTACKS, LIMITS, SECRET, harmless, needs_sandbox, planted
from tests.tournament.runner.runs import play

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not os.access("/bin/sh", os.X_OK), reason="the attacker is a shell script"),
]


def details(folder: Path, what: str, isolation: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What became of the games of the shell script: details of its forfeits, empty for a game that it has played."""
    monkeypatch.setenv("ARENA_TOKEN", SECRET)
    (folder / "bot").mkdir()
    (folder / "secret.txt").write_text(SECRET)
    shutil.copy(ATTACKS / "looks_around.sh", folder / "bot")
    command = f"cmd:/bin/sh '{folder / 'bot' / 'looks_around.sh'}' {what}"
    bots = [harmless("ann"), {"spec": command, "name": "shell"}, harmless("bob")]
    data = {"name": "wire", "bots": bots, "games": 2, "seed": 11, "isolation": isolation}
    play(folder / "run", data, 1, limits=LIMITS)
    with Reader(folder / "run") as reader:
        forfeits = {entry.bot for entry in reader.forfeit_reasons()}
        assert forfeits <= {"shell"}
        rows = list(
            reader._db.execute(
                "SELECT g.detail FROM games g JOIN pairings p ON p.pairing = g.pairing"
                " JOIN bots a ON a.bot = p.a JOIN bots b ON b.bot = p.b WHERE 'shell' IN (a.name, b.name)"
            )
        )
    places = ["/", "/etc", "/usr", "/usr/bin", "/usr/local/bin", "/var/tmp", "/home", "/root", "/tmp", "/dev"]
    assert planted(folder, folder / "bot", *places) == []
    return [detail or "" for (detail,) in rows]


@pytest.mark.slow
@needs_sandbox
@pytest.mark.parametrize("what", ["reads", "writes"])
def test_the_sandbox_shows_a_shell_nothing_of_the_user(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Counter(details(tmp_path, what, "sandbox", monkeypatch)) == {"": 4}


@needs_sandbox
def test_the_sandbox_lets_a_shell_start_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = details(tmp_path, "forks", "sandbox", monkeypatch)
    assert len(found) == 4
    for detail in found:
        assert detail.startswith("in act: it ended itself with exit code")
        assert "fork" in detail


@pytest.mark.parametrize(("what", "reached"), [("reads", "read:/etc/passwd"), ("forks", "forked: yes")])
def test_without_it_the_shell_succeeds(
    what: str, reached: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for detail in details(tmp_path, what, "process", monkeypatch):
        assert reached in detail
        assert "is not a move" in detail
