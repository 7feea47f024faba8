"""Attackers at the levels `none` and `process`: they cost themselves, not the run, and leave nothing running.

What only the sandbox refuses succeeds: an attack that cannot succeed would prove nothing. What else the level `process`
promises is tested in tests/bots/isolation.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from arena.bots.isolation import process as processes
from arena.bots.isolation.process import BotProcess, ProcessEnded, watch_bots
from arena.bots.limits import BotLimits, Launch
from arena.bots.processes import is_running
from arena.errors import ArenaError
from tests.attacks.runs import SECRET, Attack, Outcome, attack, tournament
from tests.bots.processes.waiting import wait_for

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]

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
        return tournament(folder, [*UNPROTECTED, attack("babbles", how="prints")], "process", games=1, pairs=False)


def left_alive(folder: Path) -> list[int]:
    """Which of the processes are there that have written their number into the file `pids`?"""
    try:
        return [int(line) for line in (folder / "pids").read_text().split() if is_running(int(line))]
    except FileNotFoundError:
        return []


@pytest.mark.slow
@pytest.mark.parametrize("one", LEAVES, ids=lambda one: one.name)
def test_processes_that_a_bot_leaves_end_with_the_run(one: Attack, tmp_path: Path) -> None:
    """Also when it is the last to play, and whatever they do not to be found."""
    found = tournament(tmp_path, [one], "process", games=1, pairs=False)
    try:
        assert (tmp_path / "pids").is_file()
        assert wait_for(lambda: not left_alive(tmp_path), 3)
        assert found.leftovers == ()
    finally:
        for pid in left_alive(tmp_path):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("one", UNPROTECTED, ids=lambda one: one.name)
def test_what_only_the_sandbox_refuses(one: Attack, outcome: Outcome) -> None:
    (verdict,) = outcome.verdicts[one.name]
    assert re.fullmatch(one.kind, verdict.kind or "none"), verdict
    assert re.search(one.text, verdict.detail), verdict.detail


@pytest.mark.slow
def test_what_a_bot_says_in_its_last_game_is_in_the_log(outcome: Outcome) -> None:
    """It waits in a pipe when the run ends."""
    assert re.search(r"arena\.bots: babbles-prints \(game [^)]*\): \?\[2J", outcome.log)
    assert "[more output in this game is dropped]" in outcome.log


@pytest.mark.slow
def test_the_run_stops_when_workers_keep_dying(tmp_path: Path) -> None:
    killer, honest = attack("kills_workers"), attack("takes_its_time")
    bot = "(ann|kills_workers|takes_its_time)"  # it kills the workers of other games, too
    named = f"workers keep dying in games of {bot} against {bot}: the process was killed by SIGKILL"
    with pytest.raises(ArenaError, match=named):
        tournament(tmp_path, [killer, honest], "process", format="round-robin", gauntlet=None)


# ---------------------------------------------------------------- inside of the worker


@pytest.mark.slow
def test_who_writes_to_a_wrong_descriptor_reaches_no_file_of_the_run(tmp_path: Path) -> None:
    """A worker had inherited the database, its log and its lock."""
    bot = attack("scribbles", "crash")
    found = tournament(tmp_path, [bot], "none")
    assert {one.kind for one in found.verdicts["ann"] + found.verdicts["bob"]} == {None}
    assert {one.kind for one in found.verdicts["scribbles"]} == {"crash"}
    assert "a bot has written to its pipe" in found.log
    assert b"planted" not in b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        ("closes_descriptors", "crash", ""),
        ("raises_surrogates", "exception", r"ValueError: no file caf\?$"),
        ("returns_a_huge_number", "illegal move", "act returned an int of 16,610 bits, not one of the moves"),
        ("forks_and_goes_on", "none", ""),
        ("logs_much", "none", ""),
        ("writes_lengths", "crash", "it sent what is no result: a bot has written to its pipe"),
    ],
)
def test_no_bot_ends_the_run(how: str, kind: str, text: str, tmp_path: Path) -> None:
    one = attack("disturbs_its_worker", how=how)
    found = tournament(tmp_path, [one], "none")
    expected = None if kind == "none" else kind
    ended = [verdict for verdict in found.verdicts[one.name] if verdict.kind == expected]
    # a game may end before its pipe is read
    assert len(ended) == 2 or (how == "writes_lengths" and len(ended) == 1), found.verdicts
    for verdict in ended:
        assert re.search(text, verdict.detail), verdict.detail
    assert {verdict.kind for verdict in found.verdicts["ann"] + found.verdicts["bob"]} == {None}
    assert found.leftovers == ()
    assert len(found.log) < 4 << 20
    warned = "a bot has written to the pipe of its worker's log" in found.log
    assert warned == (how == "writes_lengths")


# ---------------------------------------------------------------- memory that no limit of the kernel counts


READ_ONLY = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
print("begins", flush=True)
for _ in range(60):
    place = libc.mmap(None, ctypes.c_size_t(8 << 20), 3, 0x22, -1, ctypes.c_long(0))
    ctypes.memset(place, 1, 8 << 20)
    libc.mprotect(place, 8 << 20, 1)
time.sleep(60)
"""


def begun(folder: Path) -> BotProcess:
    process = BotProcess(Launch((sys.executable, "-I", "-c", READ_ONLY), folder, "process", BotLimits(memory_mb=100)))
    assert process.receive(time.monotonic() + 30) == b"begins\n"
    return process


@pytest.mark.parametrize("waited_for", [True, False])
def test_what_was_made_read_only_is_still_counted(waited_for: bool, tmp_path: Path) -> None:
    process = begun(tmp_path)

    def ended() -> bool:
        watch_bots()
        return process.popen.poll() is not None

    if waited_for:
        with pytest.raises(ProcessEnded, match=r"it had \d+ MiB of memory, more than its 100"):
            process.receive(time.monotonic() + 30)
    else:
        assert wait_for(ended)
    assert "MiB of memory, more than its 100" in process.close()
    assert not processes.own_children()
