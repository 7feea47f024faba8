"""Compare the same bots under several rule sets: win rates, their differences, the first player, length, cards.

Every function takes a games frame with one more column, `variant` (the name of the rule set). The unit of evidence is
the deal; where two variants were played on the same deal numbers, differences are taken deal by deal, and the effect of
a deal on both variants cancels out. A "win rate" counts a draw as half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from arena.stats import other_side
from arena.stats.field import first_player_score, grouped, scores
from arena.stats.frames import Floats, by_seat, check_games, deals_of
from arena.stats.intervals import FEWEST_DEALS, mean_difference, mean_interval
from arena.stats.pairs import elo_of_score

if TYPE_CHECKING:
    import pandas as pd


def holm(p_values: Floats) -> Floats:
    """Adjust p-values for multiple comparisons by Holm's step-down method, in the given order; nan stays nan.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).round(3).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    number = int((~np.isnan(p_values)).sum())
    order = np.argsort(p_values, kind="stable")[:number]  # nan stands last
    stepped = np.maximum.accumulate(p_values[order] * (number - np.arange(number)))
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


_DIFFERENCE = ["variant", "against", "mean", "mean_against", "difference", "low", "high", "p_value", "shared_deals"]


def _differences(frame: pd.DataFrame, column: str, by: Sequence[str] = (), baseline: str | None = None) -> pd.DataFrame:
    """Compare the mean of `column` of every two variants (later minus earlier), in each group of `by`.

    With a `baseline` only compare each other variant with it.
    """
    import pandas as pd  # slow to load

    if (cards := deals_of(frame)) is not None:
        frame = frame.assign(cards=cards)
    rows = []
    for keys, members in grouped(frame, by):
        group = frame.iloc[members]
        parts = {name: group[group["variant"] == name].dropna(subset=[column]) for name in group["variant"].unique()}
        if baseline in parts:
            parts = {baseline: parts.pop(baseline), **parts}
        for (earlier_name, earlier), (later_name, later) in combinations(parts.items(), 2):
            if baseline is not None and earlier_name != baseline:
                continue
            if len(earlier) and len(later):
                means = float(later[column].mean()), float(earlier[column].mean())
                change = mean_difference(
                    later[column],
                    later.get("cards"),
                    earlier[column],
                    earlier.get("cards"),
                    column == "score",
                )
                interval = change.difference, change.low, change.high, change.p_value, change.shared
                rows.append((*keys.values(), later_name, earlier_name, *means, *interval))
    table = pd.DataFrame(rows, columns=[*by, *_DIFFERENCE])
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    return table


def win_rate_differences(games: pd.DataFrame, baseline: str | None = None, bot: str | None = None) -> pd.DataFrame:
    """Compare the win rates of each bot in every two variants it played.

    Columns: bot, variant, against, mean (win rate in `variant`), mean_against, difference (mean minus mean_against)
    with its 95% interval low .. high, p_value, shared_deals, p_holm: the p-value adjusted for all rows of the table.
    Interval and p-value are nan for fewer than FEWEST_DEALS deals.
    `baseline`: only differences from that variant; `bot`: only that bot (of two bots the other has the same, negated).
    """
    seats = by_seat(games, "variant")
    if bot is not None:
        seats = seats[seats["bot"] == bot]
    return _differences(seats, "score", ["bot"], baseline)


def first_minus_second(games: pd.DataFrame) -> pd.DataFrame:
    """Return each bot's win rate as the first player minus as the second. Columns as `win_rate_differences`."""
    seats = by_seat(games)
    return _differences(seats.assign(variant=seats["seat"]), "score", ["bot"], "second")


def scores_by_opponent(games: pd.DataFrame, bots: Sequence[str]) -> pd.DataFrame:
    """Return the score of each bot against each opponent in each variant, every two bots once, in the order of `bots`.

    Columns: bot, opponent, variant and the others of `arena.stats.field.scores`.
    """
    table = scores(games, by=["bot", "opponent", "variant"])
    rank_of = {bot: rank for rank, bot in enumerate(bots)}
    once = table["bot"].map(rank_of).astype(np.int64) < table["opponent"].map(rank_of).astype(np.int64)
    return table[once].reset_index(drop=True)


def first_player_advantage(games: pd.DataFrame) -> pd.DataFrame:
    """Return the first player's score by variant with its 95% interval, and the same in Elo, nan for too few deals.

    Columns: variant, games, score, score_low, score_high, elo, elo_low, elo_high.
    """
    checked = check_games(games, ["variant"])
    table = first_player_score(checked, by=["variant"])
    for end in ("", "_low", "_high"):
        table[f"elo{end}"] = [elo_of_score(float(score)) for score in table[f"score{end}"]]
    cards = deals_of(checked)
    by_variant = checked["variant"]
    deals = by_variant.value_counts() if cards is None else cards.groupby(by_variant, observed=True).nunique()
    few = table["variant"].map(deals).to_numpy(dtype=np.float64) < FEWEST_DEALS
    table.loc[few, ["elo", "elo_low", "elo_high"]] = math.nan
    return table


def first_player_differences(games: pd.DataFrame, baseline: str | None = None) -> pd.DataFrame:
    """Compare the first player's score in every two variants. Columns as `win_rate_differences`, without bot."""
    return _differences(check_games(games, ["variant"]), "score", baseline=baseline)


def length_differences(games: pd.DataFrame, baseline: str | None = None) -> pd.DataFrame:
    """Compare the mean number of turns in every two variants. Columns as `win_rate_differences`, without bot."""
    return _differences(check_games(games, ["variant", "turns"]), "turns", baseline=baseline)


def card_effects(cards: pd.DataFrame) -> pd.DataFrame:
    """Count how often each tactic card is played, and how often the side that plays it wins.

    Take a row for each game and each card of its tactic deck: variant, deal_seed, deal, card, played_by_first,
    played_by_second (how often each side played it), score (of the first player). Return one row per variant and card:
    variant, card, games, plays (total), plays_per_game, played (share of games in which somebody played it), sides
    (sides that played it), score, score_low, score_high (of these sides, 95% interval by deal), score_without (of the
    other sides). Some cards can only be played from a winning position: the scores do not prove an effect.
    """
    import pandas as pd  # slow to load

    rows = []
    for (variant, card), part in cards.groupby(["variant", "card"], sort=True):
        forth = part["played_by_first"].to_numpy(dtype=np.float64)
        back = part["played_by_second"].to_numpy(dtype=np.float64)
        score = part["score"].to_numpy(dtype=np.float64)
        own = np.concatenate([score, other_side(score)])
        using = np.concatenate([forth, back]) > 0
        deal = np.asarray(deals_of(part))
        row: dict[str, object] = {
            "variant": variant,
            "card": card,
            "games": len(part),
            "plays": int(forth.sum() + back.sum()),
            "plays_per_game": float((forth + back).mean()),
            "played": float((forth + back > 0).mean()),
            "sides": int(using.sum()),
            **dict.fromkeys(("score", "score_low", "score_high"), float("nan")),
            "score_without": float(own[~using].mean()) if not using.all() else float("nan"),
        }
        if using.any():
            mean = mean_interval(own[using], np.concatenate([deal, deal])[using])
            row.update({"score": mean.mean, "score_low": mean.low, "score_high": mean.high})
        rows.append(row)
    return pd.DataFrame(rows)
