"""`arena explain`: a claim is judged, in words and as JSON. `arena bench`: the engine beside others."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.conftest import Arena, json_of


def test_a_claim_is_judged(arena: Arena) -> None:
    call = ("explain", "--mine", "r1,r2,r3", "--theirs", "b2,b3")
    shown = arena(*call).out
    assert shown.startswith("The claim does not hold: ")
    assert "b4" in shown
    assert arena(*call, "--seen", "b4").out.startswith("The claim holds: a colour run")
    assert json.loads(arena(*call, "--json").out)["refutation"] == ["b4"]
    assert "Missing option '--mine', the claimant's side; for example: arena explain" in arena("explain", code=2).err


def test_cards_are_read_as_they_are_spoken(arena: Arena) -> None:
    shown = arena("explain", "--mine", "R7,red8,Red 9", "--theirs", "pink 1 K2").out
    assert shown == arena("explain", "--mine", "r7,r8,r9", "--theirs", "k1,k2").out
    wild = ("--rules", "tactical", "--theirs", "b1,b2")
    assert (
        arena("explain", "--mine", "R7,*j=R8,red 9", *wild).out == arena("explain", "--mine", "r7,*J=r8,r9", *wild).out
    )


# ---------------------------------------------------------------- arena bench


def test_libraries_that_are_not_installed_are_left_out(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("chess", "pettingzoo.classic", "pyspiel", "rlcard"):
        monkeypatch.setitem(sys.modules, name, None)
    found = json_of("bench", "--quick", "--rules", "base", "--json")
    assert [(row["library"], row["game"]) for row in found["playouts"]] == [("arena", "base")]
    shown = arena("bench", "--quick", "--rules", "base").out
    assert "For others: pip install 'schotten-arena[bench]'." in shown


def test_the_oracle_is_far_slower_and_absent_from_an_installation(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.bench.playout_speeds", lambda *args: [])
    assert json_of("bench", "--quick", "--rules", "base", "--json")["engine"]["base"]["times_oracle"] > 2
    monkeypatch.setattr("arena.cli.bench._HAS_ORACLE", False)
    assert json_of("bench", "--quick", "--rules", "base", "--json")["engine"]["base"]["times_oracle"] is None
    assert "oracle" not in arena("bench", "--quick", "--rules", "base").out
