"""Word who forfeited games, how and where to look: the lines beside every rating and every verdict."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from arena.endings import AFTER
from arena.text import counted, first_line, one_line
from arena.tournament.forfeits import ForfeitReason, ForfeitSummary


class Code(str):
    """A part of a line to be shown letter by letter, such as a command."""


_MOST_LINES = 5
"""More lines are joined: of bots that forfeited most of their games those beyond, of all others one for each kind."""
_MOST_NAMED = 5
_LONGEST_REASON = 100


def forfeit_alerts(forfeits: ForfeitSummary) -> list[list[str]]:
    """Return the lines of a report (`arena.results.table.Report.alerts`).

    The first are about bots that forfeited most of their games, those that forfeited all before others; then come each
    other bot and kind, and failures in `end`. A line has the number of games, the kind, the commonest reason, and the
    command that shows the first of these games. The first part of a line says it without texts of bots.
    """
    shares = {bot: lost / max(forfeits.games[bot], 1) for bot, lost in forfeits.lost.items()}
    failing = sorted((bot for bot in shares if shares[bot] > 0.5), key=lambda bot: -shares[bot])
    alerts = [_alert(bot, forfeits) for bot in failing[:_MOST_LINES]]
    if rest := failing[_MOST_LINES:]:
        alerts.append([f"{_named([*map(one_line, rest)])} forfeited most of their games too"])
        alerts[-1] += _all_of_them(forfeits)
    others = [line for line in forfeits.reasons if line.kind == AFTER or line.bot not in failing]
    return alerts + _items(others, forfeits)


def _alert(bot: str, forfeits: ForfeitSummary) -> list[str]:
    own = [line for line in forfeits.reasons if line.bot == bot and line.kind != AFTER]
    lost, played = sum(line.games for line in own), forfeits.games[bot]
    games = counted(played, "game")
    share = f"all {games}" if lost == played else f"{lost:,} of {games}"
    most = "" if own[0].games == lost else f", {own[0].games:,} of them"
    return [f"{one_line(bot)} forfeited {share}{most} by {own[0].kind}", *_reason(own[0], forfeits)]


def _items(lines: Sequence[ForfeitReason], forfeits: ForfeitSummary) -> list[list[str]]:
    """Return a line for each bot and kind, but for many of them a line for each kind."""
    if len(lines) <= _MOST_LINES:
        return [[_item(line, counted(forfeits.games[line.bot], "game")), *_reason(line, forfeits)] for line in lines]
    items: list[list[str]] = []
    for kind in dict.fromkeys(line.kind for line in lines):
        own = [line for line in lines if line.kind == kind]
        way = "after which a bot failed in end (the results stand)" if kind == AFTER else f"by {kind}"
        bots = _named([f"{one_line(line.bot)} {line.games:,}" for line in own])
        games = counted(sum(line.games for line in own), "game")
        reason = _reason(own[0], forfeits)
        items.append([f"{games} {way} ({bots})", *([", such as"] if own[0].reason else []), *reason])
    items[-1] += _all_of_them(forfeits)
    return items


def _item(line: ForfeitReason, games: str) -> str:
    if line.kind == AFTER:
        return f"{one_line(line.bot)} failed in end after {line.games:,} of {games} (the results stand)"
    return f"{one_line(line.bot)} forfeited {line.games:,} of {games} by {line.kind}"


def _reason(line: ForfeitReason, forfeits: ForfeitSummary) -> list[str]:
    """Return the commonest reason of forfeits, and the command that shows the first of these games."""
    reason = first_line(line.reason, _LONGEST_REASON)
    parts = [": ", Code(reason)] if reason else []
    if forfeits.folder and line.game:
        parts += ["; ", Code(f"arena replay {shlex.quote(forfeits.folder)} {shlex.quote(line.game)}")]
    return parts


def _all_of_them(forfeits: ForfeitSummary) -> list[str]:
    if not forfeits.folder:
        return []
    return ["; all of them: ", Code(f"arena standings {shlex.quote(forfeits.folder)} --json")]


def _named(names: Sequence[str]) -> str:
    """Join names, only the first of many.

    >>> _named(["a", "b"]), _named(["a", "b", "c", "d", "e", "f", "g"])
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    left = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {left} more" if left > 0 else "")
