"""Attackers at the level `process`: nothing of theirs is left running, and what only the sandbox refuses succeeds.

An attack that cannot succeed would prove nothing. What else the level promises is tested in tests/bots/isolation.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from arena.bots.processes import is_running
from arena.errors import ArenaError
from tests.attacks.runs import SECRET, Attack, Outcome, attack, tournament
from tests.bots.processes.waiting import wait_for

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

LEAVES = [attack("leaves_grandchild", pids="{folder}/pids", how=how) for how in ("pipes", "later")]
#: What the level does not promise to refuse, and what the attackers say when nobody does.
UNPROTECTED = [
    attack("reads_files", "exception", r"secret read: .*/secret\.txt, ", places="{folder}/secret.txt"),
    attack("writes_files", "exception", "not stopped: write in", places="{folder}/open", everywhere=False),
    attack("opens_sockets", "exception", "not stopped: a socket for TCP, .*a server", far=False),
    attack("starts_processes", "exception", "not stopped: fork, .*posix_spawn, system, run, process"),
]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What became of attackers at a level that does not protect from them."""
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "open").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_TOKEN", SECRET)
        return tournament(folder, UNPROTECTED, "process", games=1, pairs=False)


def left_alive(folder: Path) -> list[int]:
    """Which of the processes are there that have written their number into the file `pids`?"""
    try:
        return [int(line) for line in (folder / "pids").read_text().split() if is_running(int(line))]
    except FileNotFoundError:
        return []


@pytest.mark.parametrize("one", LEAVES, ids=lambda one: one.name)
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
def test_what_only_the_sandbox_refuses(one: Attack, outcome: Outcome) -> None:
    (verdict,) = outcome.verdicts[one.name]
    assert re.fullmatch(one.kind, verdict.kind or "none"), verdict
    assert re.search(one.text, verdict.detail), verdict.detail


def test_the_run_stops_when_workers_keep_dying(tmp_path: Path) -> None:
    killer, honest = attack("kills_workers"), attack("takes_its_time")
    bot = "(ann|kills_workers|takes_its_time)"  # it kills the workers of other games, too
    named = f"workers keep dying in games of {bot} against {bot}: the process was killed by SIGKILL"
    with pytest.raises(ArenaError, match=named):
        tournament(tmp_path, [killer, honest], "process", format="round-robin", gauntlet=None)
