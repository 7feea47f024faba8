"""`arena explain`: a claim is judged, in words and as JSON."""

from __future__ import annotations

import json

from tests.cli.conftest import Arena


def test_a_claim_is_judged(arena: Arena) -> None:
    call = ("explain", "--mine", "r1,r2,r3", "--theirs", "b2,b3")
    shown = arena(*call).out
    assert shown.startswith("The claim does not hold: ")
    assert "b4" in shown
    assert arena(*call, "--seen", "b4").out.startswith("The claim holds: a colour run")
    assert json.loads(arena(*call, "--json").out)["refutation"] == ["b4"]
    assert "Missing option '--mine'" in arena("explain", code=2).err
