"""The tables of a league: standings, history, a bot's versions and opponents, each made from lines of plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from arena.endings import AFTER
from arena.results.table import Column, Table, number, percent
from arena.text import first_line, utc_text

Line = Mapping[str, Any]

_REASON = 60
_TEXTS = ("author", "bot", "entry", "forfeit", "last", "league", "note", "opponent", "reason", "state", "what")
"""Heads of columns that hold texts; other columns are aligned right."""


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _elo(value: float | None) -> str:
    return "-" if value is None else f"{value:+z.0f}"


def _error(value: float | None) -> str:
    return number(_known(value), 0, "-")


def _change(line: Line) -> str:
    if line["new"]:
        return "new"
    text = "" if line["elo_change"] is None else f"{line['elo_change']:+z.0f}"
    places = line["rank_change"] or 0
    if places:
        text += f" ({'up' if places > 0 else 'down'} {abs(places)})"
    return text.strip() or "-"


def _table(name: str, title: str, lines: Sequence[Line], rows: Sequence[Line]) -> Table:
    """A table whose CSV holds the flat values of `lines`; people see `rows`."""
    flat = [{key: value for key, value in line.items() if not isinstance(value, list | dict)} for line in lines]
    columns = tuple(Column(head, "text" if head in _TEXTS else "number") for head in dict(rows[0] if rows else {}))
    return Table(name, title, columns, pd.DataFrame(flat), shown=rows)


def standing_table(lines: Sequence[Line]) -> Table:
    """The standings."""
    authors = any(line.get("author") for line in lines)
    rows = []
    for line in lines:
        cells: dict[str, Any] = {"#": line["rank"], "bot": line["bot"]}
        if authors:
            cells["author"] = line["author"] or "-"
        cells |= {
            "v": line["version"],
            "Elo": _elo(line["elo"]),
            "±95%": _error(line["elo_error95"]),
            "change": _change(line),
            "games": line["games"],
            "W-D-L": f"{line['wins']}-{line['draws']}-{line['losses']}",
            "score%": percent(_known(line["score"])),
        }
        if "forfeits" in line:
            cells["forfeits"] = line["forfeits"]
        rows.append(cells)
    return _table("standings", "", lines, rows)


def history_table(lines: Sequence[Line]) -> Table:
    """What happened in the league."""
    rows = [
        {
            "#": line["event"],
            "when (UTC)": utc_text(line["happened"], ""),
            "what": _what(line),
            "Elo": _elo(line["elo"]),
            "±95%": _error(line["elo_error95"]),
            "before": _elo(line["elo_before"]),
            "games": line["games"],
            "in all": line["total"],
            "moved most": _moved(line),
            "note": _short(line["note"]),
        }
        for line in lines
    ]
    return _table("events", "", lines, rows)


def _what(line: Line) -> str:
    if line["bot"] is None:
        return "league created" if line["kind"] == "created" else "games played"
    return f"{line['bot']} v{line['version']} {line['kind']}"


def _moved(line: Line) -> str:
    if line["most_moved"] is None or round(line["most_moved_by"]) == 0:
        return "-"
    return f"{line['most_moved']} {line['most_moved_by']:+.0f}"


def _short(text: str) -> str:
    return first_line(text, _REASON)


def rating_history_table(events: Sequence[int], lines: Sequence[Line]) -> Table:
    """Ratings after each of some events, a row per bot."""
    rows = [{"bot": line["bot"]} | {f"#{event}": _elo(line.get(str(event))) for event in events} for line in lines]
    return _table("ratings", "Elo after each event", lines, rows)


def versions_table(lines: Sequence[Line]) -> Table:
    """The versions of a bot."""
    rows = [
        {
            "v": line["version"],
            "state": line["state"],
            "submitted (UTC)": utc_text(line["submitted"], ""),
            "Elo": _elo(line["elo"]),
            "±95%": _error(line["elo_error95"]),
            "games": line["games"],
            "score%": percent(_known(line["score"])),
            "entry": _short(line["entry"]),
            "sha256": line["hash"][:12],
            "reason": _short(line["reason"]) or "-",
        }
        for line in lines
    ]
    return _table("versions", "Versions", lines, rows)


def opponents_table(lines: Sequence[Line], title: str) -> Table:
    """The opponents of a version."""
    rows = [
        {
            "opponent": line["opponent"],
            "v": line["opponent_version"],
            "games": line["games"],
            "W-D-L": f"{line['wins']}-{line['draws']}-{line['losses']}",
            "score%": percent(_known(line["score"])),
            "Elo difference": _elo(line["elo_difference"]),
            "±95%": _error(line["elo_difference_error95"]),
        }
        for line in lines
    ]
    return _table("opponents", title, lines, rows)


def forfeits_table(lines: Sequence[Line]) -> Table:
    """The forfeits of a version, and its failures after games."""
    rows = [
        {"forfeit": line["kind"], "games": line["games"], "last": _short(_last_line(line["last"]))} for line in lines
    ]
    after = ", and failures in end (the result stands)" if any(line["kind"] == AFTER for line in lines) else ""
    return _table("forfeits", f"Games forfeited{after}", lines, rows)


def _last_line(text: str) -> str:
    """The last line of a traceback, which says what happened."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def leagues_table(lines: Sequence[Line]) -> Table:
    """All leagues of a folder."""
    rows = [
        {
            "league": line["name"],
            "rules": line["rules"],
            "isolation": line["isolation"],
            "bots": line["bots"],
            "games": line["games"],
            "leader": line["leader"] or "-",
            "last event (UTC)": utc_text(line["last"], ""),
        }
        for line in lines
    ]
    return _table("leagues", "", lines, rows)


def log_table(lines: Sequence[Line]) -> Table:
    """The audit log."""
    rows = [
        {
            "#": line["entry"],
            "when (UTC)": utc_text(line["happened"], ""),
            "who": line["who"],
            "what": line["what"],
            "bot": line["subject"] or "-",
            "author": line["author"] or "-",
            "outcome": line["outcome"],
            "note": _short(line["detail"]) or "-",
        }
        for line in lines
    ]
    return _table("log", "", lines, rows)


def budget_table(lines: Sequence[Line]) -> Table:
    """What authors have used."""
    rows = [
        {
            "author": line["author"] or "-",
            "submissions": line["submissions"],
            "MiB": f"{line['bytes'] / (1 << 20):.2f}",
        }
        for line in lines
    ]
    return _table("authors", "", lines, rows)
