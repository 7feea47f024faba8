"""Checking settings: values out of nested tables, and all that is wrong with them in one go."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.processes.limits import Limits


class Checker:
    """Takes values out of nested tables and collects what is wrong with them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[str] = []

    def fault(self, key: str, text: str) -> None:
        self.faults.append(f"{self.source}: {key}: {text}")

    def known(self, table: Mapping[str, Any], known: Sequence[str], prefix: str = "") -> None:
        for key in table:
            if key not in known:
                near = did_you_mean(key, known) or f" (known: {', '.join(known)})"
                self.fault(prefix + key, f"unknown key{near}")

    def number(
        self,
        table: Mapping[str, Any],
        key: str,
        default: Any,
        least: int = 1,
        prefix: str = "",
        most: int | None = None,
    ) -> Any:
        value = table.get(key, default)
        if key not in table:
            return value
        wanted = (
            f"a whole number from {least} to {most}"
            if most is not None
            else f"a whole number, at least {least}"
        )
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(prefix + key, f"expected {wanted}, found {show(value)}")
        elif value < least or (most is not None and value > most):
            self.fault(prefix + key, f"expected {wanted}, found {value}")
        else:
            return value
        return default

    def real(self, table: Mapping[str, Any], key: str, default: float, prefix: str = "") -> float:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.fault(prefix + key, f"expected a number, found {show(value)}")
            return default
        return float(value)

    def text(self, table: Mapping[str, Any], key: str, default: Any, prefix: str = "") -> Any:
        value = table.get(key, default)
        if key in table and (not isinstance(value, str) or not value.strip()):
            self.fault(prefix + key, f"expected a text, found {show(value)}")
            return default
        return value

    def word(
        self, table: Mapping[str, Any], key: str, default: Any, words: Sequence[str], prefix: str = ""
    ) -> Any:
        value = self.text(table, key, default, prefix)
        if value != default and value not in words:
            near = did_you_mean(value, words)
            self.fault(prefix + key, f"expected one of {', '.join(words)}, found '{value}'{near}")
            return default
        return value

    def flag(self, table: Mapping[str, Any], key: str, default: bool, prefix: str = "") -> bool:
        value = table.get(key, default)
        if not isinstance(value, bool):
            self.fault(prefix + key, f"expected true or false, found {show(value)}")
            return default
        return value

    def table(self, table: Mapping[str, Any], key: str, known: Sequence[str]) -> Mapping[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, Mapping):
            self.fault(key, f"expected a table [{key}] with {', '.join(known)}, found {show(value)}")
            return {}
        self.known(value, known, f"{key}.")
        return {name: part for name, part in value.items() if name in known}


def show(value: object) -> str:
    kinds = {str: "the text", bool: "the truth value", int: "the number", float: "the number", list: "a list"}
    for kind in (bool, str, int, float):
        if isinstance(value, kind):
            return f"{kinds[kind]} {json.dumps(value)}"
    if isinstance(value, list):
        return "a list"
    return "a table" if isinstance(value, Mapping) else f"the {type(value).__name__} {value}"


def check_limits(check: Checker, data: Mapping[str, Any]) -> Limits:
    """The table `[limits]`."""
    usual = Limits()
    table = check.table(data, "limits", tuple(vars(usual)))
    seconds = {}
    for key in ("decision_s", "loading_s"):
        seconds[key] = check.real(table, key, getattr(usual, key), "limits.")
        if not 0 < seconds[key] <= 86400:
            check.fault(
                f"limits.{key}", f"expected seconds, more than 0 and at most 86400, found {seconds[key]:g}"
            )
    return Limits(
        **seconds,
        memory_mb=check.number(table, "memory_mb", usual.memory_mb, least=64, prefix="limits."),
        growth_mb=check.number(table, "growth_mb", usual.growth_mb, prefix="limits."),
        file_mb=check.number(table, "file_mb", usual.file_mb, prefix="limits."),
    )


def read_toml(path: Path, error: type[ArenaError]) -> dict[str, Any]:
    """The values of a TOML file; `error` with the place for one that cannot be read or is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as fault:
        near = ""
        if not path.exists() and path.parent.is_dir():
            near = did_you_mean(path.name, [p.name for p in path.parent.iterdir() if p.suffix == ".toml"])
        raise error(f"{path}: cannot be read: {fault.strerror or fault}{near}") from fault
    except UnicodeDecodeError as fault:
        raise error(f"{path}: not a text in UTF-8 ({fault.reason} at byte {fault.start})") from fault
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{path}: not valid TOML: {fault}") from fault
