"""The files of a bot: its own, its modules and its data, and nothing of the bots beside it; and that these are run."""

from __future__ import annotations

import hashlib
import os
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots import bundle
from arena.bots.bundle import BUNDLES, bundles_folder, read_bundle
from arena.bots.faults import BotError, author_traceback
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.errors import BotWarning

ACT = "\n\ndef act(view, moves):\n    return moves[0]\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a class, with the bots of others in it and all that these use."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "class"
    write(folder / "anna.py", "import anna_helper" + ACT)
    write(folder / "anna_helper.py", 'NETS = "nets"\n')
    write(folder / "anna_book.json", "[1]")
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
        "import random, json.decoder, numpy.linalg\nfrom arena import Bot\nX = 'json'" + ACT,
        'X = [".", "..", "", "/", "../class", "class", "anna", "*", "*.json", "%s", "~", "\\0", "\\ud800"]' + ACT,
        'HERE = "../class/."; ANNA = "anna.py"; LONG = "' + "x/" * 3000 + '"' + ACT,
        '"""Like anna, with a book.json and nets."""\n# import anna_helper\n' + ACT,
        "import nothing.here, nets.nothing\nfrom . import nothing\nfrom ... import anna\nX = 'nothing.json'" + ACT,
        # those that are not valid Python
        "import anna_helper\ndef act(view, moves)\n    return",
        'import anna_helper\nX = "book.json"\0',
        "import anna_helper\nX = " + "-" * 200_000 + "1",
        "# coding: nothing\nimport anna_helper",
    ],
    ids=range(9),
)
def test_a_bot_of_one_file_has_the_hash_of_the_file(home: Path, source: str) -> None:
    for name in ("random", "json", "arena"):  # which shadow what the bot imports
        write(home / f"{name}.py", ACT)
    path = write(home / "zoe.py", source)
    assert find_bot("class/zoe.py").source_hash == plain(path)
    assert covered("class/zoe.py", home) == {"zoe.py"}


def test_files_outside_the_folder_of_the_bot_do_not_count(home: Path) -> None:
    """A bot is submitted and copied without them."""
    write(home.parent / "above.py", "")
    write(home.parent / "zoe.json", "")
    write(home / "zoe.py", "from .. import above\nX = '../zoe.json'" + ACT)
    assert covered("class/zoe.py", home.parent) == {"class/zoe.py"}


# ---------------------------------------------------------------- modules and data

#: The source of zoe.py, what lies beside it, and the files that count as well.
CASES: list[tuple[str, dict[str, str], str]] = [
    ("import zoe_1", {"zoe_1.py": "import zoe_1, zoe"}, "zoe_1.py"),
    (
        "def f():\n    try:\n        from zoe_1 import (\n            a)\n    except OSError: pass",
        {"zoe_1.py": ""},
        "zoe_1.py",
    ),
    ("from . import zoe_1", {"zoe_1.py": ""}, "zoe_1.py"),
    ("import importlib\nh = importlib.import_module('zoe_1')", {"zoe_1.py": ""}, "zoe_1.py"),
    ("h = __import__('zoe_1')", {"zoe_1.py": ""}, "zoe_1.py"),
    (
        "import brain.search\nfrom brain import book",
        {
            "brain/__init__.py": "from .base import Base",
            "brain/base.py": "from ..ben import act\nfrom .deep import net\nimport shared",
            "brain/search.py": "",
            "brain/book.py": "",
            "brain/unused.py": "",
            "brain/data.bin": "",
            "brain/deep/__init__.py": "",
            "brain/deep/net.py": "",
            "shared.py": "",
        },
        "ben.py shared.py brain/__init__.py brain/base.py brain/search.py brain/book.py"
        " brain/deep/__init__.py brain/deep/net.py",
    ),
    (
        "import fast, faster",
        {
            "fast.py": "",
            "fast.cpython-311-x86_64-linux-gnu.so": "",
            "faster.pyd": "",
            "fast.txt": "",
            "fast.old.py": "",
        },
        "fast.py fast.cpython-311-x86_64-linux-gnu.so faster.pyd",
    ),
    (
        "",
        dict.fromkeys(("zoe.json", "zoe_net.npz", "zoe-book.txt", "zoe.txt.gz", "zoex.json", "zoe", "Zoe.json"), ""),
        "zoe.json zoe_net.npz zoe-book.txt zoe.txt.gz",
    ),
    # what another bot there fits better, and what is no data
    ("", {"zoe_v2.py": ACT, "zoe_v2.json": "", "zoe_v2_net.npz": "", "zoe_v.json": ""}, "zoe_v.json"),
    ("", dict.fromkeys(("zoe.log", "zoe.md", "zoe_old.py", "zoe.pyc"), ""), ""),
    (
        "",
        dict.fromkeys(
            f"zoe_data/{one}" for one in ("a.txt", "b/c", "run.log", "x.py", "__pycache__/x", ".git/x", "results/x")
        ),
        "zoe_data/a.txt zoe_data/b/c",
    ),
    ("X = 'results', 'nets', 'book.json', 'nets/*.npz'", {"results/quick/games.sqlite": ""}, ""),
]


@pytest.mark.parametrize(("source", "files", "found"), CASES, ids=range(len(CASES)))
@pytest.mark.filterwarnings("ignore::arena.errors.BotWarning")
def test_modules_count_that_are_imported_and_data_that_are_called_like_the_bot(
    home: Path, source: str, files: dict[str, str], found: str
) -> None:
    for name, text in files.items():
        write(home / name, text or "x = 1")
    write(home / "zoe.py", source + ACT)
    assert covered("class/zoe.py", home) == {"zoe.py", *found.split()}


@pytest.mark.parametrize("name", ["bot.py", "zoe.py"])
def test_a_bot_in_a_folder_of_its_own_has_all_files_there(home: Path, name: str) -> None:
    """However it names them: by f-strings, glob, runpy, or sys.path."""
    own = home / "zoe"
    data = {"w.json", "notes/deep/net.npz", "lib/table.csv", "results.txt"}
    code = {"lib/tools.py", "helper.py"}
    others = {"train.py", "run.log", "README.md", ".env", "results/x", "leagues/x", "env/pyvenv.cfg", "env/lib/x.py"}
    for path in data | code | others:
        write(own / path, "x = 1")
    write(own / name, "import sys, helper\nsys.path.insert(0, 'lib')\nimport tools" + ACT)
    (own / "link").symlink_to("notes")
    (own / "loop").symlink_to(".")
    assert covered(own / name, own) == {name, *data, *code}
    assert "link/deep/net.npz" in read_bundle(own / name).files


def test_a_name_of_a_file_that_does_not_count_is_noted(home: Path) -> None:
    source = (
        'import os\nHERE = os.path.dirname(__file__)\nX = open(f"{HERE}/book.json"), "anna.py", "nothing.json"' + ACT
    )
    write(home / "zoe.py", source)
    write(home / "zoe_book.json", "")
    with pytest.warns(BotWarning, match=r"zoe.py names anna.py, book.json, which it does not have .* zoe_anna.py"):
        find_bot("class/zoe.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(home / "zoe.py", source.replace("book.json", "zoe_book.json").replace("anna.py", "anna"))
        find_bot("class/zoe.py")
        write(home / "zoe" / "zoe.py", source)
        find_bot("class/zoe/zoe.py")
        write(home / "zoe.py", 'X = open("class/book.json"), "/class/book.json"' + ACT)  # from the working folder
        find_bot("class/zoe.py")
    write(home / "zoe" / "zoe.py", 'import runpy\nrunpy.run_path("other.py"), open("./a.md"), open("b.txt")' + ACT)
    for name in ("other.py", "a.md", "b.txt"):
        write(home / "zoe" / name, "")
    with pytest.warns(BotWarning, match=r"zoe.py names a.md, other.py, which it does not have .* import it, or rename"):
        find_bot("class/zoe/zoe.py")


def test_links_inside_the_folder(home: Path) -> None:
    write(home / "zoe.py", "import linked_helper" + ACT)
    links = {"zoe_circle": "zoe_circle", "zoe_gone": "nowhere", "zoe_near": "nets", "zoe.json": "book.json"}
    for name, to in (links | {"linked_helper.py": "ben.py"}).items():
        (home / name).symlink_to(to)
    write(home / "zoe_linked" / "own", "")
    (home / "zoe_linked" / "in").symlink_to("../nets")
    found = {"zoe.py", "zoe_linked/own", "book.json", "zoe.json", "nets/one.npz", "ben.py", "linked_helper.py"}
    assert covered("class/zoe.py", home) == found


#: What a bot names, the links in its folder, and the reason for the refusal.
REFUSED: list[tuple[str, dict[str, str], str]] = [
    ("", {"zoe_key": "../secret"}, "leads out"),
    ("", {"zoe_key": "nets/../other", "other": "../secret"}, "leads out"),
    ("", {"zoe_around": ".."}, "leads out"),
    ("", {"out": "../far", "zoe_inner": "out/secret"}, "leads out"),
    ("", {"zoe_far": "../far"}, "leads out"),
    ("", {"zoe_nets/key": "../../secret"}, "leads out"),
    ("import helper", {"helper.py": "../secret"}, "leads out"),
    ("import brain.deep", {"brain": "../far"}, "leads out"),
    ("", {"zoe_key": "/proc/self/environ"}, "leads out"),
    ("", {"zoe_key": "/proc/self/pagemap"}, "leads out"),
    ("", {"zoe_key": "/dev/zero"}, "leads out"),
    ("", {"zoe_key": "pipe"}, "not a regular file"),
    ("", {"zoe_data/key": "../pipe"}, "not a regular file"),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(("source", "links", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_files_that_are_refused(home: Path, source: str, links: dict[str, str], reason: str) -> None:
    """They would be copied to where the bot reads them, or never end."""
    write(home.parent / "secret", "")
    for name in ("secret", "__init__.py", "deep.py"):
        write(home.parent / "far" / name, "")
    os.mkfifo(home / "pipe")
    for name, to in links.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).symlink_to(to)
        if not (home / name).exists() and to.startswith("/"):
            pytest.skip(f"this system has no {to}")
    write(home / "zoe.py", source + ACT)
    with pytest.raises(BotError, match=reason):
        find_bot("class/zoe.py")


@pytest.mark.parametrize(
    ("limit", "most"), [("MAX_BOT_FILES", 12), ("MAX_BOT_BYTES", 900), ("_MOST_PARSED_BYTES", 500)]
)
def test_bots_with_too_many_or_too_large_files(
    home: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    for number in range(12):
        write(home / "zoe_data" / str(number), "x" * 50)
    write(home / "zoe.py", "import ben, anna" + ACT)
    find_bot("class/zoe.py")
    monkeypatch.setattr(bundle, limit, most)
    write(home / "ben.py", "#" * 400)
    with pytest.raises(BotError, match="more than"):
        find_bot("class/zoe.py")


def test_sources_that_keep_the_parser_busy(home: Path) -> None:
    """Whoever names a bot waits for this; today's worst takes seconds."""
    many = "import " + ",".join(f"a{number}" for number in range(50_000)) + "\n"
    for number in range(100):
        (home / f"d{number}").mkdir()
    hours = "# coding: punycode\n#-" + "a" * 2_000_000
    for text in (many, hours):
        write(home / "anna_helper.py", text)
        write(home / "anna_helper.so", hours)
        assert find_bot("class/anna.py").source_hash != plain(home / "anna.py")


# ---------------------------------------------------------------- bots of packages

CLASS = "\n\nclass Mine:\n    def act(self, view, moves):\n        return moves[0]\n"


def test_of_a_package_the_modules_count_that_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "pack/__init__.py": "from pack.common import x\n",
        "pack/common.py": "",
        "pack/readme.txt": "",
        "pack/deep/__init__.py": "",
        "pack/deep/bot.py": "from ..tools import a\nimport other, pack.nothing" + CLASS,
        "pack/tools.py": "",
        "other.py": "",
    }
    for name, text in files.items():
        write(tmp_path / name, text)
    write(tmp_path / "pack" / "deep" / "other.py", "")
    write(tmp_path / "pack" / "unused.py", "")
    assert covered("pack.deep.bot:Mine", tmp_path) == set(files)


# ---------------------------------------------------------------- what is run

SHOWS = """
import json, os
from pathlib import Path
import zoe_helper

HERE = os.path.dirname(__file__)
READ = [open(f"{HERE}/zoe.json").read(), Path(__file__).with_name("zoe_data").joinpath("a").read_text()]


class Zoe:
    def act(self, view, moves):
        zoe_helper.fail([READ, os.listdir(HERE)])
"""


def test_a_bot_runs_from_its_bundle_and_its_messages_show_where_it_lies(home: Path, tmp_path: Path) -> None:
    write(home / "zoe_helper.py", "def fail(what):\n    raise ValueError(what)\n")
    write(home / "zoe.py", SHOWS)
    write(home / "zoe.json", "1")
    write(home / "zoe_data" / "a", "2")
    spec = find_bot("class/zoe.py")
    with bundles_folder(tmp_path / "run") as folder:
        placed, again = spec.placed(folder), find_bot("other=class/zoe.py").placed(folder)
        assert (placed, placed.bundle, again.home) == (replace(spec, home=placed.home), None, placed.home)
        assert Path(placed.home) == folder / spec.source_hash / "zoe"
        assert not any(path.stat().st_mode & 0o222 for path in [Path(placed.home), *Path(placed.home).rglob("*")])
        for name in ("zoe.json", "zoe_data/a"):
            write(home / name, "edited")
        write(home / "zoe_helper.py", "")
        loaded = load_bot(placed)
        with pytest.raises(ValueError, match=r"\[\['1', '2'\], \[") as caught:
            loaded.make().act(None, [])  # type: ignore[arg-type]
        text = author_traceback(caught.value)
        assert f'File "{home}/zoe.py", line 12, in act\n    zoe_helper.fail(' in text
        assert f'File "{home}/zoe_helper.py", line 2, in fail\n    raise ValueError(what)' in text
        assert "book.json" not in str(caught.value)
    assert not (tmp_path / "run" / BUNDLES).exists()


def test_bundles_that_a_killed_run_has_left_are_removed(home: Path, tmp_path: Path) -> None:
    left = find_bot("class/anna.py").placed(tmp_path / BUNDLES)
    assert Path(left.home, "anna_helper.py").exists()
    with bundles_folder(tmp_path) as folder:
        assert not folder.exists()
        (tmp_path / "mine").mkdir(0o700)
        folder.symlink_to("mine")
    assert not folder.is_symlink()
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o700


def test_a_program_that_a_bot_starts_stays_one(home: Path, tmp_path: Path) -> None:
    write(home / "zoe.py", ACT)
    write(home / "zoe-engine", "#!/bin/sh").chmod(0o755)
    placed = find_bot("class/zoe.py").placed(tmp_path)
    assert os.access(Path(placed.home, "zoe-engine"), os.X_OK)
