"""Make the tables of a league: history, a bot's versions and opponents, from lines of plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.endings import AFTER
from arena.results.table import ALWAYS, COLUMNS, RATING, TALLY, Column, Table, columns_of
from arena.text import first_line

_Line = Mapping[str, Any]

_REASON = 60


def _text(head: str, key: str = "", missing: str = "-", longest: int = _REASON) -> Column:
    return Column(head, "text", cell=lambda line: first_line(line[key or head] or "", longest) or missing)


def _time(head: str, key: str) -> Column:
    return Column(head, cell=lambda line: line[key][:16].replace("T", " "))


_GAMES, _RECORD, _SCORE = COLUMNS["games"], replace(TALLY, where=ALWAYS), COLUMNS["score"]


def _table(name: str, title: str, lines: Sequence[_Line], columns: Sequence[Column]) -> Table:
    """Return a table whose files hold the flat values of `lines`; it is not shown if there are none."""
    files = [*lines[0]] if lines else [column.key or column.head for column in columns]
    return Table(name, title, lines, columns if lines else (), files)


def history_table(lines: Sequence[_Line]) -> Table:
    """Return the events of the league."""
    columns = (
        Column("#", key="event"),
        _time("when (UTC)", "happened"),
        Column("what", "text", cell=_what),
        *RATING,
        Column("before", "whole elo", "elo_before"),
        _GAMES,
        Column("in all", key="total"),
        Column("moved most", cell=_moved),
        _text("note", missing=""),
    )
    return _table("events", "", lines, columns)


def _what(line: _Line) -> str:
    if line["bot"] is None:
        return "league created" if line["kind"] == "created" else "games played"
    return f"{line['bot']} v{line['version']} {line['kind']}"


def _moved(line: _Line) -> str:
    if line["most_moved"] is None or round(line["most_moved_by"]) == 0:
        return "-"
    return f"{line['most_moved']} {line['most_moved_by']:+.0f}"


def versions_table(lines: Sequence[_Line]) -> Table:
    """Return the versions of a bot."""
    columns = (
        COLUMNS["version"],
        _text("state"),
        _time("submitted (UTC)", "submitted"),
        *RATING,
        _GAMES,
        _SCORE,
        _text("entry", missing=""),
        Column("sha256", cell=lambda line: line["hash"][:12]),
        _text("reason"),
    )
    return _table("versions", "Versions", lines, columns)


def opponents_table(lines: Sequence[_Line], title: str) -> Table:
    """Return the opponents of a version."""
    columns = (
        COLUMNS["opponent"],
        Column("v", key="opponent_version"),
        _GAMES,
        _RECORD,
        _SCORE,
        replace(COLUMNS["elo_difference"], kind="whole elo"),
        *columns_of(["elo_difference_plus", "elo_difference_minus"]),
    )
    return _table("opponents", title, lines, columns)


def forfeits_table(lines: Sequence[_Line]) -> Table:
    """Return the forfeits of a version, and its failures after games."""
    after = ", and failures in end (the result stands)" if any(line["kind"] == AFTER for line in lines) else ""
    columns = (_text("forfeit", "kind"), _GAMES, Column("last", "text", cell=_last_line))
    return _table("forfeits", f"Games forfeited{after}", lines, columns)


def _last_line(line: _Line) -> str:
    """Return the last line of a traceback, which says what happened."""
    texts = [text for text in line["last"].splitlines() if text.strip()]
    return first_line(texts[-1].strip(), _REASON) if texts else ""


def leagues_table(lines: Sequence[_Line]) -> Table:
    """Return all leagues of a folder."""
    names = ("rules", "isolation", "bots", "games")
    leader = Column("leader", cell=lambda line: line["leader"] or "-")
    columns = (_text("league", "name"), *map(Column, names), leader, _time("last event (UTC)", "last"))
    return _table("leagues", "", lines, columns)


def log_table(lines: Sequence[_Line]) -> Table:
    """Return the audit log."""
    columns = (
        Column("#", key="entry"),
        _time("when (UTC)", "happened"),
        Column("who"),
        _text("what"),
        _text("bot", "subject"),
        _text("author"),
        Column("outcome"),
        _text("note", "detail", longest=300),
    )
    return _table("log", "", lines, columns)


def budget_table(lines: Sequence[_Line]) -> Table:
    """Return what authors have used."""
    used = Column("MiB", cell=lambda line: f"{line['bytes'] / (1 << 20):.2f}")
    return _table("authors", "", lines, (_text("author"), Column("submissions"), used))
