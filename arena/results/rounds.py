"""The rounds of a swiss tournament and the bracket of a knockout, as tables and as values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.tournament.formats import FORMATS
from arena.tournament.formats.schedule import Meeting
from arena.results.reading.run import RunData
from arena.results.table import Column, Table
from arena.text import counted

MOST_LINES = 64
"""A longer table of rounds is cut to the last ones, a bigger bracket to its last rounds."""


def round_values(run: RunData) -> list[dict[str, Any]]:
    """For JSON: each round with its meetings. In a bracket meeting i follows from 2i and 2i + 1 of the round before."""
    return [
        {"round": number, "meetings": [_values(meeting) for meeting in meetings]}
        for number, meetings in enumerate(run.rounds, start=1)
    ]


def _values(meeting: Meeting) -> dict[str, Any]:
    score = meeting.score
    return {
        "a": meeting.a,
        "b": meeting.b,
        "games": score.games,
        "wins_a": score.wins,
        "draws": score.draws,
        "wins_b": score.losses,
        "points_a": score.points_a,
        "points_b": score.points_b,
        "winner": meeting.winner,
        "decided_by": meeting.decided_by or None,
    }


def round_tables(run: RunData) -> list[Table]:
    """The table for people: a bracket of a knockout, else a line a meeting; none without rounds."""
    if not run.rounds:
        return []
    view = FORMATS[run.config["format"]].round_view
    return [_bracket(run.rounds) if view == "bracket" else _rounds(run.rounds)]


def _rounds(rounds: Sequence[Sequence[Meeting]]) -> Table:
    shown = len(rounds)
    while shown > 1 and sum(map(len, rounds[-shown:])) > MOST_LINES:
        shown -= 1
    rows = [
        (str(meeting.round + 1), str(meeting.a), meeting.b or "-", _games(meeting), _outcome(meeting))
        for meetings in rounds[-shown:]
        for meeting in meetings
    ]
    heads = ("round", "bot", "opponent", "W-D-L", "result")
    columns = tuple(Column(head, left=head in ("bot", "opponent", "result"), ours=head == "W-D-L") for head in heads)
    return Table("rounds", "Rounds", columns, tuple(rows), _rest(len(rounds) - shown))


def _rest(left: int) -> str:
    return "" if not left else f"{counted(left, 'earlier round')}: --json has them."


def _games(meeting: Meeting) -> str:
    score = meeting.score
    return "-" if meeting.decided_by == "bye" else f"{score.wins}-{score.draws}-{score.losses}"


def _outcome(meeting: Meeting) -> str:
    if meeting.decided_by == "bye":
        return "bye"
    if not meeting.decided_by:
        return "open"
    return f"{meeting.winner} won" if meeting.winner else "drawn"


def _bracket(rounds: Sequence[Sequence[Meeting]]) -> Table:
    """The tree from left to right: two lines that meet belong to one meeting, whose winner stands between them."""
    shown = len(rounds)
    while shown > 1 and 4 * len(rounds[-shown]) > MOST_LINES:
        shown -= 1
    seen = rounds[-shown:]
    lines = 4 * len(seen[0]) - 1
    grid = [[""] * (shown + 1) for _ in range(lines)]
    for column, meetings in enumerate(seen):
        step = 2 ** (column + 1)  # lines from one bot of this round to the next
        for at, meeting in enumerate(meetings):
            top = step // 2 - 1 + 2 * at * step
            middle, bottom = top + step // 2, top + step
            for line, text in ((top, _entry(meeting, True)), (bottom, _entry(meeting, False))):
                grid[line][column] = f"{grid[line][column]}{text}"
            for line in range(top, bottom + 1):
                grid[line][column + 1] = "│"
            grid[top][column + 1], grid[bottom][column + 1], grid[middle][column + 1] = "┐", "┘", "├ "
    final = seen[-1][0]
    grid[lines // 2][shown] += final.winner or "?"
    first = len(rounds) - shown
    heads = [*(f"round {first + at + 1}" for at in range(shown)), "winner"]
    columns = tuple(Column(head, left=True) for head in heads)
    return Table("bracket", "Bracket", columns, tuple(map(tuple, grid)), _rest(first))


def _entry(meeting: Meeting, upper: bool) -> str:
    """A bot with the games it won."""
    bot = meeting.a if upper else meeting.b
    if meeting.decided_by == "bye":
        return f"{bot}" if upper else "(bye)"
    if bot is None:
        return "?"
    if not meeting.score.games:
        return bot
    won = meeting.score.wins if upper else meeting.score.losses
    by = {"match points": " on match points", "seed": " by seed"}.get(meeting.decided_by, "")
    return f"{bot} {won}{by if meeting.winner == bot else ''}"
