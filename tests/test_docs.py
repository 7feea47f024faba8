"""The tutorials and how-to pages work as they are written: commands, files and snippets, from top to bottom."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from arena import View, parse_move, play_game
from arena.cli.commands import cli
from arena.lab.notebook import FRAME_COLUMNS
from arena.results.positions import DECISION_COLUMNS as MOVE_COLUMNS
from arena.results.records import TABLE_COLUMNS
from arena.tournament.config import config_from_dict
from arena.tournament.formats import FORMATS
from arena.tournament.store.sqlite import RUN_SCHEMA
from tests.bots.isolation.inside import need_sandbox

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
SANDBOXED = {"README", "class", "league", "web"}
LIBRARIES = {
    "clusters": ["distributed"],
    "exports": ["pyarrow"],
    "libraries": ["gymnasium", "pettingzoo", "pyspiel"],
    "tuning": ["optuna"],
}
SHORT = {"AGENTS", "bots", "questions"}
"""Pages that the slow tests follow; the others take minutes and are soaks."""
PROGRAMS = {"database": "sqlite3", "wire": "node"}
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"\n]*)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_START = """
set -eux
arena() {
    "$PYTHON" -m arena.cli.main "$@" && return
    code=$?
    case "$code $1" in "3 sprt" | "4 sprt" | "3 tune") ;; *) return $code ;; esac # verdicts
}
git() { command git -c user.name=author -c user.email=author@example.org "$@"; }
python() { "$PYTHON" "$@"; }
python3() { "$PYTHON" "$@"; }
"""


def script(page: str) -> str:
    """Return what a page says as one shell script: blocks with a title are files, `sh` and `python` are run in order.

    Blocks marked `bash` are not run: they need another machine or a person, or take long.
    """
    lines = []
    for kind, title, text in _BLOCK.findall(page):
        if title:
            lines.append(f"mkdir -p {Path(title).parent}\ncat > {title} <<'END'\n{text}END")
        elif kind == "python" and ">>>" not in text:
            lines.append(f"\"$PYTHON\" <<'END'\n{text}END")
        elif kind == "console":
            lines += [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
        elif kind == "sh":
            lines += [line for line in text.splitlines() if not re.match(r"python3 -m venv|pip |source ", line)]
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[] if page.stem in SHORT else pytest.mark.soak)
        for page in PAGES
        if script(page.read_text(encoding="utf-8"))
    ],
)
def test_a_page_works_as_written(page: Path, tmp_path: Path) -> None:
    """From its first line to its last, in an empty folder."""
    if page.stem in SANDBOXED:
        need_sandbox()
    for library in LIBRARIES.get(page.stem, []):
        pytest.importorskip(library)
    if (program := PROGRAMS.get(page.stem, "sh")) and not shutil.which(program):
        pytest.skip(f"needs {program}")
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    command = ["bash", "-c", _START + script(page.read_text(encoding="utf-8"))]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}"


def test_examples_of_the_pages() -> None:
    for page in DOCS.rglob("*.md"):
        assert not doctest.testfile(str(page), module_relative=False).failed, page


def test_each_format_has_a_file_that_loads() -> None:
    text = (DOCS / "howto" / "formats.md").read_text(encoding="utf-8")
    files = [tomllib.loads(block) for kind, _, block in _BLOCK.findall(text) if kind == "toml" and "format =" in block]
    assert {config_from_dict(values).format for values in files} == {*FORMATS} - {"round-robin", "match"}


def test_commands_and_options_named_in_the_pages_exist() -> None:
    """In command lines, of scripts too, and in code within sentences, such as `arena report DIR --replays 50`."""
    scripts = [ROOT / ".ci/run", *ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("configs/**/*.toml")]
    scripts += [path for path in ROOT.glob("examples/class_repository/**/*") if path.is_file()]
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "AGENTS.md", *scripts]:
        before = "(?:.*[ /])?" if page in scripts else r"(?:\$ )?"
        text = page.read_text(encoding="utf-8")
        for line in re.findall(rf"^{before}(arena [a-z].*)$|`(arena [a-z][^`]*)`", text, re.MULTILINE):
            for words in re.split(r" && | \| | # |; ", re.sub(r"\"[^\"]*\"|'[^']*'", "QUOTED", "".join(line))):
                if words.startswith("arena "):
                    assert words.split()[1] in {*cli.commands, "--help", "--version"}, f"{page.name}: {words}"
                    unknown = {*re.findall(r"(?<=\s)--[a-z][\w-]*", words)} - options_of(words.split()[1:])
                    assert not unknown, f"{page.name}: {words}: {unknown}"


def options_of(words: list[str]) -> set[str]:
    """Return the options of the command that words behind `arena` begin with."""
    command: click.Command | None = cli
    context = click.Context(cli, **cli.context_settings)
    while isinstance(command, click.Group) and words:
        inner = command.get_command(context, words[0])
        if inner is None:
            break
        command, words = inner, words[1:]
    return {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}


def test_links_lead_somewhere() -> None:
    for name in ("AGENTS.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "docs/league.md", "llms.txt"):
        page = ROOT / name
        links = re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8"))
        assert links, name
        assert [link for link in links if not (page.parent / link.partition("#")[0]).exists()] == []


def test_the_bot_for_agents_plays(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "AGENTS.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "mybot.py").write_text(block)
    assert play_game(str(tmp_path / "mybot.py"), "random", seed=1, rules="tactical").forfeit is None


def test_a_move_that_is_built_is_the_one_in_the_list_and_its_text_is_none() -> None:
    assert play_game(lambda view, moves: parse_move(str(moves[0])), "random", seed=1, rules="tactical").forfeit is None
    for answer in (str, lambda move: 0, lambda move: None):
        game = play_game(lambda view, moves, answer=answer: answer(moves[0]), "random", seed=1)
        assert game.forfeit == "illegal move"


def test_the_page_for_bots_names_all_that_a_view_has() -> None:
    text = (DOCS / "bots.md").read_text(encoding="utf-8")
    names = {name for name in dir(View) if not name.startswith("_")} - {"noted", "sample_into"}
    assert {name for name in names if f"view.{name}" not in text} == set()


def test_the_citation_is_of_this_version() -> None:
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_database_page_names_every_table_and_column_of_the_view() -> None:
    text = (DOCS / "reference" / "database.md").read_text(encoding="utf-8")
    schema = ";\n".join(RUN_SCHEMA.statements)
    for table in re.findall(r"CREATE TABLE (\w+)", schema):
        assert f"| `{table}` |" in text, table
    view = schema[schema.index("CREATE VIEW game_list") :].partition("FROM games g")[0]
    named = set(re.findall(r"`(\w+)`", text))
    for column in {*re.findall(r" AS (\w+)[,\n]", view), *re.findall(r"[gp]\.(\w+),", view)} - {"score"}:
        assert column in named, column


def test_generated_parts_of_pages_are_complete() -> None:
    makers = runpy.run_path(str(DOCS / "build.py"))["MAKERS"]
    markers = {name for page in DOCS.rglob("*.md") for name in re.findall(r"<!-- (\w+) -->", page.read_text())}
    assert markers == set(makers)
    texts = {name: makers[name]() for name in markers}
    assert all(texts.values())
    assert not [line for line in texts["commands"].splitlines() if re.match(r"\| `[^`]*\\", line)]
    for name, columns in {"moves": MOVE_COLUMNS, "dataset": TABLE_COLUMNS, **FRAME_COLUMNS}.items():
        text = texts.get(name, texts["columns"])
        assert [column for column in columns if f"| `{column}` |" not in text] == []
