"""Build the documentation: `python docs/build.py [VERSION]` writes it to site/VERSION/ (default: dev).

Text that the program can generate is not written by hand: a page holds a marker such as `<!-- commands -->`, which is
replaced by the Markdown from the function of that name. The filled pages go to build/docs, where Zensical reads them.
Versions already in site/ stay, and every page offers a switch to them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

import arena
import arena.policy
from arena.cli.commands import cli
from arena.lab.notebook import FRAME_COLUMNS
from arena.league.league_settings import LeagueSettings
from arena.results.positions import DECISION_COLUMNS as MOVE_COLUMNS
from arena.results.records import TABLE_COLUMNS as GAME_COLUMNS
from arena.settings import REQUIRED, Setting, settings_of
from arena.tournament.config import TournamentConfig
from arena.tournament.formats import FORMATS
from arena.tournament.formats.schedule import Format
from arena.tournament.run_settings import BotSetting

ROOT = Path(__file__).resolve().parents[1]
_MARKER = re.compile(r"<!-- (\w+) -->")
_LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")


def commands() -> str:
    """Return every command with its usage, description and options."""
    context = click.Context(cli, info_name="arena", **cli.context_settings)
    return "\n".join(_describe(cli, context))


def _describe(command: click.Command, context: click.Context) -> Iterator[str]:
    if context.parent is not None:
        yield f"{'#' * (context.command_path.count(' ') + 1)} {context.command_path}\n"
        yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
        yield from _paragraphs(command.help or "")
        rows = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
        if rows:
            yield "| option | |\n|---|---|"
            yield from (f"| `{name}` | {_cell(text)} |" for name, text in rows)  # in code, a backslash would be shown
            yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _describe(inner, click.Context(inner, info_name=name, parent=context))


def _paragraphs(help: str) -> Iterator[str]:
    """Yield a help text as Markdown, with paragraphs after a backspace (not rewrapped in a terminal) as code blocks."""
    for paragraph in cleandoc(help).split("\n\n"):
        lines = paragraph.removeprefix("\b\n")
        yield f"```text\n{lines}\n```\n" if lines != paragraph else f"{paragraph}\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def columns() -> str:
    """Return the columns of every frame."""
    parts = []
    for name, texts in FRAME_COLUMNS.items():
        parts.append(f"## {name}\n\n{_meanings(texts)}\n")
    return "\n".join(parts)


def moves() -> str:
    """Return the columns of exported moves."""
    return _meanings(MOVE_COLUMNS)


def dataset() -> str:
    """Return the columns of games in Parquet."""
    return _meanings(GAME_COLUMNS)


def _meanings(columns: Mapping[str, str]) -> str:
    return "\n".join(["| column | |\n|---|---|", *(f"| `{name}` | {_cell(text)} |" for name, text in columns.items())])


def settings() -> str:
    """Describe every setting of a tournament's file, and of a league's."""
    parts = [
        f"## Tournament\n\n{_settings_of(TournamentConfig)}",
        f"## Entries of `bots`\n\n{_settings_table(settings_of(BotSetting))}",
        *(f'## `format = "{form.name}"`\n\n{_format_settings(form)}' for form in FORMATS.values()),
        f"## League\n\n{_settings_of(LeagueSettings)}",
    ]
    return "\n".join(parts)


def _format_settings(form: Format) -> str:
    """Describe a format and the table with its own settings."""
    sentences = [f"{form.help[0].upper()}{form.help[1:]}."]
    if form.games_from:
        sentences.append(f"The number of games follows from {form.games_from}, not from `games` and `pairs`.")
    if form.own_deals:
        sentences.append("Pairings may play deals of their own (`own_deals`).")
    text = f"{' '.join(sentences)}\n"
    if declared := settings_of(form.settings):
        text += f"\nIn the table `[{form.name}]`:\n\n{_settings_table(declared)}"
    return text


def _settings_of(of: type[Any]) -> str:
    """Describe the settings of a class and of the tables in it."""
    declared = settings_of(of)
    parts = [_settings_table({name: one for name, one in declared.items() if not (one.section or one.of)})]
    for section in dict.fromkeys(one.section for one in declared.values() if one.section):
        rows = _settings_table({name: one for name, one in declared.items() if one.section == section})
        parts.append(f"In the table `[{section}]`:\n\n{rows}")
    for name, setting in declared.items():
        if setting.of is not None:
            rows = _settings_table(settings_of(setting.of), setting.default)
            parts.append(f"In the table `[{name}]`, {setting.help}:\n\n{rows}")
    return "\n".join(parts)


def _settings_table(declared: Mapping[str, Setting], values: Any = None) -> str:
    """Return a Markdown table of settings; `values` hold defaults that differ from those of their class."""
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    for name, setting in declared.items():
        if not setting.help:
            continue
        default = setting.usual
        if values is not None and (value := getattr(values, name)) not in (None, setting.default, REQUIRED):
            default = str(value)
        wanted = "" if setting.kind == "other" else setting.expected
        if setting.longest:
            wanted += f" of at most {setting.longest} characters"
        cells = (f"`{name}`", wanted, default, f"{setting.help[0].upper()}{setting.help[1:]}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def api() -> str:
    """Return the public names, documented from their docstrings. C-only members of compiled classes are left out."""
    return _described((name, arena.MODULES[name], getattr(arena, name)) for name in arena.__all__)


def policy() -> str:
    """Return the names of the toolkit, in the same form as `api`."""
    found = [(name, getattr(arena.policy, name)) for name in arena.policy.__all__]
    return _described((name, one.__module__, one) for name, one in found)


def _described(names: Iterable[tuple[str, str, Any]]) -> str:
    parts = []
    for name, place, found in names:
        part = f"::: {place}.{name}\n"
        if isinstance(found, type):
            members = [member for member in dir(found) if not member.startswith("_") and _documented(found, member)]
            part += f"    options:\n      inherited_members: true\n      members: {json.dumps(members)}\n"
        parts.append(part)
    return "\n".join(parts)


def _documented(owner: type, member: str) -> bool:
    inherited = hasattr(BaseException, member) or (issubclass(owner, tuple) and hasattr(tuple, member))
    return bool(getattr(getattr(owner, member), "__doc__", None)) and not inherited


def _file(name: str) -> Callable[[], str]:
    """Return a function that gives a file of the repository as a page, with links into docs/ relative to the page."""

    def text() -> str:
        return _LINK.sub(_relative, (ROOT / name).read_text(encoding="utf-8"))

    return text


def _relative(match: re.Match[str]) -> str:
    target = match[1]
    page = target.removeprefix("docs/internals/") if target.startswith("docs/internals/") else None
    if page is None and "/" not in target:
        page = target.lower()  # a file of the repository that is also a page
    return f"]({page or '../' + target.removeprefix('docs/')})"


MAKERS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "columns": columns,
    "moves": moves,
    "dataset": dataset,
    "settings": settings,
    "api": api,
    "policy": policy,
    "architecture": _file("ARCHITECTURE.md"),
    "contributing": _file("CONTRIBUTING.md"),
    "changelog": _file("CHANGELOG.md"),
}


def fill(markdown: str) -> str:
    """Replace the markers of a page."""
    return _MARKER.sub(lambda match: MAKERS[match[1]]() if match[1] in MAKERS else match[0], markdown)


def add_version(built: Path, site: Path, version: str) -> None:
    """Put the pages of a version into the site, and list it in the version switch.

    The start page of the site leads to the newest release, or to `dev` before the first release.
    """
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(built, site / version)
    names = [folder.name for folder in site.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    names.sort(key=lambda name: [int(part) if part.isdecimal() else -1 for part in name.split(".")], reverse=True)
    entries = [{"version": name, "title": name, "aliases": ["latest"] if name == names[0] else []} for name in names]
    (site / "versions.json").write_text(json.dumps(entries, indent=1) + "\n")
    (site / "index.html").write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={names[0]}/">\n')


def is_found(built: Path, word: str) -> bool:
    """Check whether the search of the built pages finds a word."""
    index = json.loads((built / "search.json").read_text(encoding="utf-8"))
    return any(word in item["text"].lower() for item in index["items"])


def main(version: str = "dev") -> int:
    """Fill the pages and let Zensical build the site from them. Returns the exit code: 1 also for a broken link."""
    filled, built = ROOT / "build" / "docs", ROOT / "build" / "site"
    shutil.rmtree(filled, ignore_errors=True)
    shutil.copytree(ROOT / "docs", filled, ignore=shutil.ignore_patterns("*.py", "*.json", "*.jsonl", "__pycache__"))
    for page in filled.rglob("*.md"):
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    if code := subprocess.run(command, cwd=ROOT).returncode:
        return code
    if not is_found(built, "sprt"):
        print("The search of the built pages does not find 'sprt'.", file=sys.stderr)
        return 1
    add_version(built, ROOT / "site", version)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
