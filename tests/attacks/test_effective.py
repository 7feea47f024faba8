"""The attackers are real: without protection they succeed. Otherwise their failing would prove nothing.

Also what no level protects from, as docs/security.md says.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.attacks.runs import LIMITS, attack, needs_sandbox, tournament

pytestmark = [pytest.mark.process, pytest.mark.slow]

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
@pytest.mark.soak
def test_without_isolation_the_cards_can_be_found(tmp_path: Path) -> None:
    attacks = [attack("peeks_objects"), attack("peeks_memory"), attack("peeks_descriptors"), attack("guesses_seeds")]
    # one of them copies all memory that the worker has from its parent, and one looks at every object in it
    roomy = replace(LIMITS, memory_mb=8192, decision_s=60.0)
    found = tournament(tmp_path, attacks, "none", limits=roomy)
    texts = {name: " ".join(verdict.detail for verdict in verdicts) for name, verdicts in found.verdicts.items()}
    assert "secret read: a deal, a deck, the opponent's hand in a state" in texts["peeks_objects"]
    assert "secret read: the opponent's hand, the order of the deck" in texts["peeks_memory"]
    assert re.search(r"not stopped: descriptor .*it can be sought in: True", texts["peeks_descriptors"])
    assert "secret read: the seed of the run is 11" in texts["guesses_seeds"]


@needs_sandbox
def test_a_seed_that_can_be_guessed_is_guessed_in_the_sandbox_too_and_a_drawn_one_is_not(tmp_path: Path) -> None:
    one = attack("guesses_seeds")
    guessed = tournament(tmp_path / "given", [one], "sandbox")
    assert "the seed of the run is 11" in guessed.verdicts[one.name][0].detail + guessed.verdicts[one.name][1].detail
    drawn = tournament(tmp_path / "drawn", [one], "sandbox", seed=None)
    assert drawn.report.seed > 1 << 40
    assert {verdict.kind for verdict in drawn.verdicts[one.name]} == {None}


def test_a_process_that_plays_both_games_of_a_pair_knows_the_hands(tmp_path: Path) -> None:
    found = tournament(tmp_path, [one := attack("remembers_deals")], "none", games=24)
    assert [verdict for verdict in found.verdicts[one.name] if "secret read: the opponent's hands" in verdict.detail]


@needs_sandbox
@pytest.mark.soak
@pytest.mark.parametrize("own_deals", [False, True])
def test_deals_can_be_remembered_unless_each_pairing_has_its_own(own_deals: bool, tmp_path: Path) -> None:
    one, other = attack("remembers_opponents"), attack("babbles", how="prints")
    found = tournament(
        tmp_path, [one, other], "sandbox", games=24, format="round-robin", gauntlet=None, own_deals=own_deals
    )
    kinds = {verdict.kind for verdict in found.verdicts[one.name]}
    assert kinds == ({None} if own_deals else {None, "exception"})
