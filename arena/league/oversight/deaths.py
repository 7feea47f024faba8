"""Processes of the league that were killed, and the bots that were at work then.

A process that dies with work in hand names the versions of that work, in an event and in the log. One death tells
little: an operator may have killed the process, or the kernel for want of memory, and its bots are only suspects.
Whoever was at work at some deaths is tried alone (`placement.single_out`). It is known to kill when processes have died
in several trials of it, one after the other, while the same games with one of the program's own bots in its place,
played in between, have killed none. What is known so far is a value in the table `meta`.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field, fields

from arena.league.store import League

log = logging.getLogger("arena.league")
_KEY = "deaths"

TRIALS = 4
"""Deaths in trials of a bot, one after the other and with none in between that cannot be its, that make it known."""


@dataclass
class Deaths:
    """By version: at how many deaths it was at work since it was last tried (`fresh`), and deaths in its last trials
    (`trials`). `on_trial`: by process, the version that it tries, with a minus sign while one of the program's own bots
    plays in its place; `killers`: versions that are known to kill, and how; `apart`: pairs of versions that do not play
    each other any more, since workers keep dying in their games."""

    fresh: dict[str, int] = field(default_factory=dict)
    trials: dict[str, int] = field(default_factory=dict)
    on_trial: dict[str, int] = field(default_factory=dict)
    killers: dict[str, str] = field(default_factory=dict)
    apart: list[list[int]] = field(default_factory=list)


def read(league: League) -> Deaths:
    """What is known. The error of a damaged league if it is not what this program writes."""
    value = league.one("SELECT value FROM meta WHERE key = ?", _KEY)
    try:
        known = {} if value is None else json.loads(value)
        deaths = Deaths(**{one.name: known[one.name] for one in fields(Deaths) if one.name in known})
        sound = (
            all(type(n) is int for part in (deaths.fresh, deaths.trials, deaths.on_trial) for n in part.values())
            and all(type(how) is str for how in deaths.killers.values())
            and all(len(pair) == 2 and {type(version) for version in pair} == {int} for pair in deaths.apart)
        )
    except (AttributeError, RecursionError, TypeError, ValueError):
        sound = False
    if not sound:
        raise league.damaged("what it knows of deaths cannot be read")
    return deaths


def write(league: League, deaths: Deaths) -> None:
    """Store it, within a change."""
    league.run(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        _KEY,
        json.dumps(vars(deaths), sort_keys=True),
    )


def kept_apart(league: League) -> set[frozenset[int]]:
    """The pairs of versions that do not play each other any more."""
    return {frozenset(pair) for pair in read(league).apart}


def note_death(league: League, process: int, doing: str) -> None:
    """Note, within a change, that a process has died, before what it held is released."""
    held = {v for (v,) in league.query("SELECT version FROM versions WHERE holder = ?", process)}
    rows = league.query(
        "SELECT DISTINCT p.a, p.b FROM reserved r JOIN pairings p ON p.pairing = r.pairing"
        " JOIN crews c ON c.crew = r.crew WHERE c.process = ?",
        process,
    )
    at_work = held | {version for row in rows for version in row}
    deaths = read(league)
    tried = deaths.on_trial.pop(str(process), None)
    if tried is None:
        for version in at_work:
            deaths.fresh[str(version)] = deaths.fresh.get(str(version), 0) + 1
    elif tried < 0:  # so somebody else kills here
        at_work = set()
        deaths.trials.pop(str(-tried), None)
    else:
        at_work = {tried}
        deaths.trials[str(tried)] = number = deaths.trials.get(str(tried), 0) + 1
        if number >= TRIALS:
            deaths.killers[str(tried)] = f"the league's process was killed {number} times while it played alone"
    write(league, deaths)
    # whoever did it: that is found out otherwise, and is no failed attempt at the submission
    league.run("UPDATE versions SET attempts = max(attempts - 1, 0) WHERE holder = ?", process)
    if not at_work:
        return
    names = dict(
        league.query("SELECT v.version, b.name || ' v' || v.number FROM versions v JOIN bots b ON b.bot = v.bot")
    )
    text = f"killed: process {process} ({doing}), at work: {', '.join(sorted(names[v] for v in at_work))}"
    log.warning("%s", text)
    league.insert(
        "INSERT INTO events (happened, kind, version, games, total, note) VALUES (?, 'noticed', ?, 0, ?, ?)",
        time.time(),
        next(iter(at_work)) if len(at_work) == 1 else None,
        league.count_games(),
        text,
    )
