"""The reference of all settings, as Markdown, out of their declarations."""

from __future__ import annotations

from typing import Any

from arena.settings import REQUIRED, Setting, settings_of
from arena.tournament.config.tournament import BotSetting, TournamentConfig
from arena.tournament.formats import FORMATS


def tournament_reference() -> str:
    """Every setting of a tournament's file: the file itself, its tables, the bots, and the formats."""
    parts = [
        _titled("Tournament", settings_reference(TournamentConfig)),
        _titled("Entries of `bots`", rows_of(settings_of(BotSetting))),
    ]
    for form in FORMATS.values():
        declared = settings_of(form.settings)
        told = [f"{form.help[0].upper()}{form.help[1:]}."]
        if form.games_from:
            told.append(f"{form.games_from} set how many games are played, instead of `games` and `pairs`.")
        if form.own_deals:
            told.append("Pairings may play deals of their own (`own_deals`).")
        text = " ".join(told)
        parts.append(_titled(f'`format = "{form.name}"`', text))
        if declared:
            parts.append(f"In the table `[{form.name}]`:\n\n{rows_of(declared)}")
    return "\n".join(parts)


def settings_reference(of: type[Any]) -> str:
    """The settings of a class and of the tables in it.

    >>> from arena.bots.processes.limits import Limits
    >>> settings_reference(Limits).splitlines()[2]
    '| `decision_s` | seconds, more than 0 and at most 86400 | 60.0 | Seconds for an answer where there is no clock |'
    """
    declared = settings_of(of)
    parts = [rows_of({name: setting for name, setting in declared.items() if not (setting.section or setting.of)})]
    for section in dict.fromkeys(setting.section for setting in declared.values() if setting.section):
        rows = rows_of({name: setting for name, setting in declared.items() if setting.section == section})
        parts.append(f"In the table `[{section}]`:\n\n{rows}")
    for name, setting in declared.items():
        if setting.of is not None:
            parts.append(
                f"In the table `[{name}]`, {setting.help}:\n\n{rows_of(settings_of(setting.of), setting.default)}"
            )
    return "\n".join(parts)


def rows_of(declared: dict[str, Setting], values: Any = None) -> str:
    """A Markdown table of settings; `values` hold defaults that differ from those of their class."""
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    for name, setting in declared.items():
        if not setting.help:
            continue
        usual = setting.usual if values is None else _usual(setting, getattr(values, name))
        wanted = "" if setting.kind == "other" else setting.expected
        if setting.longest:
            wanted += f" of at most {setting.longest} characters"
        cells = (f"`{name}`", wanted, usual, f"{setting.help[0].upper()}{setting.help[1:]}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _usual(setting: Setting, value: Any) -> str:
    return setting.usual if value in (None, setting.default, REQUIRED) else str(value)


def _titled(title: str, text: str) -> str:
    return f"### {title}\n\n{text.rstrip()}\n"
