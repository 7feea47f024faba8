"""Finding and loading bots: what a spec can be, what is refused and in which words, and that bots do not meet."""

from __future__ import annotations

import importlib.util
import os
import pickle
import py_compile
import sys
from pathlib import Path

import pytest

from arena.bots.faults import BotError, author_traceback
from arena.bots.loading import load_bot
from arena.bots.spec import check_names, find_bot, find_bots, known_bots
from arena.errors import BotWarning
from arena.paths import data_folder

CLASS = """
class {name}:
    def __init__(self{params}):
        self.got = ({values})

    def act(self, view, moves):
        return moves[0]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a folder `bots`."""
    (tmp_path / "bots").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def bot_file(path: Path, params: str = "", values: str = "", name: str = "Mine") -> str:
    return write(path, CLASS.format(name=name, params=f", {params}" if params else "", values=values))


def error_of(spec: str) -> str:
    with pytest.raises(BotError) as caught:
        load_bot(spec)
    return str(caught.value)


# ---------------------------------------------------------------- finding


def test_bare_names_are_looked_up_in_the_program_first_then_here(here: Path) -> None:
    bot_file(here / "bots" / "random.py")
    bot_file(here / "bots" / "mine.py")
    write(here / "bots" / "_helper.py", "")
    with pytest.warns(BotWarning, match=r"'random' means the bot that comes with .* write bots/random\.py"):
        assert Path(find_bot("random").path) == data_folder("bots") / "random.py"
    assert Path(find_bot("mine").path) == here / "bots" / "mine.py"
    assert {"mine", "greedy", "random", "counter", "search", "scripted", "first"} <= set(known_bots())
    assert "_helper" not in known_bots()


def test_what_is_not_there_is_named_with_the_nearest_known(here: Path) -> None:
    assert "did you mean 'greedy'?" in error_of("gredy")
    bot_file(here / "bots" / "mine.py")
    assert error_of("bots/mime.py").endswith("did you mean 'mine.py'?")
    assert "name one file in it (mine.py)" in error_of("./bots")
    write(here / "yours" / "first.py", "")
    assert "the bot yours is a folder; name one file in it (first.py)" in error_of("yours")
    bot_file(here / "bots" / "x" / "syn.py")
    assert error_of("bots/x/nofile.py") == f"no bot bots/x/nofile.py: there is no such file in {here / 'bots' / 'x'}"
    for spec in ("bots/greedy.py", "greedy.py", "nowhere/greedy.py"):
        assert error_of(spec).endswith("; 'greedy' is known by name, without folder and .py")
    assert "there is no folder" in error_of("nowhere/mine.py")
    assert "there is no module nothing.here" in error_of("nothing.here:Bot")


def test_names(here: Path) -> None:
    bot_file(here / "a" / "bot.py", "n: int = 1", "n,")
    bot_file(here / "b" / "bot.py")
    assert [spec.name for spec in find_bots(["a/bot.py", "a/bot.py:n=2", "x=b/bot.py"])] == ["bot", "bot:n=2", "x"]
    with pytest.raises(BotError, match=r"two bots are called 'bot' \(a/bot.py and b/bot.py\).*'bot2=b/bot.py'"):
        find_bots(["a/bot.py", "b/bot.py"])
    with pytest.raises(BotError, match="random, twice"):
        check_names([find_bot("random"), find_bot("random")])
    assert find_bot("a/bot.py", {"n": 4}, name="four").name == "four"
    assert find_bot("a/bot.py", {"n": 4}).name == "bot:n=4"


# ---------------------------------------------------------------- commands


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_command_is_split_like_in_a_shell_and_its_files_are_made_absolute(here: Path) -> None:
    mine = program(here / "bots" / "my bot")
    net = here / "nets" / "a=1.bin"
    write(net, "weights")
    spec = find_bot("cmd:'bots/my bot' --net nets/a=1.bin --x=nets/a=1.bin \"$HOME *\" nets ''")
    assert spec.command == (str(mine), "--net", str(net), "--x=nets/a=1.bin", "$HOME *", "nets", "")
    assert spec.files == (str(mine), str(net))
    assert (spec.name, spec.path, spec.params) == ("my bot", str(mine), ())
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_the_bots_own_file_is_the_first_that_is_no_program_of_the_system(here: Path) -> None:
    script = Path(write(here / "deep" / "bot.sh", "exit"))
    for command in ("sh deep/bot.sh", f"'{here}/python3' deep/bot.sh", "/bin/sh -e ./deep/bot.sh"):
        (here / "python3").unlink(missing_ok=True)
        (here / "python3").symlink_to("/bin/sh")
        spec = find_bot(f"cmd:{command}")
        assert (spec.path, spec.files, spec.name) == (str(script), (str(script),), "bot")
        assert spec.command[-1] == str(script)
        assert os.access(spec.command[0], os.X_OK)
    assert find_bot(f"cmd:'{here}/python3' deep/bot.sh").command[0] == str(here / "python3")
    alone = find_bot("cmd:sh -c 'exit;'")
    assert (alone.name, alone.path) == ("sh", alone.command[0])
    other = program(here / "other" / "bot.sh")
    assert find_bot("cmd:./bot.sh", folder=other.parent).path == str(other)
    program(here / "sh")  # what is found on the path comes before it
    assert find_bot("cmd:sh -c 'exit;'").command == alone.command


def test_the_hash_of_a_command_covers_its_text_and_its_files(here: Path) -> None:
    program(here / "mybot")
    write(here / "net.bin", "1")
    first = find_bot("cmd:./mybot net.bin").source_hash
    assert find_bot("named=cmd: ./mybot net.bin ").source_hash == first
    assert find_bot("cmd:./mybot net.bin --fast").source_hash != first
    write(here / "net.bin", "2")
    changed = find_bot("cmd:./mybot net.bin").source_hash
    assert changed != first
    program(here / "mybot", "#!/bin/bash\n")
    assert find_bot("cmd:./mybot net.bin").source_hash not in (first, changed)


def test_commands_that_cannot_be_run_are_refused_with_the_remedy(here: Path) -> None:
    program(here / "bots" / "mybot")
    write(here / "bots" / "script.py", "")
    for spec, text in {
        "cmd:bots/mybott --fast": "did you mean 'mybot'?",
        "cmd:./nowhere/bot": f"there is no folder {here}/nowhere",
        "cmd:bots": "is a folder",
        "cmd:bots/script.py": "cmd:PROGRAM bots/script.py",
        "cmd:sh bots": "names the folder bots",
        "cmd:sh -cp bots:bots/script.py Main": "names the folder bots:bots/script.py",
        "cmd:bots/script": "did you mean 'script.py'?",
        "bots/script": "did you mean 'script.py'?",
        "cmd:'open": "no closing quotation",
        "cmd:  ": "names no program",
        "cmd:bots/mybot a\0b": "NUL",
        "cmd:bots/mybot": "cannot be loaded into this one",
    }.items():
        assert text in error_of(spec), spec
    assert error_of("cmd:nosuch").endswith(f"a file in {here}")
    with pytest.raises(BotError, match=r"has no parameters.*--depth=3"):
        find_bot("cmd:bots/mybot", {"depth": 3})


# ---------------------------------------------------------------- loading


def test_a_file_is_one_bot(here: Path) -> None:
    assert isinstance(load_bot(bot_file(here / "one.py")).make(), object)
    write(here / "f.py", "from arena.bots.bot import Bot\n\ndef act(view, moves):\n    return moves[0]\n")
    assert callable(load_bot("./f.py").make().act)
    classes = [CLASS.format(name=name, params="", values="") for name in ("Mine", "Other")]
    write(here / "two.py", "\n\n".join([*classes, "def act(view, moves): ..."]))
    assert "holds 3 bots: class Mine, class Other, function act" in error_of("two.py")
    write(here / "none.py", "class Thing:\n    pass\n\ndef play(): ...\n")
    assert "found class Thing, function play" in error_of("none.py")
    write(here / "empty.py", "x = 1\n")
    assert "found neither classes nor functions" in error_of("empty.py")


def test_helpers_abstract_and_imported_classes_are_no_bots(here: Path) -> None:
    bot_file(here / "base.py", name="Base")
    source = (
        "import abc, typing\nfrom base import Base\nfrom arena.bots.bot import Bot\n\n"
        "class Player(typing.Protocol):\n    def act(self, view, moves): ...\n\n"
        "class _Helper(Base):\n    pass\n\n"
        "class Abstract(Bot, abc.ABC):\n    @abc.abstractmethod\n    def rate(self): ...\n"
        "    def act(self, v, m): ...\n\n"
        "class Unfinished(Bot):\n    pass\n\n"
        "class Real(Base):\n    pass\n"
    )
    write(here / "bot.py", source)
    assert type(load_bot("bot.py").make()).__name__ == "Real"


def test_the_author_sees_the_place_in_his_own_file(here: Path) -> None:
    write(here / "wire.py", "import json\nimport sys\n\nfor line in sys.stdin:\n    json.loads(line)\n")
    assert error_of("wire.py").endswith("name what runs it: 'cmd:python3 wire.py'")
    for file in ("wire.py", "./wire.py"):
        assert error_of(f"{file}:colour").endswith("a parameter is written colour=VALUE")
        assert error_of(f"{file}:Bot").endswith("one file is one bot, so its class is not named")
    write(here / "dotted.py", "from .helper import pick\n\ndef act(view, moves):\n    return pick(moves)\n")
    assert "so write 'from helper import pick':\n" in error_of("dotted.py")
    path = write(here / "broken.py", "import math\n\ndef act(view, moves)\n    return moves[0]\n")
    text = error_of("broken.py")
    assert f"is not valid Python 3.{sys.version_info.minor}:" in text
    assert f'File "{path}", line 3' in text
    path = write(here / "raises.py", "def table():\n    return 1 / 0\n\nTABLE = table()\n\ndef act(v, m): ...\n")
    text = error_of("raises.py")
    assert text.index(f'File "{path}", line 4') < text.index(f'File "{path}", line 2')
    assert text.endswith("ZeroDivisionError: division by zero")
    assert text.count("File ") == 2  # none of ours
    write(here / "leaves.py", "import sys\nsys.exit('bye')\n")
    assert error_of("leaves.py").endswith("SystemExit: bye")
    write(here / "imports.py", "import no_such_thing\n\ndef act(v, m): ...\n")
    assert error_of("imports.py").endswith("No module named 'no_such_thing'")


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        (b"x = 1\n# gr\xfc\xdfe\n", 2, "0xfc is not UTF-8"),
        (b"# coding: latin-1\nx = '\xfc'\n", 1, "its encoding is latin-1"),
        (b"# coding: punycode\n#-" + b"a" * 2_000_000, 1, "its encoding is punycode"),
    ],
)
def test_sources_are_utf_8(here: Path, source: bytes, line: int, text: str) -> None:
    bot_file(here / "bom.py")
    for name, first in (("mine", source), ("bom", b"\xef\xbb\xbf")):
        (here / f"{name}.py").write_bytes(first + (here / "bom.py").read_bytes())
    load_bot("./bom.py")
    write(here / "user.py", f"import mine\n{CLASS.format(name='Mine', params='', values='')}")
    for spec in ("./mine.py", "./user.py"):
        message = error_of(spec)
        assert f'mine.py", line {line}' in message
        assert text in message
        assert "compilation.py" not in message


def test_a_class_of_a_package(here: Path) -> None:
    bot_file(here / "crew" / "deep.py", "n: int = 1", "n,", name="Deep")
    write(here / "crew" / "__init__.py", "")
    spec = find_bot("crew.deep:Deep:n=5")
    assert (spec.name, Path(spec.path)) == ("Deep:n=5", here / "crew" / "deep.py")
    loaded = load_bot(spec)
    assert loaded.make().got == (5,)  # type: ignore[attr-defined]
    assert loaded.uses_random  # nobody knows what a package does
    assert "has no Dep; did you mean 'Deep'?" in error_of("crew.deep:Dep")
    write(here / "crew" / "not_bots.py", "class Thing: ...\nvalue = 1\n")
    assert "is not a bot" in error_of("crew.not_bots:Thing")
    assert "is not a bot" in error_of("crew.not_bots:value")


# ---------------------------------------------------------------- parameters


def test_parameters_are_typed_by_the_signature(here: Path) -> None:
    params = (
        "a: int, b: float = 1, c: bool = False, d: str = '', e: 'int | None' = 3, f=2.5, "
        "*, g: 'Literal[\"x\", \"y\"]' = 'x', h=None"
    )
    path = bot_file(here / "bot.py", params, "a, b, c, d, e, f, g, h")
    Path(path).write_text("from typing import Literal\n" + Path(path).read_text())
    made = load_bot("bot.py:a=7,b=2,c=yes,d=3,e=none,f=1,g=y,h=8").make()
    assert made.got == (7, 2.0, True, "3", None, 1.0, "y", 8)  # type: ignore[attr-defined]
    assert [type(one) for one in made.got[:2]] == [int, float]  # type: ignore[attr-defined]
    values = load_bot(find_bot("bot.py", {"a": 1, "b": 3, "c": True})).params
    assert values == {"a": 1, "b": 3.0, "c": True}


def test_a_value_with_commas_comes_out_as_it_goes_in(here: Path) -> None:
    path = bot_file(here / "bot.py", "text: str = 'x', n: int = 1", "text, n")
    spec = find_bot("bot.py", {"text": "a,b", "n": 2})
    assert spec.name == "bot:n=2,text=a,b"
    assert load_bot(path + spec.name[3:]).params == {"text": "a,b", "n": 2}
    with pytest.raises(BotError, match="in the value of 'text', ',b=1' would begin another parameter"):
        find_bot("bot.py", {"text": "a,b=1"})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("", "needs its parameter 'a'"),
        ("a=x", "'a' is a whole number, not 'x'"),
        ("a=1,c=maybe", "'c' is true or false, not 'maybe'"),
        ("a=1,depht=1", "has no parameter 'depht'; did you mean 'depth'? (it has a: int, c: bool = False, depth: "),
        ("a=1,g=xx", "'g' is one of x, y, not 'xx'; did you mean 'x'?"),
        ("a=1,table=2", "of type list, which cannot be given from outside"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(here: Path, given: str, text: str) -> None:
    params = "a: int, c: bool = False, depth: float = 0, g: 'Literal[\"x\", \"y\"]' = 'x', table: list = ()"
    path = bot_file(here / "bot.py", params, "a,")
    Path(path).write_text("from typing import Literal\n" + Path(path).read_text())
    assert text in error_of(f"bot.py:{given}" if given else "bot.py")


# ---------------------------------------------------------------- bots do not meet


LAZY = """
class Lazy:
    def __init__(self):
        import early

    def act(self, view, moves):
        import early, late, kit.sub as again
        from kit import sub
        from kit.sub import VALUE
        assert again is sub is __import__("kit.sub").sub
        assert late.early is early
        return sub.value() + VALUE

    def end(self, result):
        import broken
"""


def test_a_bot_imports_from_its_folder_at_any_time_and_for_itself(here: Path) -> None:
    for folder, value in (("a", 1), ("b", 2)):
        write(here / folder / "early.py", "")
        write(here / folder / "late.py", "import early\n")
        write(here / folder / "broken.py", "1 / 0\n")
        write(here / folder / "kit" / "deep.py", f"VALUE = {value}\n")
        write(
            here / folder / "kit" / "sub.py",
            f"VALUE = {10 * value}\ndef value():\n    from . import deep\n    return deep.VALUE\n",
        )
        write(here / folder / "lazy.py", LAZY)
    bots = [load_bot(find_bot(f"{name}={name}/lazy.py")).make() for name in "ab"]
    for _ in range(2):
        assert [bot.act(None, []) for bot in bots] == [11, 22]  # type: ignore[arg-type]
        assert not {"early", "late", "kit", "kit.sub", "kit.deep"} & set(sys.modules)
    assert not any(str(here) in entry for entry in sys.path)
    with pytest.raises(ZeroDivisionError) as caught:
        bots[0].end(None)  # type: ignore[attr-defined]
    lines = [line.strip() for line in author_traceback(caught.value).splitlines() if "File" in line]
    assert [line.partition(", line")[0] for line in lines[1:]] == [
        f'File "{here / "a" / "lazy.py"}"',
        f'File "{here / "a" / "broken.py"}"',
    ]


def test_bytecode_is_neither_run_nor_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could be another program than the source beside it, which people read and the hash covers."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    files = ("helper", "bot", "__init__")
    folder = here / "clean"
    for file in ("fresh", *files):
        write(folder / f"{file}.py", "PLANTED = False\n")
    write(
        folder / "bot.py",
        "from helper import PLANTED\n\n"
        "def act(view, moves):\n    from fresh import PLANTED as late\n    return PLANTED or late\n",
    )
    evil = write(here / "evil.py", "PLANTED = True\ndef act(view, moves):\n    return True\n")
    for file in files:
        cached = importlib.util.cache_from_source(str(folder / f"{file}.py"))
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(evil, cached, invalidation_mode=unchecked)
    before = sorted((folder / "__pycache__").iterdir())
    assert load_bot("clean/bot.py").make().act(None, []) is False  # type: ignore[arg-type, comparison-overlap]
    assert sorted((folder / "__pycache__").iterdir()) == before
    (folder / "helper.py").unlink()
    py_compile.compile(evil, str(folder / "helper.pyc"))
    assert error_of("clean/bot.py").endswith("No module named 'helper'")
