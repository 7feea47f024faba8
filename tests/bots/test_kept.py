"""The copies of bots' files: what is in them, and when a bot is loaded from one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.kept import KEPT, BotEdited, BotSources, copies_folder, copy_bots
from arena.bots.loading import load_bot
from arena.bots.source_files import current_hash
from arena.bots.spec import find_bot

ACT = "\n\ndef act(view, moves):\n    return moves[0]\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two bots."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "class"
    write(folder / "anna.py", 'from anna_tools.deep import one\nBOOK = "data/book.json"\nNET = "nets/new/a.npz"' + ACT)
    write(folder / "anna_tools" / "__init__.py", "")
    write(folder / "anna_tools" / "deep" / "__init__.py", "")
    write(folder / "anna_tools" / "deep" / "one.py", "DEEP = '*.txt'")
    write(folder / "data" / "book.json", "[1]")
    write(folder / "data" / "other.json", "[1]")
    write(folder / "nets" / "old.npz", "1")
    write(folder / "ben.py", ACT)
    return folder


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_copy_is_the_same_bot(home: Path, tmp_path: Path) -> None:
    specs = [
        find_bot(text)
        for text in ("class/anna.py", "class/ben.py", "b2=class/ben.py", "cmd:cat", "random", "arena.bots.bot:Bot")
    ]
    with copies_folder(tmp_path / "run") as copies:
        anna, ben, again, command, house, package = copy_bots(specs, copies)
        assert anna is not None
        assert ben is not None
        assert again is not None
        assert house is not None
        assert files_below(Path(anna.folder)) == [
            "anna.py",
            "anna_tools/__init__.py",
            "anna_tools/deep/__init__.py",
            "anna_tools/deep/one.py",
            "data/book.json",
        ]
        assert files_below(Path(ben.folder)) == ["ben.py"]
        assert files_below(Path(again.folder)) == ["ben.py"]
        assert command is package is None
        assert current_hash(Path(anna.folder, "anna.py")) == specs[0].source_hash
    assert not (tmp_path / "run" / KEPT).exists()
    with copies_folder(tmp_path / "run") as copies:
        assert [kept is None for kept in copy_bots(specs[:2], copies, without=["anna"])] == [True, False]


def test_a_bot_that_has_changed_is_not_copied(home: Path, tmp_path: Path) -> None:
    spec = find_bot("class/anna.py")
    write(home / "nets" / "new" / "a.npz", "1")
    with copies_folder(tmp_path / "run") as copies, pytest.raises(BotEdited) as caught:
        copy_bots([spec], copies)
    assert caught.value.bot == "anna"


def test_a_file_that_cannot_be_read_is_in_no_copy(home: Path, tmp_path: Path) -> None:
    """As the hash counts it, the copy would be another bot."""
    write(home / "data" / "book.json", "x").chmod(0)
    if os.access(home / "data" / "book.json", os.R_OK):
        pytest.skip("this user may read all files")
    with copies_folder(tmp_path / "run") as copies:
        assert copy_bots([find_bot("class/anna.py")], copies) == (None,)


def test_the_copy_is_loaded_once_the_original_differs(home: Path, tmp_path: Path) -> None:
    specs = [find_bot("class/ben.py"), find_bot("class/anna.py")]
    with copies_folder(tmp_path / "run") as copies:
        kept = copy_bots(specs, copies)
        before, after = BotSources(specs, kept), BotSources(specs, kept)
        assert [before.spec(0), before.spec(1)] == specs
        assert before.changed(["anna", "ben"]) == []
        write(home / "anna_tools" / "deep" / "x.txt", "new")  # "*.txt" names no folder, and so no file
        assert before.changed(["anna", "ben"]) == []
        write(home / "anna_tools" / "deep" / "one.py", "import os" + ACT)
        assert before.changed(["anna", "ben"]) == ["anna"]
        assert before.changed(["ben"]) == []
        assert after.spec(0) == specs[0]
        there = after.spec(1)
        assert (there.name, there.source_hash) == (specs[1].name, specs[1].source_hash)
        assert there.path != specs[1].path
        assert Path(there.path).name == "anna.py"
        assert current_hash(Path(there.path)) == specs[1].source_hash
        load_bot(there)
        assert after.changed(["anna"]) == []  # whatever it does with it
