"""At the level `none` bots share the worker: what they do there by accident costs themselves, not the run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.attacks.runs import attack, tournament

pytestmark = pytest.mark.process


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
        ("returns_what_compares", "illegal move", "act returned a Compares, not one of the moves"),
        ("forks_and_goes_on", "none", ""),
        ("logs_much", "none", ""),
        ("writes_lengths", "crash", "it sent what is no result: a bot has written to its pipe"),
    ],
)
def test_no_bot_ends_the_run(how: str, kind: str, text: str, tmp_path: Path) -> None:
    one = attack("disturbs_its_worker", how=how)
    found = tournament(tmp_path, [one], "none")
    assert found.seconds < 30  # nor holds it up
    for verdict in found.verdicts[one.name]:
        assert verdict.kind == (None if kind == "none" else kind)
        assert re.search(text, verdict.detail), verdict.detail
    assert {verdict.kind for verdict in found.verdicts["ann"] + found.verdicts["bob"]} == {None}
    assert found.left == ()
    assert len(found.log) < 4 << 20
    told = "a bot has written to the pipe of its worker's log" in found.log
    assert told == (how == "writes_lengths")
