"""Files that the program reads."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from arena.paths import read_small_text

MIB = 1 << 20


def test_a_small_file_takes_little_memory_to_read(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_small_text(path, 64 * MIB) == "x" * 1000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MIB


@pytest.mark.parametrize("size", [0, 1, MIB - 1, MIB])
def test_a_file_is_read_up_to_the_limit(size: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)
    assert len(read_small_text(path, MIB)) == size
    path.write_bytes(b"x" * (MIB + 1))
    with pytest.raises(OSError, match="larger than 1 MiB"):
        read_small_text(path, MIB)
