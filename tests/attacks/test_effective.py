"""The attackers are real: without protection they succeed. Otherwise their failing would prove nothing.

Also what no level protects from, as docs/security.md says.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.attacks.runs import LIMITS, attack, needs_sandbox, stage, tournament

pytestmark = [pytest.mark.process, pytest.mark.slow]

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
def test_without_isolation_the_cards_can_be_found(tmp_path: Path) -> None:
    attacks = [
        attack("peeks_objects"),
        attack("peeks_memory"),
        attack("peeks_descriptors"),
        attack("guesses_seeds"),
    ]
    # one of them copies all memory that the worker has from its parent, and one looks at every object in it
    roomy = replace(LIMITS, memory_mb=8192, decision_s=60.0)
    found = tournament(tmp_path, attacks, "none", limits=roomy)
    texts = {name: " ".join(verdict.detail for verdict in verdicts) for name, verdicts in found.verdicts.items()}
    assert "secret read: a deal, a deck, the opponent's hand in a state" in texts["peeks_objects"]
    assert "secret read: the opponent's hand, the order of the deck" in texts["peeks_memory"]
    assert re.search(r"not stopped: descriptor .*it can be sought in: True", texts["peeks_descriptors"])
    assert "secret read: the seed of the run is 11" in texts["guesses_seeds"]


@needs_sandbox
def test_a_seed_that_can_be_guessed_is_guessed_in_the_sandbox_too_and_a_drawn_one_is_not(
    tmp_path: Path,
) -> None:
    one = attack("guesses_seeds")
    guessed = tournament(tmp_path / "given", [one], "sandbox")
    assert "the seed of the run is 11" in guessed.verdicts[one.name][0].detail + guessed.verdicts[one.name][1].detail
    drawn = tournament(tmp_path / "drawn", [one], "sandbox", seed=None)
    assert drawn.report.seed > 1 << 40
    assert {verdict.kind for verdict in drawn.verdicts[one.name]} == {None}


@needs_sandbox
def test_the_other_game_of_a_pair_tells_nothing(tmp_path: Path) -> None:
    """In it the opponent's hand was one's own: a process that plays both would know it."""
    one = attack("remembers_deals")
    found = tournament(tmp_path, [one], "sandbox", games=24)
    assert not [verdict for verdict in found.verdicts[one.name] if verdict.kind]


@needs_sandbox
@pytest.mark.parametrize("how", ["ranges", pytest.param("files", marks=pytest.mark.soak)])
def test_nor_do_the_two_processes_tell_each_other(how: str, tmp_path: Path) -> None:
    found = tournament(tmp_path, [one := attack("tells_its_twin", how=how)], "sandbox", games=40)
    assert {verdict.kind for verdict in found.verdicts[one.name]} == {None}  # what it hears it tells by an exception


ONE_BY_ONE = {"clock": {"move_ms": 1000}}


@needs_sandbox
@pytest.mark.parametrize(
    "how", ["cache", "memory", *(pytest.param(how, marks=pytest.mark.soak) for how in ("hints", "at once", "calls"))]
)
def test_nor_by_what_the_one_leaves_on_the_machine_for_the_other(how: str, tmp_path: Path) -> None:
    """Each of these was heard eight times in eight games before it was forbidden."""
    one = attack("tells_its_twin", how=how)
    home = stage(tmp_path / "bots", one.file).parent
    for number in range(54):
        with (home / f"{number}.card").open("wb") as file:
            file.write(bytes(4096))
            os.fsync(file.fileno())  # what is not on the disk yet stays in memory whatever one does
    found = tournament(tmp_path, [one], "sandbox", games=40, **ONE_BY_ONE)
    told = [verdict for verdict in found.verdicts[one.name] if verdict.kind]
    # memory that all share cannot even be asked for: the folder for it is read-only
    assert all(how in ("memory", "calls") and "Read-only file system" in verdict.detail for verdict in told)


@needs_sandbox
@pytest.mark.parametrize(
    "clock", [pytest.param(None, marks=pytest.mark.soak), {"move_ms": 1000}], ids=["no clock", "clock"]
)
@pytest.mark.parametrize("how", ["sleepers", pytest.param("cookies", marks=pytest.mark.soak)])
def test_nor_by_what_the_kernel_keeps_for_both(how: str, clock: dict[str, int] | None, tmp_path: Path) -> None:
    """Each of these was heard eight times in eight games: of the two processes one sleeps while the other plays."""
    one = attack("tells_its_twin", how=how, apart=True)
    found = tournament(tmp_path, [one], "sandbox", games=40, clock=clock)
    assert not [verdict for verdict in found.verdicts[one.name] if verdict.kind]


@linux
@pytest.mark.soak
def test_outside_of_the_sandbox_they_do(tmp_path: Path) -> None:
    found = tournament(tmp_path, [one := attack("tells_its_twin", how="ranges")], "process", games=64)
    assert [verdict for verdict in found.verdicts[one.name] if "told by the other process" in verdict.detail]


def test_a_process_that_plays_both_games_of_a_pair_knows_the_hands(tmp_path: Path) -> None:
    found = tournament(tmp_path, [one := attack("remembers_deals")], "none", games=24)
    assert [verdict for verdict in found.verdicts[one.name] if "secret read: the opponent's hands" in verdict.detail]


@needs_sandbox
@pytest.mark.parametrize("own", [pytest.param(False, marks=pytest.mark.soak), True])
def test_deals_can_be_remembered_unless_each_pairing_has_its_own(own: bool, tmp_path: Path) -> None:
    one, other = attack("remembers_opponents"), attack("babbles", how="prints")
    found = tournament(tmp_path, [one, other], "sandbox", games=24, format="round-robin", gauntlet=None, own_deals=own)
    kinds = {verdict.kind for verdict in found.verdicts[one.name]}
    assert kinds == ({None} if own else {None, "exception"})
