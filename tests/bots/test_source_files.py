"""What the hash of a bot covers: its file, its modules and its data, and nothing of the bots beside it."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from pathlib import Path

import pytest

from arena.bots import source_files
from arena.bots.faults import BotError
from arena.bots.loading import load_bot
from arena.bots.source_files import source_files as files_of
from arena.bots.spec import find_bot, known_bots
from arena.paths import data_folder, weights_hash

ACT = "\n\ndef act(view, moves):\n    return moves[0]\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a class, with the bots of others in it and all that these use."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "class"
    write(folder / "anna.py", 'import anna_helper\nBOOK = "book.json"' + ACT)
    write(folder / "anna_helper.py", 'NETS = "nets"\n')
    write(folder / "book.json", "[1]")
    write(folder / "nets" / "one.npz", "1")
    write(folder / "nets" / "ben.py", ACT)
    write(folder / "ben.py", ACT)
    write(folder / "__pycache__" / "ben.cpython-311.pyc", "x")
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def plain(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def covered(bot: Path | str, folder: Path) -> set[str]:
    """Return the files whose content counts, found by changing each file in turn."""
    before = find_bot(str(bot)).source_hash
    found = set()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        path.write_bytes(content + b"\n#")
        if find_bot(str(bot)).source_hash != before:
            found.add(path.relative_to(folder).as_posix())
        path.write_bytes(content)
    assert find_bot(str(bot)).source_hash == before
    return found


# ---------------------------------------------------------------- bots of one file


@pytest.mark.parametrize(
    "source",
    [
        "import random, numpy.linalg\nfrom arena import Bot\n",
        'TEXTS = [".", "..", "", "/", "./", "../class", "class", "anna", "*", "*.json", "%s", "~", "\\0", "\\ud800"]\n',
        'HERE = "../class/."; ANNA = "anna.py"; LONG = "' + "x/" * 3000 + '"\n',
        '"""Like anna, with a book.json and nets."""\n# import anna_helper\n',
        'import nothing.here, nets.nothing\nfrom . import nothing\nfrom ... import anna\nTEXT = "nothing.json"\n',
    ],
)
def test_a_bot_of_one_file_has_the_hash_of_the_file(home: Path, source: str) -> None:
    path = write(home / "zoe.py", source + ACT)
    assert find_bot("class/zoe.py").source_hash == plain(path)
    assert covered("class/zoe.py", home) == {"zoe.py"}


def test_an_absolute_path_around_the_bot_names_nothing(home: Path) -> None:
    path = write(home / "zoe.py", f"HERE, ABOVE = {str(home)!r}, {str(home.parent)!r}" + ACT)
    assert find_bot("class/zoe.py").source_hash == plain(path)
    write(home / "zoe.py", f"BOOK = {str(home / 'book.json')!r}" + ACT)
    assert covered("class/zoe.py", home) == {"zoe.py", "book.json"}


def test_files_outside_the_folder_of_the_bot_do_not_count(home: Path) -> None:
    """A bot is submitted and copied without them."""
    write(home.parent / "above.py", "")
    write(home.parent / "above.json", "")
    source = f"from .. import above\nX = '../above.json', {str(home.parent / 'above.json')!r}"
    write(home / "zoe.py", source + ACT)
    write(home / "above", "")  # so that the source is parsed
    assert covered("class/zoe.py", home.parent) == {"class/zoe.py"}


def test_the_bots_of_the_program_keep_their_hashes() -> None:
    """Stored runs name bots by them."""
    for name in known_bots(data_folder("bots")):
        path = data_folder("bots") / f"{name}.py"
        expected = plain(path)
        if b"load_net" in path.read_bytes():
            expected = hashlib.sha256(f"{expected} {weights_hash()}".encode()).hexdigest()
        assert find_bot(str(path)).source_hash == expected


@pytest.mark.parametrize(
    "source",
    [
        "import anna_helper\ndef act(view, moves)\n    return",
        'import anna_helper\nX = "book.json"\0',
        "import anna_helper\nX = " + "-" * 200_000 + "1",
        "import anna_helper\nX = x" + ".real" * 200_000,
        "# coding: nothing\nimport anna_helper",
    ],
    ids=["syntax", "nul", "deep", "deep attributes", "encoding"],
)
def test_of_a_bot_that_is_not_valid_python_the_file_counts(home: Path, source: str) -> None:
    path = write(home / "zoe.py", source)
    assert find_bot("class/zoe.py").source_hash == plain(path)


def test_a_very_long_source_is_not_parsed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "_LONGEST_PARSED", 100)
    path = write(home / "zoe.py", "import anna_helper" + ACT + "#" * 100)
    assert find_bot("class/zoe.py").source_hash == plain(path)


def test_nothing_is_printed_or_run(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(home / "zoe.py", "import zoe_helper\nprint('run')\nX = '\\d' 'nets'\nY = 1 is 1" + ACT)
    write(home / "zoe_helper.py", "raise SystemExit('run')\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        modules = set(sys.modules)
        assert covered("class/zoe.py", home) == {"zoe.py", "zoe_helper.py"}
    assert capfd.readouterr() == ("", "")
    assert [str(one.message) for one in caught] == []
    assert set(sys.modules) == modules


# ---------------------------------------------------------------- modules


@pytest.mark.parametrize(
    "statement",
    [
        "import zoe_helper",
        "import math, zoe_helper as h",
        "from zoe_helper import *",
        "def act2():\n    try:\n        from zoe_helper import (\n            a\n        )\n    except OSError: pass",
        "from . import zoe_helper",
        "from .zoe_helper import a",
        "import importlib\nh = importlib.import_module('zoe_helper')",
        "h = __import__('zoe_helper')",
    ],
)
def test_a_module_that_is_imported_counts(home: Path, statement: str) -> None:
    write(home / "zoe_helper.py", "a = 1\n")
    write(home / "zoe.py", statement + ACT)
    assert covered("class/zoe.py", home) == {"zoe.py", "zoe_helper.py"}


def test_modules_count_that_modules_import(home: Path) -> None:
    write(home / "zoe.py", "import zoe_1" + ACT)
    write(home / "zoe_1.py", "import zoe_2, zoe_1, zoe\n")
    write(home / "zoe_2.py", "import anna\n")
    assert covered("class/zoe.py", home) == {
        "zoe.py", "zoe_1.py", "zoe_2.py", "anna.py", "anna_helper.py", "book.json", "nets/one.npz",
    }  # fmt: skip


def test_packages(home: Path) -> None:
    write(home / "zoe.py", "import brain.search\nfrom brain import book" + ACT)
    write(home / "brain" / "__init__.py", "from .base import Base\n")
    write(home / "brain" / "base.py", "from ..ben import act\nfrom .deep import net\nimport shared\n")
    write(home / "brain" / "search.py", "")
    write(home / "brain" / "book.py", 'PLACE = "../book.json"\nHERE = "."\n')
    write(home / "brain" / "unused.py", "")
    write(home / "brain" / "data.bin", "")
    write(home / "brain" / "deep" / "__init__.py", "")
    write(home / "brain" / "deep" / "net.py", 'PLACE = "net.npz"\n')
    write(home / "brain" / "deep" / "net.npz", "")
    write(home / "shared.py", "")
    expected = {
        "zoe.py", "ben.py", "shared.py", "book.json", "brain/__init__.py", "brain/base.py", "brain/search.py",
        "brain/book.py", "brain/deep/__init__.py", "brain/deep/net.py", "brain/deep/net.npz",
    }  # fmt: skip
    assert covered("class/zoe.py", home) == expected


def test_compiled_modules(home: Path) -> None:
    write(home / "zoe.py", "import fast, faster" + ACT)
    write(home / "fast.py", "")
    write(home / "fast.cpython-311-x86_64-linux-gnu.so", "ELF")
    write(home / "faster.pyd", "MZ")
    write(home / "fast.txt", "")
    write(home / "fast.old.py", "")
    assert covered("class/zoe.py", home) == {
        "zoe.py", "fast.py", "fast.cpython-311-x86_64-linux-gnu.so", "faster.pyd",
    }  # fmt: skip


def test_modules_of_others_do_not_count(home: Path) -> None:
    """A file that shadows the standard library or the program is not what a bot imports."""
    for name in ("random", "json", "arena"):
        write(home / f"{name}.py", ACT)
    path = write(home / "zoe.py", "import random, json.decoder, numpy\nfrom arena import Bot\nX = 'json'" + ACT)
    assert find_bot("class/zoe.py").source_hash == plain(path)


def test_a_folder_that_is_put_on_the_path(home: Path) -> None:
    write(
        home / "zoe.py",
        "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'lib'))\nimport ai" + ACT,
    )
    write(home / "lib" / "ai.py", "import ai_tables\n")
    write(home / "lib" / "ai_tables.py", "")
    write(home / "lib" / "other.py", "")
    assert covered("class/zoe.py", home) == {"zoe.py", "lib/ai.py", "lib/ai_tables.py"}


def test_packaged_weights_count_if_a_module_loads_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home / "zoe.py", "import zoe_net" + ACT)
    write(home / "zoe_net.py", "from arena.policy import load_net\n")
    before = find_bot("class/zoe.py").source_hash
    monkeypatch.setattr(source_files, "weights_hash", lambda: "others")
    assert find_bot("class/zoe.py").source_hash != before


# ---------------------------------------------------------------- data


@pytest.mark.parametrize(
    ("expression", "files"),
    [
        ('P.with_name("book.json")', {"book.json"}),
        ('P.parent / "nets" / "one.npz"', {"nets/one.npz"}),
        ('open("nets/one.npz")', {"nets/one.npz"}),
        ('open("./nets//../book.json")', {"book.json"}),
        ('P.parent.glob("nets/*.npz")', {"nets/one.npz"}),
        ('P.parent / f"nets/net_{P}"', {"nets/one.npz"}),
        ('"nets/%s.npz" % P', {"nets/one.npz"}),
        ('"nets/{}.npz".format(P)', {"nets/one.npz"}),
        ('P.with_suffix(".npz")', {"zoe.npz"}),
        ('P.stem + "_data"', {"zoe_data/a.txt", "zoe_data/b/c"}),
        ('"zoe_data"', {"zoe_data/a.txt", "zoe_data/b/c"}),
        ('"zoe_data/b"', {"zoe_data/b/c"}),
        ('"zoe_data/run.log", "zoe_data/x.py", "zoe_data/__pycache__", "anna.py"', set()),
        ('".hidden"', {".hidden"}),
        ('b"book.json", "Book.json", "book", "json", "one.npz"', set()),
    ],
)
def test_data_counts_that_is_named(home: Path, expression: str, files: set[str]) -> None:
    for name in ("zoe.npz", "anna.npz", ".hidden", "zoe_data/a.txt", "zoe_data/b/c", "zoe_data/run.log"):
        write(home / name, "x")
    for name in ("zoe_data/x.py", "zoe_data/__pycache__/x.pyc", "zoe_data/.git/config", "zoe_data/.env"):
        write(home / name, "x")
    write(home / "zoe.py", f"P = ''\nX = {expression}" + ACT)
    assert covered("class/zoe.py", home) == {"zoe.py"} | files


def test_names_and_places_of_data_count(home: Path) -> None:
    write(home / "zoe.py", "X = 'nets'" + ACT)
    before = find_bot("class/zoe.py").source_hash
    (home / "nets" / "one.npz").rename(home / "nets" / "two.npz")
    assert find_bot("class/zoe.py").source_hash != before
    (home / "nets" / "two.npz").unlink()
    assert find_bot("class/zoe.py").source_hash == plain(home / "zoe.py")


def test_where_the_folder_is_and_what_the_bot_is_called_does_not_count(home: Path) -> None:
    write(home / "zoe.py", "import anna_helper" + ACT)
    before = find_bot("class/zoe.py").source_hash
    (home / "zoe.py").rename(home / "zoe2.py")
    home.rename(home.with_name("moved"))
    assert find_bot("moved/zoe2.py").source_hash == before


def test_links(home: Path) -> None:
    write(home / "zoe.py", "X = 'circle', 'gone', 'linked', 'far', 'file'" + ACT)
    for name, to in {
        "circle": "circle", "gone": "nowhere", "far": "../far", "file": "book.json",
        "linked/around": "../..", "linked/in": "../nets",
    }.items():  # fmt: skip
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).symlink_to(to)
    write(home / "linked" / "own", "")
    write(home.parent / "far" / "away", "")
    assert covered("class/zoe.py", home.parent) == {
        "class/zoe.py", "class/linked/own", "far/away", "class/book.json", "class/file",
    }  # fmt: skip


def test_of_a_huge_folder_the_first_files_count(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "_MOST_FILES", 3)
    for name in ("sub/x", *"mdlbkcjfigahe"):
        write(home / "zoe_data" / name, "")
    write(home / "zoe.py", "X = 'zoe_data'" + ACT)
    assert covered("class/zoe.py", home) == {"zoe.py", "zoe_data/a", "zoe_data/b", "zoe_data/c"}


def test_special_files_are_not_read(home: Path) -> None:
    os.mkfifo(home / "pipe")
    os.mkfifo(home / "nets" / "pipe")
    os.mkfifo(home / "pipe.py")
    (home / "device").symlink_to("/dev/zero")
    write(home / "zoe.py", "import pipe\nX = 'pipe', 'device', 'nets'" + ACT)
    assert find_bot("class/zoe.py").source_hash != plain(home / "zoe.py")  # and it returns


# ---------------------------------------------------------------- bots of packages

CLASS = "\n\nclass Mine:\n    def act(self, view, moves):\n        return moves[0]\n"


def test_of_a_package_the_modules_count_that_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "pack" / "__init__.py", "from pack.common import x\n")
    write(tmp_path / "pack" / "common.py", "x = 'readme.txt'\n")
    write(tmp_path / "pack" / "readme.txt", "")
    write(tmp_path / "pack" / "deep" / "__init__.py", "")
    write(
        tmp_path / "pack" / "deep" / "bot.py",
        "from ..tools import a\nimport other, pack.nothing\nX = '..', '../..'" + CLASS,
    )
    write(tmp_path / "pack" / "deep" / "other.py", "")
    write(tmp_path / "pack" / "tools.py", "")
    write(tmp_path / "pack" / "unused.py", "")
    write(tmp_path / "other.py", "")
    assert covered("pack.deep.bot:Mine", tmp_path) == {
        "pack/__init__.py", "pack/common.py", "pack/readme.txt", "pack/deep/__init__.py", "pack/deep/bot.py",
        "pack/tools.py", "other.py",
    }  # fmt: skip


def test_a_module_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside an installed module lie all others."""
    monkeypatch.chdir(tmp_path)
    installed = tmp_path / "site-packages"
    for folder in (tmp_path, installed):
        write(folder / "mine_helper.py", "")
        write(folder / f"mine{folder == installed:d}.py", "import mine_helper" + CLASS)
    monkeypatch.syspath_prepend(str(installed))
    assert covered("mine0:Mine", tmp_path) == {"mine0.py", "mine_helper.py"}
    assert covered("mine1:Mine", installed) == {"mine1.py"}


def test_the_program_itself_does_not_count() -> None:
    path = source_files.Path(source_files.__file__)
    assert (
        files_of(path, b"from arena.bots import spec", "arena.bots.source_files").source_hash
        == hashlib.sha256(b"from arena.bots import spec").hexdigest()
    )


# ---------------------------------------------------------------- loading


def test_a_bot_whose_data_have_changed_is_loaded(home: Path) -> None:
    """A bot may write a file of its own; its other processes must still load it. The next run sees the change."""
    write(home / "zoe.py", "import anna_helper\nX = 'book.json'" + ACT)
    spec = find_bot("class/zoe.py")
    write(home / "book.json", "[2]")
    assert load_bot(spec).spec == spec
    assert find_bot("class/zoe.py") != spec
    write(home / "zoe.py", ACT)
    with pytest.raises(BotError, match="has changed since it was named"):
        load_bot(spec)
