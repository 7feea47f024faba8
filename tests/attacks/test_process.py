"""Attackers at the level `process`: crash, memory, time, protocol, cards out of reach, nothing left running.

Files, network and processes of the user are not protected there; that the same attackers succeed in what only the
sandbox refuses is tested, too: an attack that cannot succeed would prove nothing.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bots.processes import is_running
from tests.attacks.runs import SECRET, Attack, Outcome, attack, planted, tournament
from tests.bots.processes.waiting import wait_for

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

LEAVES = [attack("leaves_grandchild", pids="{folder}/pids", how=how) for how in ("plain", "pipes", "family", "later")]
PROMISED = [
    *LEAVES,
    attack("peeks_objects"),
    attack("peeks_memory"),
    attack("peeks_descriptors"),
    attack("ships_modules"),
    attack("hooks_everything"),
    attack("forges_frames", "protocol", "is no answer", how="garbage"),
    attack("forges_frames", "protocol", "more than was asked for|was not asked", how="twice"),
    attack("forges_frames", "protocol", "is no answer", how="sends_a_pickle", path="{folder}/planted_by_attack"),
    attack("ignores_signals", "timeout", "in act: no answer within"),
]
#: What the level does not promise to refuse, and what the attackers say when nobody does.
UNPROTECTED = [
    attack("reads_files", "exception", r"secret read: .*/secret\.txt, ", places="{folder}/secret.txt"),
    attack("writes_files", "exception", "not stopped: write in", places="{folder}/open", everywhere=False),
    attack("opens_sockets", "exception", "not stopped: a socket for TCP, .*a server", far=False),
    attack("starts_processes", "exception", "not stopped: fork, .*posix_spawn, system, run, process"),
]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Outcome]]:
    """Plays attackers when they are first asked for."""
    played: dict[str, Outcome] = {}

    def of(attacks: list[Attack]) -> Outcome:
        key = " ".join(one.name for one in attacks)
        if key not in played:
            folder = tmp_path_factory.mktemp("attacked")
            (folder / "secret.txt").write_text(SECRET)
            (folder / "open").mkdir()
            played[key] = tournament(folder, attacks, "process", games=1, pairs=False)
        return played[key]

    yield of
    for found in played.values():
        for pid in left_alive(found.folder):  # only if the test has failed
            os.kill(pid, signal.SIGKILL)


def left_alive(folder: Path) -> list[int]:
    """Which of the processes are there that have written their number into the file `pids`?"""
    try:
        return [int(line) for line in (folder / "pids").read_text().split() if is_running(int(line))]
    except FileNotFoundError:
        return []


@pytest.mark.parametrize("one", PROMISED, ids=lambda one: one.name)
def test_what_the_level_promises(one: Attack, outcome: Callable[..., Outcome]) -> None:
    (verdict,) = outcome(PROMISED).verdicts[one.name]
    assert not re.search("secret read|not stopped", verdict.detail), verdict.detail
    assert re.fullmatch(one.kind, verdict.kind or "none"), verdict
    assert re.search(one.text, verdict.detail, re.DOTALL), verdict.detail


def test_nobody_else_is_hurt(outcome: Callable[..., Outcome]) -> None:
    found = outcome(PROMISED)
    assert found.left == ()
    assert (found.report.done, found.report.workers_lost) == (found.report.total, 0)
    assert {verdict.kind for name in ("ann", "bob") for verdict in found.verdicts[name]} == {None}
    assert planted(found.folder, found.folder / "bots", "/tmp") == []


@pytest.mark.parametrize(
    "one",
    [one if one.name.endswith(("pipes", "later")) else pytest.param(one, marks=pytest.mark.soak) for one in LEAVES],
    ids=lambda one: one.name,
)
def test_processes_that_a_bot_leaves_end_with_the_run(one: Attack, tmp_path: Path) -> None:
    """Also when it is the last to play, and whatever they do not to be found."""
    found = tournament(tmp_path, [one], "process", games=1, pairs=False)
    try:
        assert (tmp_path / "pids").is_file()
        assert wait_for(lambda: not left_alive(tmp_path), 3)
        assert found.left == ()
    finally:
        for pid in left_alive(tmp_path):
            os.kill(pid, signal.SIGKILL)


def test_what_a_bot_says_in_its_last_game_is_in_the_log(tmp_path: Path) -> None:
    """It waits in a pipe when the run ends."""
    found = tournament(tmp_path, [attack("babbles", how="prints")], "process", games=1, pairs=False)
    assert re.search(r"arena\.bots: babbles-prints \(game [^)]*\): \?\[2J", found.log)
    assert "[more output in this game is dropped]" in found.log


@pytest.mark.parametrize("one", UNPROTECTED, ids=lambda one: one.name)
def test_what_only_the_sandbox_refuses(
    one: Attack, outcome: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", SECRET)
    (verdict,) = outcome(UNPROTECTED).verdicts[one.name]
    assert re.fullmatch(one.kind, verdict.kind or "none"), verdict
    assert re.search(one.text, verdict.detail), verdict.detail
