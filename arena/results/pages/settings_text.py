"""The settings that determine a run's results, as the TOML file that plays it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.tournament.formats import FORMATS


def settings_toml(config: Mapping[str, Any]) -> str | None:
    """A file for `arena run`; None for what no settings have played: a league, a file of records.

    `config` is as stored with a run. Paths in it are those of the machine on which it was played.
    """
    if config.get("format") not in FORMATS:
        return None
    values = {key: value for key, value in config.items() if key not in ("bots", "isolated")}
    isolated = config.get("isolated", ())
    bots = [dict(bot) | ({"isolation": "process"} if bot["name"] in isolated else {}) for bot in config["bots"]]
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items() if value is not None]
    for key, value in values.items():
        if isinstance(value, Mapping) and (known := _known(value)):
            lines += ["", f"[{key}]", *(f"{name} = {_value(one)}" for name, one in known.items())]
    for bot in bots:
        lines += ["", "[[bots]]", *(f"{name} = {_value(one)}" for name, one in _known(bot).items())]
    return "\n".join(lines) + "\n"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != {}}


def _value(value: Any) -> str:
    """A value of TOML: what JSON writes, but for tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
