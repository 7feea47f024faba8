"""What `arena doctor` says of a machine: what is there, what is lost without it, and the remedy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from arena.bots.isolation import sandbox
from arena.cli import doctor
from arena.cli.doctor import ENGINE_COMPILED, MISSING, OK, isolation_line
from arena.cli.main import main
from tests.bots.isolation.inside import need_sandbox


def _texts(found: list[tuple[str, str]], mark: str) -> str:
    return "\n".join(text for known, text in found if known == mark)


def test_a_machine_with_a_sandbox_says_so() -> None:
    need_sandbox()
    found = isolation_line()
    assert f"bubblewrap {sandbox.find().version} ({sandbox.find().path}) starts a sandbox" in _texts(found, OK)
    assert ("you are root" in _texts(found, MISSING)) is (os.geteuid() == 0)


def test_a_machine_without_bubblewrap_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    text = _texts(isolation_line(), MISSING)
    assert "bubblewrap is not installed (package bubblewrap)" in text
    assert "no prlimit" in text


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
    text = _texts(isolation_line(), MISSING)
    assert "does not start a sandbox (bwrap: not permitted)" in text
    assert remedy in text


@pytest.mark.parametrize(
    ("mark", "verdict"),
    [(OK, "Everything works."), (MISSING, "Everything works, but bots cannot be sandboxed here.")],
)
def test_a_missing_sandbox_is_no_fault_of_the_installation(
    mark: str, verdict: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "checks", lambda: [ENGINE_COMPILED])
    monkeypatch.setattr(doctor, "isolation_line", lambda: [(mark, "the sandbox"), (OK, "this"), (MISSING, "not that")])
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ok  the engine is compiled\n")
    assert f"{mark}  the sandbox\nok  this\n--  not that\n\n{verdict}\n" in shown


@pytest.mark.parametrize(("mark", "state", "code"), [(MISSING, "missing", 0), ("!!", "fault", 1)])
def test_doctor_as_json(
    mark: str, state: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "checks", lambda: [(OK, "this"), (mark, "that")])
    assert main(["doctor", "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["works"] is (code == 0)
    assert found["checks"] == [{"state": "ok", "text": "this"}, {"state": state, "text": "that"}]
    assert {"ok", "missing"} >= {line["state"] for line in found["isolation"]}
