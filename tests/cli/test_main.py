"""The group itself: lazy, quick to help, clear about mistakes; `arena explain`."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from arena.cli.commands import cli
from arena.cli.main import main
from arena.cli.options import Number
from tests.cli.conftest import Arena, commands, hear_ctrl_c

HEAVY = (
    "numpy",
    "pandas",
    "scipy",
    "tabulate",
    "sqlite3",
    "multiprocessing",
    "distributed",
    "arena.game.engine",
)


def loaded_by(code: str) -> set[str]:
    """The modules that are there after some code has run in a fresh interpreter."""
    tail = "\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_and_completion_import_nothing_heavy() -> None:
    lines = ["--help", "--version", *(" ".join([*words, "--help"]) for words, _ in commands())]
    code = "\n".join(["from arena.cli.main import main", *(f"assert main({line.split()!r}) == 0" for line in lines)])
    assert not loaded_by(code) & set(HEAVY)


def test_ctrl_c_while_the_program_loads_ends_it_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "arena.cli.main", "--help"]
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=env, capture_output=True, text=True, preexec_fn=hear_ctrl_c)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_match_and_its_table_need_no_pandas(tmp_path: Path) -> None:
    words = ["tournament first random greedy --games 2 --seed 1 -q --workers 1 --out run"]
    words += ["standings run", "standings run --json", "standings run --print csv"]
    start = f"import os\nfrom arena.cli.main import main\nos.chdir({str(tmp_path)!r})\n"
    code = start + "".join(f"assert main({line.split()!r}) == 0\n" for line in words)
    code += "assert 'rich' not in __import__('sys').modules\nassert main(['replay', 'run']) == 0"
    assert not loaded_by(code) & {"pandas", "distributed", "prompt_toolkit"}


def test_a_long_help_has_headings(arena: Arena) -> None:
    for words, command in commands():
        sections = [line for line in arena(*words, "--help").out.splitlines() if line[:1].isalpha() and line[-1] == ":"]
        assert len(sections) > 1 or len(command.params) <= 15, words


@pytest.mark.parametrize("words", ["match a b", "compare a b", "check a", "submit a", "play a", "league work x"])
def test_commands_that_play_tell_of_a_slow_engine(arena: Arena, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.delenv("ARENA_PURE", raising=False)
    monkeypatch.setattr("arena.cli.group.compiled_files", lambda folder: [])
    assert arena(*words.split(), code=2).err.startswith("The engine is not compiled: it runs about 50 times slower")
    assert "not compiled" not in arena(*words.split()[:-1], "--help").err + arena("runs").err


@pytest.mark.skipif(os.name != "posix", reason="needs ulimit")
def test_too_few_open_files_are_one_sentence(tmp_path: Path) -> None:
    line = f"ulimit -n 20 && exec {shlex.quote(sys.executable)} -m arena.cli.main match first random --workers 1 -q"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: cannot start a worker: Too many open files\n"


@pytest.mark.skipif(os.name != "posix", reason="needs ulimit")
def test_a_limit_on_open_files_that_may_be_raised_is_raised(tmp_path: Path) -> None:
    words = "match first random --games 2 --workers 8 --seed 1 --out r --quiet"
    line = f"ulimit -Sn 64 && exec {shlex.quote(sys.executable)} -m arena.cli.main {words}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("words", "code", "last"),
    [
        ("verify {run} 2>&-", 0, "30 games replayed, all with their stored results."),
        ("match first random --games 2 --workers 1 --seed 1 --out r <&- >&- 2>&-", 0, ""),
        ("match first random --games 2 --workers 1 --seed 1 --out r 2>/dev/full", 0, "Stored in r."),
        ("standings {run} 2>/dev/full >/dev/full", 2, ""),
    ],
)
def test_closed_and_full_streams_change_no_result(
    tmp_path: Path, played: Path, words: str, code: int, last: str
) -> None:
    """And few resources are enough for one worker."""
    limits = "ulimit -n 30 && ulimit -v 500000 && " if words.startswith("match") else ""
    line = f"{limits}{shlex.quote(sys.executable)} -m arena.cli.main {words.format(run=shlex.quote(str(played)))}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.rpartition("\n\n")[2].startswith(last)
    assert bool(done.stdout) == bool(last)


def test_what_the_system_refuses_is_one_sentence(arena: Arena) -> None:
    Path("file").write_text("")
    compare = "compare first random --variants base,expert --games 2 -o file"
    for words in (compare, f"match first random -o {'x' * 300}"):
        assert arena(*words.split(), code=2).err.startswith("Error: '")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the current folder cannot be deleted")
def test_a_current_folder_that_is_gone(arena: Arena) -> None:
    Path("gone").mkdir()
    os.chdir("gone")
    Path("../gone").rmdir()
    for words in ("match first random", "check first", "play first", "league history x", "runs"):
        said = arena(*words.split(), code=2).err
        assert said == "Error: the current folder has been deleted; change to another one\n"


@pytest.mark.skipif(os.name != "posix", reason="needs ulimit")
def test_a_first_write_that_fails_is_named(tmp_path: Path) -> None:
    play = f"{shlex.quote(sys.executable)} -m arena.cli.main match first random --games 2 --workers 1 -q --out r"
    done = subprocess.run(["bash", "-c", f"ulimit -f 120 && {play}"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: cannot write to r/games.sqlite: the disk reports an error (disk I/O error;")


def test_a_fault_of_ours_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("arena.tournament.folders.run_folder", bug)
    with pytest.raises(ZeroDivisionError):
        main(["standings", "x"])


def test_an_interrupt_is_code_130(monkeypatch: pytest.MonkeyPatch, arena: Arena) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.tournament.folders.run_folder", pressed)
    assert "Interrupted" in arena("standings", "x", code=130).err


def test_names_are_completed() -> None:
    shell = ShellComplete(cli, {}, "arena", "_ARENA_COMPLETE")
    assert "standings" in [item.value for item in shell.get_completions([], "sta")]
    for words, begun, wanted in (
        ("match", "rand", "random"),
        ("match random --rules", "battle-line-t", "battle-line-tactical"),
        ("run", "qui", "quick"),
    ):
        assert wanted in [item.value for item in shell.get_completions(words.split(), begun)]


def test_what_is_said_of_strange_names_obeys_no_terminal(arena: Arena) -> None:
    err = arena("match", "bots/\x1b[31m\u202ex.py", "random", code=2).err
    assert "?[31m?x.py" in err
    assert "\x1b" not in err


@pytest.mark.parametrize("words", [("check", "random"), ("match", "greedy", "random", "--games", "2")])
def test_memory_that_cannot_be_shared(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("arena.cli.group._SHARED", str(tmp_path))
    monkeypatch.setattr("arena.cli.group.os.access", lambda path, mode: path != str(tmp_path))
    said = arena(*words, code=2).err
    assert said == f"Error: {tmp_path} cannot be written, but workers share memory there; mount it so that it can be\n"


# ---------------------------------------------------------------- absurd values


OPTIONS = [
    (words, command, option)
    for words, command in commands()
    for option in command.params
    if isinstance(option, click.Option) and not option.is_flag and not option.count
]


def needed(command: click.Command) -> list[str]:
    """Arguments and options without which a command says so first."""
    found = []
    for param in command.params:
        if isinstance(param, click.Argument):
            found += ["first"] * (2 if param.nargs == -1 else 1 if param.required else 0)
    return found


def test_every_number_has_bounds() -> None:
    for words, _, option in OPTIONS:
        place = f"{' '.join(words)} {option.opts[0]}"
        assert option.type not in (click.INT, click.FLOAT), place
        assert not isinstance(option.type, click.IntRange | click.FloatRange), place
    assert sum(isinstance(option.type, Number) for _, _, option in OPTIONS) > 50


def test_an_absurd_number_is_refused_with_its_place(arena: Arena) -> None:
    """One option shows it, for all numbers are of one type."""
    for value in ("nan", "-1e999", "1" * 5000, "ten", "", "\x1b[2J"):
        found = arena("match", "first", "random", f"--games={value}", code=2)
        assert "--games" in found.err
        assert "expected a whole number from 1 to " in found.err
        assert len(found.err) < 600
        assert "\x1b" not in found.err
    assert not list(Path().iterdir())


def test_absurd_texts(arena: Arena) -> None:
    """What is no name of anything is an error in words, whatever it holds."""
    texts = ("\x1b[2J", "a\x00b", " ", "x" * 100_000)
    for words, command, option in OPTIONS:
        # commands that look at the machine, or would really write to such a folder, are not asked
        if isinstance(option.type, Number | click.Path | click.Choice) or words[0] in ("doctor", "check"):
            continue
        for text in texts:
            found = arena(*words, *needed(command), f"{option.opts[0]}={text}", code=None)
            assert found.code == 2 or not text.strip(), (words, option.opts, text)
            assert "\x1b" not in found.err
