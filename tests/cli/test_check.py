"""`arena check` as an author runs it: exit codes, JSON, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Arena, content

pytestmark = pytest.mark.process
BOTS = Path(__file__).parents[1] / "data" / "check"
QUICKLY = ("--isolation", "none", "--rules", "base", "--games", 2)
PROCESS = ("--isolation", "process", "--rules", "base", "--games", 2)


def test_a_build_under_way_is_no_fault_of_the_bot(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the engine is compiled, new processes of bots end at once."""
    Path("mine.py").write_text("import os\nos._exit(1)\n")
    assert "cannot be loaded" in arena("check", "mine.py", *PROCESS, code=1).out
    monkeypatch.setattr("arena.compiled.stale_sources", lambda: ["game/engine.py"])
    for command in (("check", "mine.py", *PROCESS), ("match", "mine.py", "first", "--isolation", "process")):
        found = arena(*command, code=2)
        assert "Error: the compiled engine is older than its source (game/engine.py changed)" in found.err
        assert "mine" not in found.out + found.err.splitlines()[-1]


def test_warnings_count_with_strict(arena: Arena) -> None:
    """In JSON; a rule set that is named twice is played once."""
    asked = ("--isolation", "none", "--rules", "tactical:hand_size=6,scout_return=top", "--games", 2)
    asked = (*asked, "--rules", "tactical:hand_size=6,scout_return=top")
    values = content(arena("check", BOTS / "by_time.py", *asked, "--strict", "--json", code=1).out)
    assert (values["accepted"], values["isolation"]) == (True, "none")
    assert {one["level"] for one in values["findings"]} == {"warning"}
    found = [(one["rules"], one["games"], one["wanted"]) for one in values["rules"]]
    assert found == [("tactical:hand_size=6,scout_return=top", 2, 2)]
    broken = content(arena("check", BOTS / "no_act.py", *QUICKLY, "--json", code=1).out)
    assert broken["accepted"] is False
    assert broken["findings"][0]["code"] == "load"


def test_without_a_sandbox_it_refuses(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    said = arena("check", BOTS / "fine.py", code=2)
    assert said.out == ""
    assert "bots cannot be sandboxed here: bubblewrap is not installed" in said.err
    assert "--isolation process" in said.err
