"""The programs of the checkout, in `tools` and `benchmarks`: each can be started as the documentation says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted(
    path.relative_to(ROOT)
    for folder in ("tools", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if "__name__ ==" in path.read_text() and "hostile" not in path.parts
)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_each_program_starts(program: Path) -> None:
    if program.parts[1] == "training":
        pytest.importorskip("torch")
    module = ".".join(program.with_suffix("").parts).removesuffix(".__main__")
    found = subprocess.run([sys.executable, "-m", module, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "usage: " in found.stdout.lower()


def test_each_program_is_listed() -> None:
    listed = (ROOT / "CONTRIBUTING.md").read_text()
    names = {program.parts[1] if program.stem == "__main__" else program.stem for program in PROGRAMS}
    assert {name for name in names if f"`{name}`" not in listed and f"benchmarks.{name}" not in listed} == set()
