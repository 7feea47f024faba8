"""`arena doctor`: what it says of the machine."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bots.isolation import sandbox
from arena.cli.doctor import MISSING, OK, isolation_lines
from tests.bots.isolation.inside import need_sandbox
from tests.cli.conftest import Arena, content


def test_the_doctor_does_not_call_an_uncompiled_engine_ok(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = arena("doctor", code=None).out
    assert all(wanted in shown for wanted in (", Python 3.", "the engine", "cores"))
    monkeypatch.delenv("ARENA_PURE", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: SimpleNamespace(origin="engine.py"))
    assert "\n--  the engine runs uncompiled" in (shown := arena("doctor").out)
    assert ": install a C compiler" in shown


def test_the_doctor_says_what_is_broken(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ImportError("stale build")

    monkeypatch.setattr("arena.game.record.verify", broken)
    assert "!!  the engine does not run: ImportError: stale build" in arena("doctor", code=1).out
    found = content(arena("doctor", "--json", code=1).out)
    assert found["works"] is False
    assert "fault" in {line["state"] for line in found["checks"]}


def _texts(mark: str) -> str:
    return "\n".join(text for known, text in isolation_lines() if known == mark)


def test_a_machine_with_a_sandbox_says_so() -> None:
    need_sandbox()
    one = sandbox.require_bubblewrap()
    assert f"bubblewrap {one.version} ({one.path}) starts a sandbox" in _texts(OK)
    assert ("you are root" in _texts(MISSING)) is (os.geteuid() == 0)


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("kernel/unprivileged_userns_clone", 0, "sudo sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", 0, "sudo sysctl user.max_user_namespaces=10000"),
        ("kernel/apparmor_restrict_unprivileged_userns", 1, "apparmor_restrict_unprivileged_userns=0"),
        ("none", 0, "in a container"),
    ],
)
def test_what_forbids_the_sandbox_is_named(
    setting: str, value: int, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit 0\necho "bwrap: not permitted" >&2\nexit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sandbox, "_setting", lambda name: value if name == setting else None)
    text = _texts(MISSING)
    assert "does not start a sandbox (bwrap: not permitted)" in text
    assert remedy in text


def test_a_machine_without_bubblewrap_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "bubblewrap is not installed (package bubblewrap)" in _texts(MISSING)
    assert "no prlimit" in _texts(MISSING)
