"""Files that are written whole or not at all: also compressed, through links, to pipes and to full devices."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from arena.whole_file import ExportError, write_whole


def test_a_failure_midway_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "standings.csv"
    path.write_text("old")

    def breaks_off() -> object:
        yield "new"
        raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        write_whole(path, breaks_off())  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["standings.csv"]


def test_a_refusing_disk_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExportError, match=r"cannot write .*gone.standings.csv: No such file"):
        write_whole(tmp_path / "gone" / "standings.csv", ["x"])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match="No space left on device"):
        write_whole(tmp_path / "standings.csv", ["x"])
    assert os.listdir(tmp_path) == []


def test_a_compressed_file_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    texts = ["one\n", "zwölf\r\n"] * 1000
    one, two = write_whole(tmp_path / "a.txt.gz", texts), write_whole(tmp_path / "b.txt.gz", texts)
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()).decode() == "".join(texts)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(Path("there", "file"))
    write_whole(tmp_path / "link", ["new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", ["plain", "packed.gz"])
def test_a_device_is_written_to_and_never_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(ExportError, match="No space left on device"):
        write_whole(tmp_path / name, ["x" * 100_000])
    assert Path("/dev/full").is_char_device()
    assert os.listdir(tmp_path) == [name]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_whole(tmp_path / "pipe", ["one\n", "two\n"])
    reader.join(30)
    assert read == ["one\ntwo\n"]
