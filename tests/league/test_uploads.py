"""What is uploaded becomes a submission, or is refused in words: hostile archives, too."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.league import submission
from arena.league.submission import Submission, read_submission, read_upload

BOT = b"def act(view, moves):\n    return moves[0]\n"


def zipped(
    files: Mapping[str, bytes] | Sequence[tuple[str, bytes]],
    mode: int = stat.S_IFREG | 0o644,
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items() if isinstance(files, Mapping) else files:
            one = zipfile.ZipInfo(name)
            one.external_attr = mode << 16
            one.compress_type = method
            archive.writestr(one, content)
    return out.getvalue()


def paths(found: Submission) -> list[str]:
    return sorted(found.files)


def test_a_file_is_what_the_command_would_submit(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(BOT)
    wanted = read_submission(str(tmp_path / "mine.py"), author="Ann")
    assert read_upload("C:\\bots\\mine.py", BOT, "Ann") == wanted
    assert read_upload("mine.py", BOT, "Ann", "other", "mine.py:depth=2").entry == "mine.py:depth=2"


def test_an_archive_is_a_folder(tmp_path: Path) -> None:
    files = {"mine/bot.py": BOT, "mine/data/net.txt": b"1", "mine/.git/x": b"2", "mine/__pycache__/b.pyc": b"3"}
    found = read_upload("mine.zip", zipped(files), "Ann", "mine")
    assert (found.name, found.entry, paths(found)) == ("mine", "bot.py", ["bot.py", "data/net.txt"])
    for name in ("bot.py", "data/net.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(files[f"mine/{name}"])
    assert found == read_submission("mine=bot.py", tmp_path, "Ann")


def test_which_file_is_the_bot() -> None:
    assert read_upload("x.zip", zipped({"a.py": BOT}), "Ann").entry == "a.py"
    assert read_upload("b.zip", zipped({"a.py": BOT, "b.py": BOT}), "Ann").entry == "b.py"
    with pytest.raises(ArenaError, match="name the bot's file in the archive"):
        read_upload("x.zip", zipped({"a.py": BOT, "b.py": BOT}), "Ann")
    with pytest.raises(ArenaError, match=r"has no file c\.py"):
        read_upload("x.zip", zipped({"a.py": BOT}), "Ann", entry="c.py")


OUTSIDE = ("../evil.py", "/etc/evil.py", "a/../../evil.py", "a\\..\\evil.py", "C:/evil.py", "a//b.py", "a\n.py")


def test_no_path_leads_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in (*OUTSIDE, "x" * 300 + ".py"):
        with pytest.raises(ArenaError, match=r"leads out|characters|too long"):
            read_upload("x.zip", zipped({name: BOT, "bot.py": BOT}), "Ann")
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR):
        with pytest.raises(ArenaError, match="link or a special file"):
            read_upload("x.zip", zipped({"bot.py": b"/etc/passwd"}, kind | 0o644), "Ann")
    assert [*tmp_path.iterdir()] == []


def test_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "MOST_BYTES", 100_000)
    content = zipped({"bot.py": bytes(80_000), "b": bytes(80_000)})
    assert len(content) < 2_000
    with pytest.raises(ArenaError, match="unpacks to more than"):
        read_upload("x.zip", content, "Ann")


def test_only_zip_archives_are_read() -> None:
    """A tar archive of 200 bytes can keep Python busy for minutes (CVE-2024-6232)."""
    header = tarfile.TarInfo("pax_header")
    header.type, header.size = tarfile.XHDTYPE, 512
    tar = header.tobuf(tarfile.USTAR_FORMAT) + b"1" * 512 + bytes(1024)
    for content in (tar, gzip.compress(tar), gzip.compress(bytes(1000))):
        with pytest.raises(ArenaError, match="neither a Python file nor a zip archive"):
            read_upload("bot.tar.gz", content, "Ann")


def test_names_differ_in_more_than_case_or_unicode_form() -> None:
    for name in ("DATA.txt", "data.txt", "caf\u00e9.txt"):
        files = {"bot.py": BOT, "data.txt": b"1", "cafe\u0301.txt": b"2"}
        with pytest.raises(ArenaError, match="twice"), pytest.warns() if name == "data.txt" else nullcontext():
            read_upload("x.zip", zipped([*files.items(), (name, b"3")]), "Ann")


def test_what_an_archive_says_about_sizes_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "MOST_BYTES", 100_000)
    content = bytearray(zipped({"bot.py": bytes(200_000)}))
    for at in (22, content.rfind(b"PK\1\2") + 24):  # in both headers
        content[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ArenaError):
        read_upload("x.zip", bytes(content), "Ann")


def test_too_many_files_are_counted_before_they_are_read() -> None:
    with pytest.raises(ArenaError, match="more than 500 files"):
        read_upload("x.zip", zipped({f"{n}.py": b"" for n in range(501)}), "Ann")
    with pytest.raises(ArenaError, match="more than 500 files"):
        read_upload("x.zip", b"PK\3\4" + b"PK\1\2" * 3000, "Ann")


def test_nonsense_is_refused_in_words() -> None:
    encrypted = bytearray(zipped({"bot.py": BOT}))
    encrypted[6] |= 1
    encrypted[encrypted.rfind(b"PK\1\2") + 8] |= 1
    packed_otherwise = zipped({"bot.py": BOT}, method=zipfile.ZIP_LZMA)
    for content in (b"PK\3\4", b"\x1f\x8bnonsense", b"x\0y", zipped({}), packed_otherwise, bytes(encrypted)):
        with pytest.raises(ArenaError) as error:
            read_upload("x.bin", content, "Ann")
        assert "arena-upload" not in str(error.value)


def test_all_modules_must_be_python() -> None:
    old = b"print 'x'\n"
    assert read_upload("x.zip", zipped({"bot.py": BOT, "old.txt": old}), "Ann").entry == "bot.py"
    for name in ("old.py", "deep/er/old.py"):
        with pytest.raises(ArenaError, match=rf"^Python 3\.\d+ cannot read {name}: line 1: Missing parentheses"):
            read_upload("x.zip", zipped({"bot.py": BOT, name: old}), "Ann")
    assert read_upload("x.zip", zipped({"bot.py": old}), "Ann", "mine", "cmd:python3 bot.py").entry.startswith("cmd:")
    with pytest.raises(ArenaError, match=r"^Python 3\.\d+ cannot read bot\.py: line 1: Missing parentheses"):
        read_upload("x.zip", zipped({"bot.py": old}), "Ann", entry="bot.py:depth=2")


def test_a_bot_is_never_looked_for_among_ours() -> None:
    """A name such as `greedy` or a path means a file of the upload, not one of the organiser's."""
    for entry in ("greedy", "/etc/passwd", "../../bots/greedy.py", "cmd:/etc/passwd"):
        with pytest.raises(ArenaError):
            read_upload("x.zip", zipped({"bot.py": BOT}), "Ann", entry=entry)
