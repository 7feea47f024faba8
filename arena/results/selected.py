"""Select games of a run after they were played: `--where`, `--without` and `--only` of `arena standings`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.results.decisions import with_counts
from arena.results.run_data import RunData
from arena.stats.frames import require_bot
from arena.stats.metrics import read_metric
from arena.stats.selection import ExpressionError, holds, names_of, parse
from arena.text import counted, one_line


def selected(run: RunData, text: str) -> RunData:
    """Return the run with only the games for which an expression (arena.stats.selection) holds; ratings rank its bots.

    Raise ExpressionError for an invalid expression, one that is not a condition, an unknown name, or no games left.
    """
    metrics = [read_metric(name, metric) for name, metric in run.metrics.items()]
    run = with_counts(run, names_of(parse(text)).union(*(metric.names for metric in metrics)))
    held = np.array(holds(text, _facts(run), len(run.columns)), bool)
    if not held.any():
        raise ExpressionError(f"{one_line(run.name)} has no game where {one_line(text)}")
    return _with_games(run, held, text)


def with_bots(run: RunData, without: Sequence[str], only: Sequence[str]) -> RunData:
    """Return the run with only the games of two bots that `kept_bots` keeps; the others leave its field."""
    if not (without or only):
        return run
    kept = kept_bots(run.bots, without, only)
    numbers = [number for number, bot in enumerate(run.columns.bots) if bot in kept]
    held = np.isin(run.columns["first"], numbers) & np.isin(run.columns["second"], numbers)
    if not held.any():
        raise ArenaError(f"{one_line(run.name)} has no game of {one_line(' and '.join(kept[:10]))}")
    field = [bot for bot in run.config["bots"] if bot["name"] in kept]
    text = choice_text(run.bots, kept)
    run = replace(
        run,
        config={**run.config, "bots": field},
        sources={bot: source for bot, source in run.sources.items() if bot in kept},
    )
    return _with_games(run, held, text)


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


def _with_games(run: RunData, held: npt.NDArray[np.bool_], selection: str) -> RunData:
    """Return the run with the games that are `held`, and without what was measured or counted over all games."""
    columns = replace(run.columns, values={name: column[held] for name, column in run.columns.values.items()})
    return RunData(
        name=run.name,
        config=run.config,
        columns=replace(columns, thinking=()),
        sources=run.sources,
        folder=run.folder,
        forfeits=tuple(columns.forfeits()),
        metrics=run.metrics,
        prior=run.prior,
        anchors={bot: elo for bot, elo in run.anchors.items() if bot in run.bots},
        centre=run.centre,
        selection=f"{run.selection}, and {selection}" if run.selection else selection,
    )


def _facts(run: RunData) -> dict[str, Any]:
    """Return the facts of games by name: a column each; `rules` and its options as single values.

    A forfeit that did not happen is an empty text.
    """
    facts: dict[str, Any] = {str(name): column for name, column in run.games.items()}
    for name in run.games.select_dtypes("category").columns:
        facts[name] = run.games[name].astype(object).fillna("")
    facts["rules"] = run.config["rules"]
    with suppress(ArenaError):  # a league or a file of records may have several rule sets
        facts |= {f"rules.{name}": value for name, value in load_rules(run.config["rules"]).options.items()}
    return facts
