"""The standings of a run as a report, and as the values of its summary.json.

Every figure has a fixed number of digits, so equal games give equal text. What a clock measured (ms a decision) is
in the terminal's table only; the reasons of forfeits, which may hold times, are in no file.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.endings import AFTER
from arena.tournament.formats import FORMATS as TOURNAMENT_FORMATS
from arena.results.reading.run import RunData
from arena.results.rounds import round_tables, round_values
from arena.results.standings import FORFEIT_COLUMNS, LARGE_FIELD, RunStandings, is_large
from arena.results.table import (
    Code,
    Column,
    Report,
    Table,
    difference_text,
    elo_text,
    likelihood,
    number,
    percent,
    records,
    rounded,
)
from arena.rounding import half_up
from arena.text import counted, first_line, one_line, printable_lines

DIGITS = {"elo": 2, "elo_error95": 2, "score": 4, "score_first": 4, "mean_turns": 3, "format_points": 1}
"""Digits in files. Tables for people have fewer."""
_TIEBREAKS = {"buchholz": "Buchholz", "point_difference": "points +/-"}
WIDEST_CROSSTABLE = 12
MOST_REASONS = 10
SHOWN_LINES = 50
SPARED = ("stones", "points", "turns", "first%", "ms/move", "W-D-L", "end faults", *_TIEBREAKS.values())
"""Columns that a narrow terminal does not show, the first to go first."""
_LONGEST_REASON = 100


def standings_report(found: RunStandings, whole: bool = False) -> Report:
    """The table, for three bots and more the crosstable, remarks, and why games were forfeited.

    A terminal shows all lines of a large field if `whole`.
    """
    tables = cut([_table(found)], found.run, whole)
    if 3 <= len(found.rows) <= LARGE_FIELD and len(found.met):
        tables.append(_crosstable(found))
    tables += round_tables(found.run)
    return Report(heading(found.run), tables, remarks(found), _forfeit_items(found.run), lambda: all_values(found))


def cut(tables: list[Table], run: RunData, whole: bool) -> list[Table]:
    """The tables of a large field as a terminal shows them."""
    return tables if whole or not is_large(run) else [replace(table, lines=SHOWN_LINES) for table in tables]


def has_crosstable(found: RunStandings) -> bool:
    """Is there a crosstable? That of a large field is made only when it is asked for."""
    return len(found.rows) <= LARGE_FIELD or len(found.met) > 0


# ---------------------------------------------------------------- values for JSON


def summary(found: RunStandings) -> dict[str, Any]:
    """The standings as plain values for JSON: nothing in it was measured by a clock."""
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
        "games_played": len(run.columns),
        "games_planned": run.planned,
        "complete": run.complete,
        "standings": records(found.rows, DIGITS),
        **({"crosstable": records(found.met, DIGITS)} if has_crosstable(found) else {}),
        "first_player": {
            "games": int(first["games"]),
            **{key: rounded(half_up(first[key], 4), 4) for key in ("score", "score_low", "score_high")},
            "elo": rounded(found.first_advantage[0], 2),
            "elo_error95": rounded(found.first_advantage[1], 2),
        },
        "endings": found.endings,
        "mean_turns": rounded(found.mean_turns, 3),
        "prior": found.prior,
        "notes": list(found.notes),
    }
    if run.rounds:
        out[TOURNAMENT_FORMATS[config["format"]].round_view] = round_values(run)
    if found.head_to_head is not None:
        head = found.head_to_head
        out["head_to_head"] = {
            "bot": run.bots[0],
            "opponent": run.bots[1],
            "unit": head.unit,
            "counts": list(head.counts),
            "score": rounded(half_up(head.score, 4), 4),
            "flag": head.flag,
            **{key: rounded(getattr(head, key), 2) for key in ("elo", "elo_error95", "elo_low", "elo_high")},
            "normalized_elo": rounded(head.normalized_elo, 2),
            "los": rounded(head.los, 4),
        }
    return out


def all_values(found: RunStandings) -> dict[str, Any]:
    """The summary, and why games were forfeited: texts of bots, which hold times and addresses."""
    reasons = [
        {
            "bot": line.bot,
            "kind": line.kind,
            "games": line.games,
            "reason": printable_lines(line.reason),
            "game": str(line.game),
        }
        for line in found.run.forfeits
    ]
    return summary(found) | {"forfeits": reasons}


# ---------------------------------------------------------------- tables for people


def _table(found: RunStandings) -> Table:
    own_ranking = "format_points" in found.rows[0]
    mean_ms = {time.bot: time.mean_ms for time in found.run.times}
    lines = []
    for row in found.rows:
        cells = {"#": str(row["rank"]), "bot": str(row["bot"])}
        if own_ranking:
            cells["pts"] = f"{row['format_points']:g}"
            cells |= {_TIEBREAKS.get(name, name): f"{row[name]:g}" for name in found.run.tiebreaks}
        cells |= {
            "Elo": elo_text(float(row["elo"]), str(row["flag"])),
            "±95%": number(float(row["elo_error95"]), 0, "-"),
            "games": str(row["games"]),
            "W-D-L": f"{row['wins']}-{row['draws']}-{row['losses']}",
            "score%": percent(float(row["score"])),
            "first%": percent(float(row["score_first"])),
            "points": str(row["points"]),
            "stones": str(row["stones"]),
            "turns": number(float(row["mean_turns"]), 1, "-"),
            "forfeits": forfeit_text(row),
        }
        if "end_faults" in row:
            cells["end faults"] = str(row["end_faults"])
        if mean_ms:
            cells["ms/move"] = ms_text(mean_ms.get(str(row["bot"]), math.nan))
        if own_ranking and any(one["remark"] for one in found.rows):
            cells["remark"] = str(row["remark"])
        lines.append(cells)
    columns = tuple(
        Column(head, left=text, ours=not text, measured=head == "ms/move")
        for head, text in ((head, head in ("bot", "remark")) for head in lines[0])
    )
    rows = tuple(tuple(cells.values()) for cells in lines)
    return Table("standings", "", columns, rows, frame=found.rows, digits=DIGITS, spared=SPARED)


def _crosstable(found: RunStandings) -> Table:
    """As a square: score in % of the bot of the row against the bot of the column."""
    order = [str(row["bot"]) for row in found.rows]
    score = {(row["bot"], row["opponent"]): row["score"] for row in found.met}
    places = [str(at + 1) for at in range(len(order))]
    columns = [Column("", ours=True), Column("score% against", left=True)]
    columns += [Column(place, ours=True) for place in places]
    rows = []
    for place, bot in zip(places, order):
        cells = ["·" if bot == other else percent(score.get((bot, other), math.nan)) for other in order]
        rows.append((place, bot, *cells))
    return Table("crosstable", "", tuple(columns), tuple(rows), wide=len(order) > WIDEST_CROSSTABLE)


def ms_text(value: float) -> str:
    """Milliseconds with two significant digits.

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


# ---------------------------------------------------------------- sentences


def heading(run: RunData) -> str:
    """One line that says what was played."""
    played = len(run.columns)
    known = run.planned is not None and not run.complete
    games = f"{played:,} of {run.planned:,} games so far" if known else f"{played:,} games"
    config = run.config
    parts = [str(config["format"]), f"rules {config['rules']}", games]
    if config["seed"] is not None:  # a league and a file of records have none
        parts.append(f"seed {config['seed']}")
    return f"{one_line(run.name)}: {', '.join(parts)}"


def remarks(found: RunStandings) -> list[str]:
    """Sentences under the table."""
    lines = []
    played = sum(found.endings.values())
    if played:
        first, (elo, error) = found.first_player, found.first_advantage
        lines.append(
            f"First player: {percent(first['score'])} % of the points"
            f" ({percent(first['score_low'])} .. {percent(first['score_high'])})"
        )
        lines[-1] += "." if math.isnan(error) else f", an advantage of {elo:+z.0f} ± {error:.0f} Elo."
        form = TOURNAMENT_FORMATS.get(found.run.config["format"])  # a league or a file of records has none
        if form is not None and form.chained:
            lines[-1] += " (In a series the last game decides who begins, so only the Elo figure tells.)"
        shares = [f"{name} {percent(count / played)} %" for name, count in found.endings.items() if count]
        lines.append(f"Endings: {', '.join(shares)}. Mean length {found.mean_turns:.1f} turns.")
    if line := head_to_head_line(found):
        lines.append(line)
    if not has_crosstable(found):
        lines.append(f"More than {LARGE_FIELD} bots: crosstable.csv only with 'arena export FOLDER --crosstable'.")
    elo_note = "Elo: mean of the field 0; 95 % errors, clustered by deal."
    extra = " ".join(f"{note[0].upper()}{note[1:]}." for note in found.notes)
    return [*lines, f"{elo_note} {extra}".rstrip() if played else extra]


def head_to_head_line(found: RunStandings) -> str:
    """How much stronger the first of two bots is, and how surely; "" without a figure of two bots."""
    if found.head_to_head is None:
        return ""
    head, (one, two) = found.head_to_head, found.run.bots
    names = "LL, LD, split, WD, WW" if head.unit == "pairs" else "L, D, W"
    counts = ", ".join(map(str, head.counts))
    return (
        f"{one_line(one)} against {one_line(two)}: {difference_text(head)},"
        f" better with a likelihood of {likelihood(head.los)} % ({head.unit} {names}: {counts})."
    )


def _forfeit_items(run: RunData) -> list[list[str]]:
    """A line for each bot and kind of forfeit, or failures in `end`: how many, the commonest reason, a game."""
    folder = shlex.quote(run.folder)
    items: list[list[str]] = []
    for line in run.forfeits[:MOST_REASONS]:
        by = "after which it failed in end (the result stands)" if line.kind == AFTER else f"by {line.kind}"
        item = [f"{one_line(line.bot)}: {counted(line.games, 'game')} {by}"]
        reason = first_line(line.reason, _LONGEST_REASON)
        item += [": ", Code(reason)] if reason else []
        item += ["; ", Code(f"arena replay {folder} {line.game}")] if run.folder else []
        items.append(item)
    left = len(run.forfeits) - MOST_REASONS
    if left > 0:
        how = [", all with ", Code(f"arena standings {folder} --json")] if run.folder else []
        items.append([f"... and {left} more", *how])
    return items
