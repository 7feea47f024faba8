"""Standings as text: for the terminal, markdown, csv, json and html.

Each figure has a fixed number of digits, so equal games give equal text. What a clock measured (ms a
decision) stands in the terminal's table only; the reasons of forfeits, which may hold times, in no file.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from tabulate import tabulate

from arena.report.page import html_page, html_table, paragraphs
from arena.report.run import RunData
from arena.report.standings import FORFEIT_COLUMNS, Standings
from arena.text import first_line, one_line, printable_lines

FORMATS = ("table", "markdown", "csv", "json", "html")
DIGITS = {"elo": 2, "elo_error95": 2, "score": 4, "score_first": 4, "mean_turns": 3, "format_points": 1}
"""Digits in files. Tables for people have fewer."""
WIDEST_CROSSTABLE = 12
MOST_REASONS = 10
_LONGEST_REASON = 100


def number(value: float, digits: int, missing: str = "") -> str:
    """A number with fixed digits, without a negative zero.

    >>> number(-0.001, 2), number(12.345, 1), number(float("nan"), 2)
    ('0.00', '12.3', '')
    """
    return missing if math.isnan(value) else f"{value:z.{digits}f}"


def percent(value: float, digits: int = 1) -> str:
    """A share as a percentage without its sign.

    >>> percent(0.625), percent(float("nan"))
    ('62.5', '-')
    """
    return number(100 * value, digits, "-")


# ---------------------------------------------------------------- csv and json


def csv_text(frame: pd.DataFrame, digits: Mapping[str, int] = DIGITS) -> str:
    """A frame as CSV with fixed digits; missing values are empty.

    >>> print(csv_text(pd.DataFrame({"bot": ["a", "b"], "elo": [3.14159, -0.0]})), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    out = frame.copy()
    for column, places in digits.items():
        if column in out.columns:
            out[column] = [number(float(value), places) for value in out[column]]
    return out.to_csv(index=False, lineterminator="\n")


def summary(found: Standings) -> dict[str, Any]:
    """The whole standing as plain values for JSON: nothing in it was measured by a clock."""
    run = found.run
    first = found.first_player
    config = dict(run.config)
    bots = [dict(bot) | {"source": run.sources.get(bot["name"])} for bot in config.pop("bots")]
    if "games" in config:
        config["games_per_pairing"] = config.pop("games")
    out: dict[str, Any] = {
        "name": run.name,
        **config,
        "bots": bots,
        "games_played": len(run.games),
        "games_planned": run.planned,
        "complete": run.complete,
        "standings": [_plain(row) for row in found.table.to_dict("records")],
        "crosstable": [_plain(row) for row in found.crosstable.to_dict("records")],
        "first_player": {
            "games": int(first["games"]),
            **{key: _round(first[key], 4) for key in ("score", "score_low", "score_high")},
            "elo": _round(found.first_advantage[0], 2),
            "elo_error95": _round(found.first_advantage[1], 2),
        },
        "endings": found.endings,
        "mean_turns": _round(found.mean_turns, 3),
        "prior": found.prior,
        "notes": list(found.notes),
    }
    if found.head_to_head is not None:
        head = found.head_to_head
        out["head_to_head"] = {
            "bot": run.bots[0],
            "opponent": run.bots[1],
            "unit": head.unit,
            "counts": list(head.counts),
            **{key: _round(getattr(head, key), 2) for key in ("elo", "elo_error95", "elo_low", "elo_high")},
            "normalized_elo": _round(head.normalized_elo, 2),
            "los": _round(head.los, 4),
        }
    return out


def forfeits(found: Standings) -> list[dict[str, Any]]:
    """Why games were forfeited, for JSON. Texts of bots hold times and addresses: not for files of equal bytes."""
    return [
        {
            "bot": line.bot,
            "kind": line.kind,
            "games": line.games,
            "reason": printable_lines(line.reason),
            "game": line.game,
        }
        for line in found.run.forfeits
    ]


def json_text(values: Mapping[str, Any]) -> str:
    """JSON with a line end; never NaN, which JSON does not have."""
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        name = str(key)
        if isinstance(value, str):
            out[name] = value
        elif name in DIGITS:
            out[name] = _round(float(value), DIGITS[name])
        else:
            out[name] = int(value)
    return out


def _round(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else round(value, digits) + 0.0


# ---------------------------------------------------------------- for people


def standings_text(found: Standings, format: str = "table") -> str:
    """The standing in one of FORMATS, with a line end."""
    writers: dict[str, Callable[[Standings], str]] = {
        "table": terminal,
        "markdown": markdown,
        "csv": lambda found: csv_text(found.table),
        "json": lambda found: json_text(summary(found) | {"forfeits": forfeits(found)}),
        "html": html_text,
    }
    return writers[format](found)


def table_rows(found: Standings, times: bool) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of the standings as texts; `times` adds ms a decision."""
    table = found.table
    own_ranking = "format_points" in table.columns
    heads = ["#", "bot"]
    heads += ["pts"] if own_ranking else []
    heads += ["Elo", "±95%", "games", "W-D-L", "score%", "first%", "points", "stones", "turns", "forfeits"]
    heads += ["ms/move"] if times else []
    heads += ["remark"] if own_ranking and (table["remark"] != "").any() else []
    mean_ms = {time.bot: time.mean_ms for time in found.run.times}
    rows = []
    for row in table.to_dict("records"):
        cells = [str(row["rank"]), str(row["bot"])]
        cells += [f"{row['format_points']:g}"] if own_ranking else []
        cells += [
            elo_text(row),
            number(float(row["elo_error95"]), 0, "-"),
            str(row["games"]),
            f"{row['wins']}-{row['draws']}-{row['losses']}",
            percent(float(row["score"])),
            percent(float(row["score_first"])),
            str(row["points"]),
            str(row["stones"]),
            number(float(row["mean_turns"]), 1, "-"),
            forfeit_text(row),
        ]
        cells += [ms_text(mean_ms.get(str(row["bot"]), math.nan))] if times else []
        cells += [str(row["remark"])] if "remark" in heads else []
        rows.append(cells)
    return heads, rows


def elo_text(row: Mapping[Any, Any]) -> str:
    """A rating with its flag.

    >>> elo_text({"elo": 12.3, "flag": ""}), elo_text({"elo": 300.0, "flag": ">"})
    ('+12', '> +300')
    """
    elo, flag = float(row["elo"]), str(row["flag"])
    if math.isnan(elo) or flag == "?":
        return "?"
    shown = f"{elo:+z.0f}"
    return f"{flag} {shown}" if flag else shown


def ms_text(value: float) -> str:
    """Milliseconds with two digits that say something.

    >>> ms_text(0.000347), ms_text(1.5), ms_text(1234.5), ms_text(0.0)
    ('0.00035', '1.5', '1234', '-')
    """
    if math.isnan(value) or value == 0:
        return "-"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def forfeit_text(row: Mapping[Any, Any]) -> str:
    """Forfeits by kind.

    >>> forfeit_text({"illegal_move": 3, "exception": 0, "timeout": 1, "crash": 0, "protocol": 0})
    '3 illegal move, 1 timeout'
    """
    kinds = [f"{row[column]} {kind}" for kind, column in FORFEIT_COLUMNS.items() if row[column]]
    return ", ".join(kinds) or "0"


def cross_rows(found: Standings) -> tuple[list[str], list[list[str]]]:
    """The crosstable as a square: score in % of the bot of the row against the bot of the column."""
    order = [str(bot) for bot in found.table["bot"]]
    score = {(row["bot"], row["opponent"]): row["score"] for row in found.crosstable.to_dict("records")}
    heads = ["", "score% against", *(str(at) for at in range(1, len(order) + 1))]
    rows = []
    for at, bot in enumerate(order, start=1):
        cells = ["·" if bot == other else percent(score.get((bot, other), math.nan)) for other in order]
        rows.append([str(at), bot, *cells])
    return heads, rows


def title(run: RunData) -> str:
    """One line that says what was played."""
    played = len(run.games)
    known = run.planned is not None and not run.complete
    games = f"{played} of {run.planned} games so far" if known else f"{played} games"
    config = run.config
    return f"{run.name}: {config['format']}, rules {config['rules']}, {games}, seed {config['seed']}"


def remarks(found: Standings) -> list[str]:
    """Sentences under the table."""
    lines = []
    played = sum(found.endings.values())
    if played:
        first, (elo, error) = found.first_player, found.first_advantage
        lines.append(
            f"First player: {percent(first['score'])} % of the points"
            f" ({percent(first['score_low'])} .. {percent(first['score_high'])}),"
            f" an advantage of {elo:+z.0f} ± {error:.0f} Elo."
        )
        if found.run.config["format"] == "series":
            lines[-1] += " (In a series the last game decides who begins, so only the Elo figure tells.)"
        shares = [f"{name} {percent(count / played)} %" for name, count in found.endings.items() if count]
        lines.append(f"Endings: {', '.join(shares)}. Mean length {found.mean_turns:.1f} turns.")
    if found.head_to_head is not None:
        head, (one, two) = found.head_to_head, found.run.bots
        names = "LL, LD, split, WD, WW" if head.unit == "pairs" else "L, D, W"
        counts = ", ".join(map(str, head.counts))
        lines.append(
            f"{one} against {two}: {head.elo:+z.1f} ± {head.elo_error95:.1f} Elo,"
            f" better with a likelihood of {percent(head.los)} % ({head.unit} {names}: {counts})."
        )
    elo_note = "Elo: mean of the field 0; 95 % errors, clustered by deal."
    extra = " ".join(f"{note[0].upper()}{note[1:]}." for note in found.notes)
    return [*lines, f"{elo_note} {extra}".rstrip() if played else extra]


def forfeit_lines(found: Standings, mark: str = "") -> list[str]:
    """A line for each bot and kind of forfeit: how many, the most frequent reason, and how to see a game.

    `mark` is put around what is no sentence.
    """
    run = found.run
    lines = []
    for line in run.forfeits[:MOST_REASONS]:
        text = f"{one_line(line.bot)}: {line.games} game{'s' * (line.games != 1)} by {line.kind}"
        reason = first_line(line.reason, _LONGEST_REASON)
        if mark:
            reason = reason.replace(mark, "'")
        text += f": {mark}{reason}{mark}" if reason else ""
        lines.append(f"{text}; {mark}arena replay {shlex.quote(run.folder)} {line.game}{mark}" if run.folder else text)
    left = len(run.forfeits) - MOST_REASONS
    if left > 0:
        how = f", all with {mark}arena standings {shlex.quote(run.folder)} --json{mark}" if run.folder else ""
        lines.append(f"... and {left} more{how}")
    return lines


def _align(heads: list[str]) -> list[str]:
    return ["left" if head in ("bot", "remark", "score% against") else "right" for head in heads]


def _grid(heads: list[str], rows: list[list[str]], style: str) -> str:
    return tabulate(rows, heads, tablefmt=style, disable_numparse=True, colalign=_align(heads))


def terminal(found: Standings) -> str:
    """Title, standings, crosstable (for three to a dozen bots), remarks and why games were forfeited."""
    heads, rows = table_rows(found, times=bool(found.run.times))
    parts = [title(found.run), _grid(heads, rows, "simple")]
    if 3 <= len(rows) <= WIDEST_CROSSTABLE and len(found.crosstable):
        parts.append(_grid(*cross_rows(found), "simple"))
    parts.append("\n".join(remarks(found)))
    if found.run.forfeits:
        parts.append("\n".join(forfeit_lines(found)))
    return "\n\n".join(parts) + "\n"


def markdown(found: Standings) -> str:
    """As in the terminal, without times, for a README or an issue."""

    def safe(cells: list[str]) -> list[str]:
        return [cell.replace("|", "\\|") for cell in cells]

    heads, rows = table_rows(found, times=False)
    parts = [f"**{title(found.run)}**", _grid(heads, [safe(row) for row in rows], "github")]
    if len(rows) >= 3 and len(found.crosstable):
        heads, rows = cross_rows(found)
        parts.append(_grid(heads, [safe(row) for row in rows], "github"))
    parts += remarks(found)
    if found.run.forfeits:
        parts.append("\n".join(f"- {line}" for line in forfeit_lines(found, "`")))
    return "\n\n".join(parts) + "\n"


def html_text(found: Standings) -> str:
    """A whole page in one file, without times."""
    tables = [table_rows(found, times=False)]
    if len(found.table) >= 3 and len(found.crosstable):
        tables.append(cross_rows(found))
    blocks = [html_table(heads, rows, _align(heads)) for heads, rows in tables]
    name = title(found.run)
    return html_page(name, name, [*blocks, *paragraphs(remarks(found))])
