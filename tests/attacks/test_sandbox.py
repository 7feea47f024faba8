"""Attackers in the sandbox: each is refused what it tries and plays on, or forfeits; nobody else notices."""

from __future__ import annotations

import ctypes
import os
import re
import site
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import pytest

import arena
from tests.attacks.runs import (
    LIMITS,
    ROOT,
    SECRET,
    Attack,
    Outcome,
    attack,
    needs_sandbox,
    planted,
    stage,
    tournament,
    tree,
)

pytestmark = [pytest.mark.sandbox, pytest.mark.slow, needs_sandbox]

KEY = 0x5EC7E7  # of a System V segment
# of a segment in /dev/shm: of this run of the tests, the same in all of its workers
NAME = f"arena_attacked_{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"[:40]
SECRETS = "{folder}/secret.txt:{folder}/run:{folder}/bots/ships_modules:{root}/results:{root}/tests:{root}/.git"
ONCE: dict[str, Any] = {"games": 1, "pairs": False}

#: Those that read or do what they must not say "secret read" or "not stopped" if they succeed.
PEEKS = [
    attack("peeks_objects"),
    attack("peeks_memory"),
    attack("peeks_proc"),
    attack("peeks_processes"),
    attack("peeks_descriptors"),
    attack("peeks_shared_memory", name=NAME, key=KEY),
    attack("reads_files", places=SECRETS),
    attack("writes_files", places="{folder}/run:{folder}/bots/ships_modules:{root}/results:{root}/tests"),
    attack("opens_sockets"),
    attack("starts_processes"),
    attack("ships_modules"),
    attack("hooks_everything"),
    attack("keeps_running", threads=2),
]
USES_UP = [
    attack("fork_bomb", "exception", r"PermissionError: \[Errno 1\] Operation not permitted"),
    attack("thread_bomb", "crash|exception|timeout", "threads, more than|can't start new thread|no answer within"),
    attack("eats_memory", "exception", "MemoryError", how="bytes"),
    attack("eats_memory", "exception", "Cannot allocate memory", how="maps"),
    attack("hoards_memory", allowed_mb=300),
    attack("fills_disk", allowed_mb=8),
    attack("patches_arena", "none|crash|protocol|timeout|exception", how="modules"),
    attack("patches_arena", "none|crash|protocol|timeout|exception", how="child"),
    attack("patches_arena", "illegal move", "constructed by hand", how="moves"),
]
NO_ANSWER = ("protocol", "sent something that is no answer")
HIDES = [
    attack("hides_memory", "exception", "Read-only file system", how="files"),
    attack("hides_memory", "crash|exception", "MiB of memory, more than its 256|allocate", how="read_only"),
    attack("hides_memory", "exception", "Cannot allocate memory", how="page_tables"),
    attack("hides_memory", "crash", "of memory, more than its 256|SIGKILL", how="scattered"),
    attack("hides_memory", "exception", "Function not implemented", how="given_to_pipes"),
    attack("hides_memory", "exception", "Function not implemented", how="rules"),
    attack("hides_memory", "exception", r"OSError: \d+ entries", how="watched"),
    attack("hides_memory", "exception", "Operation not permitted", how="wide_pairs"),
    attack("hides_memory", "exception", "not allowed to raise", how="stack"),
    attack("hides_memory", "crash|exception", r"threads, more than its 64|\d+ threads", how="threads"),
]
FORGED = [
    *[
        attack("forges_frames", "protocol", "more than was asked for|was not asked|is no answer", how=how)
        for how in ("early", "twice")
    ],
    *[attack("forges_frames", *NO_ANSWER, how=how) for how in ("megabytes", "garbage", "says_a_wrong_size")],
    *[
        attack("forges_frames", "protocol", "sent something that is no answer to the question", how=how)
        for how in ("forges_done", "answers_too_many")
    ],
    attack("forges_frames", *NO_ANSWER, how="sends_a_pickle", path="{folder}/planted_by_attack"),
    attack("forges_frames", "exception", "touch", how="sends_a_pickle_in_a_frame", path="{folder}/planted_by_attack"),
    attack("forges_frames", "exception", "forged", how="forges_a_long_fault"),
    attack("forges_frames", "protocol", "was not asked, or answered twice", how="again"),
    attack("forges_frames", "protocol", "a failure that nobody asked for", how="forges_a_fault_elsewhere"),
    attack("forges_frames", "protocol", "65535, which does not exist", how="move_that_does_not_exist"),
    attack("forges_frames", "illegal move", "is not in the hand", how="move_of_the_opponent"),
    attack("forges_frames", "crash", "ended itself", how="closes"),
]
SLOW = [
    *[
        attack("forges_frames", "timeout", "in act: no answer within", how=how)
        for how in ("half", "drop_by_drop", "closes_and_stays")
    ],
    attack("ignores_signals", "timeout", "in act: no answer within"),
    attack("hangs", "timeout", "in begin: no answer within", where="begin", how="stubborn"),
    attack("hangs", "timeout", "in act: no answer within", where="act", how="in C"),
    attack("hangs", "timeout", "in act: no answer within", where="observe"),
    attack("hangs", "none", "in end: no answer within", where="end"),  # after the game: its result stands
    attack("raises_traps", "timeout", "in act: no answer within", how="sleeps"),
    attack("babbles", "timeout", "in act: no answer within", how="writes_and_hangs"),
]
DIES = [
    attack("dies", "exception", "KeyboardInterrupt$", how="presses_ctrl_c"),
    attack("dies", "exception", "SystemExit: 5$", how="never_ends_to_exit"),
    attack("dies", "exception", "RecursionError", how="recurses"),
    attack("dies", "exception|timeout", "MemoryError|no answer", how="makes_cycles"),
    attack("dies", "crash|timeout|exception", "SIG|no answer|Error", how="recurses_without_limit"),
    attack("dies", "crash", "it ended itself with exit code 3", how="leaves"),
    attack("dies", "crash", "it ended itself", how="becomes_another_program"),
    attack("dies", "crash", "killed by SIGSEGV", how="segfaults"),
    attack("dies", "crash", "killed by SIGKILL", how="is_killed"),
    attack("dies", "crash|timeout", "killed by SIG(XCPU|KILL)|no answer", how="uses_up_time"),
]
SPEAKS = [
    attack("babbles", how="prints"),
    attack("babbles", how="writes"),
    attack("babbles", how="has_no_end_of_line"),
    attack("babbles", "exception", r"\?\[2J", how="raises"),
    attack("babbles", "crash", r"exit code 3\n.*\?\[2J", how="writes_and_dies"),
    attack("raises_traps", "exception", "xxxxx$", how="huge"),
    attack("raises_traps", "exception", "Raises: <exception str", how="raises"),
    attack("raises_traps", "exception", "Lies", how="lies"),
    attack("raises_traps", "exception", r"and 485 more exceptions", how="cyclic"),
    attack("raises_traps", "exception", r"ValueError: \?", how="surrogates"),
    attack("raises_traps", "exception", r"Evil\?\[31m", how="named"),
]
GROUPS: dict[str, tuple[list[Attack], dict[str, Any]]] = {
    "peeks": (PEEKS, {}),
    "uses up": (USES_UP, {"limits": replace(LIMITS, decision_s=4.0)}),
    "hides": (HIDES, {**ONCE, "limits": replace(LIMITS, decision_s=8.0)}),
    "forged": (FORGED, ONCE),
    "slow": (SLOW, {**ONCE, "limits": replace(LIMITS, decision_s=1.0, loading_s=5.0), "workers": 2}),
    "dies": (DIES, ONCE),
    "speaks": (SPEAKS, {}),
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory, shared: None) -> Iterator[Callable[[str], Outcome]]:
    """Plays a group of attackers when it is first asked for, and the harmless bots alone for "nobody"."""
    played: dict[str, Outcome] = {}

    def of(group: str) -> Outcome:
        if group not in played:
            attacks, more = GROUPS.get(group, ([], {}))
            folder = tmp_path_factory.mktemp("attacked")
            furnish(folder)
            before = tree(folder)
            played[group] = tournament(folder, attacks, "sandbox", **more)
            now = tree(folder, without="run")
            assert {path: now.get(path) for path in before} == before
            assert {path for path in now if not path.startswith("bots/")} <= {*before, "bots"}
        return played[group]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_TOKEN", SECRET)
        yield of


def furnish(folder: Path) -> None:
    """Secrets beside the bots' folders, and hidden ones in one of them; links that lead out are refused before play."""
    (folder / "secret.txt").write_text(SECRET)
    home = stage(folder / "bots", "reads_files").parent
    for name in (".env", ".git/config", "results/run.sqlite", "leagues/secret"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(SECRET)


@pytest.fixture(scope="module")
def shared() -> Iterator[None]:
    """Secrets in memory that processes can share."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    segment = shared_memory.SharedMemory(NAME, create=True, size=64)
    segment.buf[: len(SECRET)] = SECRET.encode()
    number = libc.shmget(KEY, 64, 0o1600)
    if number >= 0:
        ctypes.memmove(libc.shmat(number, None, 0), SECRET.encode(), len(SECRET))
    try:
        yield
    finally:
        libc.shmctl(number, 0, None)
        segment.close()
        segment.unlink()


CASES = [pytest.param(group, one, id=one.name) for group, (attacks, _) in GROUPS.items() for one in attacks]


@pytest.mark.parametrize(("group", "one"), CASES)
def test_an_attack_fails(group: str, one: Attack, outcome: Callable[[str], Outcome]) -> None:
    verdicts = outcome(group).verdicts[one.name]
    assert len(verdicts) == (1 if GROUPS[group][1].get("games") else 2)
    for verdict in verdicts:
        assert not re.search("secret read|not stopped", verdict.detail), verdict.detail
        assert re.fullmatch(one.kind, verdict.kind or "none"), verdict
        assert re.search(one.text, verdict.detail, re.DOTALL), verdict.detail
        assert all(sign.isprintable() or sign in "\n\t" for sign in verdict.detail)
        assert len(verdict.detail) < 40_000


@pytest.mark.parametrize("group", GROUPS)
def test_nobody_else_is_hurt(group: str, outcome: Callable[[str], Outcome]) -> None:
    found = outcome(group)
    assert found.leftovers == ()
    assert found.report.done == found.report.total
    assert found.report.workers_lost == 0
    for name in ("ann", "bob"):
        assert {verdict.kind for verdict in found.verdicts[name]} == {None}
    assert found.untouched
    assert set(found.untouched) <= set(outcome("nobody").untouched)
    homes = [stage(found.folder / "bots", one.file).parent for one in GROUPS[group][0]]
    places = [found.folder, found.folder / "bots", found.folder / "run", *homes, ROOT, Path(arena.__file__).parent]
    places += ["/tmp", "/dev/shm", "/var/tmp", Path.home(), Path.cwd(), "/", "/etc", "/usr", *site.getsitepackages()]
    assert planted(*places) == []


@pytest.mark.parametrize("group", GROUPS)
def test_the_log_stays_readable(group: str, outcome: Callable[[str], Outcome]) -> None:
    """One line for each that a bot has written, marked as its own, without signs that a terminal obeys."""
    log = outcome(group).log
    assert len(log) < 8 << 20
    for line in log.split("\n")[:-1]:
        assert re.match(r"20[2-9]\d-\d\d-\d\d .{12} [A-Z]+ +\d+ arena[.\w]+: ", line), line
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", line), line


def test_the_log_says_whose_words_those_are(outcome: Callable[[str], Outcome]) -> None:
    lines = outcome("speaks").log.split("\n")
    forged = [line for line in lines if "arena.tournament.runner: forged" in line]
    assert forged
    assert all("arena.bots: babbles-" in line for line in forged)
    assert any("[more output in this game is dropped]" in line for line in lines)


@pytest.mark.parametrize(
    ("how", "seconds"),  # one frame after the other, or all of them at once
    [("loaded_and_made", "0.3"), ("answers", "0"), ("pickle", "0")],
)
def test_what_is_forged_while_the_file_is_loaded_is_found_out(
    how: str, seconds: str, tmp_path: Path, outcome: Callable[[str], Outcome]
) -> None:
    """The bot is left out as one that cannot be loaded, or loses all its games, as the frames happen to come."""
    one = attack("forges_in_import")
    (stage(tmp_path / "bots", one.file).parent / "how").write_text(f"{how} {seconds}")
    found = tournament(tmp_path, [one], "sandbox")
    if one.name in found.report.left_out:
        assert "cannot be loaded: in loading: sent" in found.report.left_out[one.name]
    else:
        assert {verdict.kind for verdict in found.verdicts[one.name]} == {"protocol"}
    assert found.leftovers == ()
    assert set(found.untouched) <= set(outcome("nobody").untouched)
    assert planted(tmp_path, *(tmp_path / "bots").iterdir()) == []
