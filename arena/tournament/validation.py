"""Check settings: read values out of nested tables and report all mistakes at once."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.paths import input_name, read_small_text
from arena.settings import Setting, number_text, settings_of
from arena.text import one_line

LONGEST_SHOWN = 200
"""Longer strings are not repeated in messages."""
_GONE = {"metrics": "; for figures of your own, use pandas: docs/howto/questions.md"}


class Checker:
    """Reads values out of nested tables and collects mistakes; `source` names the file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[str] = []

    def fault(self, key: str, text: str) -> None:
        """Note a mistake."""
        self.faults.append(f"{self.source}: {key}: {text}")

    def attempt(self, key: str, load: Callable[[str], object], text: str) -> None:
        """Note a mistake if `text` cannot be loaded."""
        try:
            load(text)
        except ArenaError as error:
            self.fault(key, str(error))

    def known(
        self, table: Mapping[str, Any], known: Sequence[str], prefix: str = "", inner: Sequence[str] = ()
    ) -> None:
        """Note unknown keys; `inner` are known keys of tables, such as `clock.move_ms`."""
        for key in table:
            if key not in known:
                meant = [name for name in inner if name.endswith(f".{key}")]
                near = did_you_mean(meant[0], meant) if meant else did_you_mean(key, known)
                near = _GONE.get(key) or near or f" (known: {', '.join(dict.fromkeys(known))})"
                self.fault(prefix + key, f"unknown key{near}")

    def read(
        self, of: type[Any], data: Mapping[str, Any], prefix: str = "", others: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return the settings that `data` holds for a class, by name, without missing and invalid ones.

        `prefix` is put before the keys in messages; `others` are keys that the caller reads, such as `swiss.rounds`.
        """
        declared = settings_of(of)
        sections = dict.fromkeys(setting.section for setting in declared.values() if setting.section)
        top = [name for name, setting in declared.items() if setting.help and not setting.section]
        top += [key for key in others if "." not in key]
        inner = [f"{setting.section}.{name}" for name, setting in declared.items() if setting.section]
        inner += [key for key in others if "." in key]
        inner += [
            f"{name}.{key}" for name, setting in declared.items() if setting.of for key in settings_of(setting.of)
        ]
        self.known(data, [*top, *sections], prefix, inner)
        tables = {"": data}
        for section in sections:
            keys = [name for name, setting in declared.items() if setting.section == section]
            tables[section] = self.table(data, section, keys)
        values = {}
        for name, setting in declared.items():
            if setting.kind != "other" and name in (table := tables[setting.section]):
                key = f"{setting.section}.{name}" if setting.section else prefix + name
                value = self.value(setting, table[name], key)
                if value is not None:
                    values[name] = value
        return values

    def verify(self, settings: Any, prefix: str = "") -> None:
        """Note the values of a settings object that its class does not allow; None is an unset value."""
        for name, setting in settings_of(type(settings)).items():
            value = getattr(settings, name)
            if setting.of is not None:
                self.verify(value, f"{prefix}{name}.")
            elif setting.kind != "other" and value is not None and (wrong := _wrong(setting, value)) is not None:
                self.fault(prefix + name, wrong)

    def value(self, setting: Setting, value: object, key: str) -> Any:
        """Return the value if the setting allows it, else None."""
        if setting.of is not None:
            table = self.table({key: value}, key, tuple(settings_of(setting.of)))
            return setting.of(**self.read(setting.of, table, f"{key}."))
        if (wrong := _wrong(setting, value)) is not None:
            self.fault(key, wrong)
            return None
        if setting.kind == "strings":
            return (value,) if isinstance(value, str) else tuple(value)  # type: ignore[arg-type]
        return float(value) if setting.kind == "number" else value  # type: ignore[arg-type]

    def table(self, data: Mapping[str, Any], key: str, known: Sequence[str]) -> Mapping[str, Any]:
        """Return the table of a key, without unknown keys."""
        value = data.get(key, {})
        if not isinstance(value, Mapping):
            self.fault(key, f"expected a table [{key}] with {', '.join(known)}, found {toml_value(value)}")
            return {}
        self.known(value, known, f"{key}.")
        return {name: part for name, part in value.items() if name in known}


def _wrong(setting: Setting, value: object) -> str | None:
    """Return what was expected and what was found; None if the value is valid."""
    if setting.kind == "strings" and isinstance(value, list | tuple):
        each = replace(setting, kind="string")
        return next((wrong for one in value if (wrong := _wrong(each, one)) is not None), None)
    right = True
    if setting.kind == "boolean":
        right = isinstance(value, bool)
    elif setting.kind in ("whole number", "number"):
        kinds = int if setting.kind == "whole number" else int | float
        right = isinstance(value, kinds) and not isinstance(value, bool)
        right = right and (isinstance(value, int) or math.isfinite(value))  # type: ignore[arg-type]
        if right and not setting.within(value):  # type: ignore[arg-type]
            return f"expected {setting.expected}, found {number_text(value)}"  # type: ignore[arg-type]
    else:
        if not isinstance(value, str) or not value.strip():
            return f"expected {setting.expected}, found {toml_value(value)}"
        if setting.choices and value not in setting.choices:
            shown = one_line(value, LONGEST_SHOWN)
            return f"expected {setting.expected}, found '{shown}'{did_you_mean(shown, setting.choices)}"
        if setting.longest and len(value) > setting.longest:
            return f"expected at most {setting.longest} characters, found {len(value)}"
    return None if right else f"expected {setting.expected}, found {toml_value(value)}"


def toml_value(value: object) -> str:
    """Return how a message names a value.

    >>> toml_value("ten"), toml_value(""), toml_value(2.5), toml_value([1])
    ('the string "ten"', 'an empty string', 'the number 2.5', 'a list')
    """
    if isinstance(value, str):
        if not value.strip():
            return "an empty string"
        long = len(value) > LONGEST_SHOWN
        return f"a string of {len(value)} characters" if long else f"the string {json.dumps(value)}"
    if isinstance(value, bool):
        return f"the boolean {json.dumps(value)}"
    if isinstance(value, int | float):
        return f"the number {json.dumps(value)}"
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "a table"
    return f"the {type(value).__name__} {value}"


def read_toml(path: Path, error: type[ArenaError]) -> dict[str, Any]:
    """Read a TOML file; `error` with the place if it cannot be read or is not TOML."""
    name = input_name(path)
    try:
        return tomllib.loads(read_small_text(path))
    except OSError as fault:
        near = ""
        if not path.exists() and path.parent.is_dir():
            near = did_you_mean(path.name, [p.name for p in path.parent.iterdir() if p.suffix == ".toml"])
        raise error(f"{name}: cannot be read: {fault.strerror or fault}{near}") from fault
    except UnicodeDecodeError as fault:
        raise error(f"{name}: not valid UTF-8 ({fault.reason} at byte {fault.start})") from fault
    except (ValueError, RecursionError) as fault:  # also for numbers with thousands of digits
        raise error(f"{name}: not valid TOML: {fault}") from fault
