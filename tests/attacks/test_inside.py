"""At the level `none` bots share the worker: what they do there by accident costs themselves, not the run."""

from __future__ import annotations

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
    assert "a bot has written to its pipe; scribbles is suspended" in found.log
    assert b"planted" not in b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file())


@pytest.mark.slow
def test_built_in_names_are_put_back(tmp_path: Path) -> None:
    """Whoever was loaded later, or played in the next game, failed for it."""
    bots = [attack("renames_builtins"), attack("needs_builtins")]
    found = tournament(tmp_path, bots, "none", format="round-robin", gauntlet=None)
    for name in ("needs_builtins", "ann", "bob"):
        assert {one.kind for one in found.verdicts[name]} == {None}, name
    assert "renames_builtins or ann has changed, now restored: built-in names" in found.log


@pytest.mark.slow
def test_who_closes_the_pipes_of_its_worker_is_not_waited_for(tmp_path: Path) -> None:
    """Its supervisor waited for the end of a process that went on, without a bound."""
    bot = attack("closes_descriptors", "crash")
    found = tournament(tmp_path, [bot], "none")
    assert {one.kind for one in found.verdicts[bot.name]} == {"crash"}
    assert {one.kind for one in found.verdicts["ann"] + found.verdicts["bob"]} == {None}
    assert found.seconds < 30
