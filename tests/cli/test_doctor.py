"""What `arena doctor` says of a machine: what is there, what is lost without it, and the remedy."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from arena.bots.isolation import doctor as doctor
from arena.bots.isolation import sandbox
from arena.bots.isolation.doctor import Capability, capabilities
from arena.bots.isolation.sandbox import SandboxRefused
from arena.cli.doctor import ENGINE_COMPILED
from arena.cli.main import main
from tests.bots.isolation.inside import need_sandbox


def _texts(found: list[Capability], ok: bool) -> str:
    return "\n".join(capability.text for capability in found if capability.ok is ok)


def test_a_machine_with_a_sandbox_says_so() -> None:
    need_sandbox()
    found = capabilities()
    assert f"bubblewrap {sandbox.find().version} ({sandbox.find().path}) starts a sandbox" in _texts(found, True)
    assert ("you are root" in _texts(found, False)) is (os.geteuid() == 0)


def test_a_machine_without_bubblewrap_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "dnf"
    tool.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    text = _texts(capabilities(), False)
    assert "bubblewrap is not installed (sudo dnf install bubblewrap)" in text
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
    text = _texts(capabilities(), False)
    assert "does not start a sandbox (bwrap: not permitted)" in text
    assert remedy in text


@pytest.mark.parametrize(("name", "levels"), [("posix", "none and process;"), ("nt", "Windows: none;")])
def test_other_systems_have_fewer_levels(name: str, levels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "elsewhere")
    monkeypatch.setattr(platform, "system", lambda: "Windows" if name == "nt" else "Darwin")
    monkeypatch.setattr(doctor, "_posix", lambda: name == "posix")
    assert levels in _texts(capabilities(), False)


def test_an_unknown_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "has_filter", lambda: False)
    assert "no system call filter" in _texts(capabilities(), False)


@pytest.mark.parametrize(
    ("sandboxed", "verdict"),
    [(True, "Everything works."), (False, "Everything works, but bots cannot be sandboxed here.")],
)
def test_a_missing_sandbox_is_no_fault_of_the_installation(
    sandboxed: bool, verdict: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.cli.doctor.checks", lambda: [ENGINE_COMPILED])
    monkeypatch.setattr("arena.cli.doctor._sandboxed", lambda: sandboxed)
    found = [Capability(True, "this"), Capability(False, "not that")]
    monkeypatch.setattr("arena.cli.doctor.capabilities", lambda: found)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ok  the engine is compiled\n")
    assert f"ok  this\n--  not that\n\n{verdict}\n" in shown


def test_what_bounds_memory_is_told() -> None:
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    assert "memory, page tables and threads of bots are watched" in _texts(capabilities(), True)


@pytest.mark.parametrize(
    ("asked", "there", "hint"),
    [
        ("python3.11", ["python3"], "cmd:/usr/bin/python3 ..."),
        ("python", ["python3"], "cmd:/usr/bin/python3 ..."),
        ("node20", ["node"], "cmd:/usr/bin/node ..."),
        ("ruby", [], "or install it in /usr/bin"),
    ],
)
def test_the_hint_names_what_there_is(
    asked: str, there: list[str], hint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It named /usr/bin/python where only python3 exists."""

    def which(name: str, path: str = "") -> str | None:
        return f"/usr/bin/{name}" if name in there else None

    monkeypatch.setattr(sandbox.shutil, "which", which)
    with pytest.raises(SandboxRefused, match=hint.replace(".", "[.]")):
        sandbox._check_program(f"/home/ann/bin/{asked}", ["/usr"], tmp_path)
