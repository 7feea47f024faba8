"""Select games of a run after they were played, by their bots: `--without` and `--only`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arena.errors import ArenaError
from arena.results.run_data import RunData
from arena.stats.frames import require_bot
from arena.text import counted, one_line


def with_bots(run: RunData, without: Sequence[str], only: Sequence[str]) -> RunData:
    """Return the run with only the games of two bots that `kept_bots` keeps; the others leave its field."""
    if not (without or only):
        return run
    kept = kept_bots(run.bots, without, only)
    numbers = [number for number, bot in enumerate(run.columns.bots) if bot in kept]
    held = np.isin(run.columns["first"], numbers) & np.isin(run.columns["second"], numbers)
    if not held.any():
        raise ArenaError(f"{one_line(run.name)} has no game of {one_line(' and '.join(kept[:10]))}")
    columns = replace(run.columns, values={name: column[held] for name, column in run.columns.values.items()})
    return RunData(  # without what was measured or counted over all games
        name=run.name,
        config={**run.config, "bots": [bot for bot in run.config["bots"] if bot["name"] in kept]},
        columns=replace(columns, thinking=()),
        sources={bot: source for bot, source in run.sources.items() if bot in kept},
        folder=run.folder,
        forfeits=tuple(columns.forfeits()),
        prior=run.prior,
        anchors={bot: elo for bot, elo in run.anchors.items() if bot in kept},
        centre=run.centre,
        selection=choice_text(run.bots, kept),
    )


def kept_bots(bots: Sequence[str], without: Sequence[str], only: Sequence[str]) -> list[str]:
    """Return the bots that are named in `only` (all, if it is empty) and not in `without`.

    Raise ArenaError for a bot that is not there, and for fewer than two bots left.

    >>> kept_bots(["ann", "bob", "cid"], ["cid"], []), kept_bots(["ann", "bob", "cid"], [], ["bob,cid"])
    (['ann', 'bob'], ['bob', 'cid'])
    """
    left_out, wanted = named_bots(without, bots), named_bots(only, bots)
    for bot in (*left_out, *wanted):
        require_bot(bot, bots)
    kept = [bot for bot in bots if bot not in left_out and (bot in wanted or not wanted)]
    if len(kept) < 2:
        raise ArenaError(f"--without and --only leave {counted(len(kept), 'bot')}, expected two or more")
    return kept


def named_bots(texts: Sequence[str], bots: Sequence[str]) -> list[str]:
    """Return the bots named in options: one each, or several with commas between them. A name may hold commas."""
    return [bot for text in texts for bot in ([text] if text in bots else text.split(","))]


def choice_text(bots: Sequence[str], kept: Sequence[str]) -> str:
    """Say in which games only bots that are `kept` play.

    >>> choice_text(["ann", "bob", "cid"], ["ann", "bob"]), choice_text(["a", "b", "c", "d"], ["a", "b", "c"])
    ('ann and bob meet', 'd does not play')
    """
    left_out = [bot for bot in bots if bot not in kept]
    if len(kept) == 2:
        return f"{kept[0]} and {kept[1]} meet"
    if len(left_out) < len(kept):
        return f"{' and '.join(left_out)} {'does' if len(left_out) == 1 else 'do'} not play"
    return f"two of {', '.join(kept)} meet"
