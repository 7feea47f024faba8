"""Compare the same bots under several rule sets: the tables of `arena compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arena.errors import did_you_mean
from arena.game.rules import load_rules
from arena.results.positions import plays_frame
from arena.results.run_data import RunData, read_run
from arena.results.sources import StoredRun
from arena.results.table import WIDE, Report, Table, table_of
from arena.results.words import variants_answer
from arena.stats.field import game_length, scores
from arena.stats.frames import StatsError, bot_names
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.variants import (
    card_effects,
    first_player_advantage,
    first_player_differences,
    length_differences,
    scores_by_opponent,
    win_rate_differences,
)
from arena.text import counted, one_line

if TYPE_CHECKING:
    import pandas as pd

_USED = ("deal_seed", "deal", "first", "second", "score", "turns", "plies")
_SHOWN_RATES = ["bot", "variant", "games", "wins", "draws", "losses", "score", "score_low", "score_high"]
_SHOWN_MET = ["bot", "opponent", *_SHOWN_RATES[1:]]
_SHOWN_LENGTHS = ["variant", "games", "turns_mean", "turns_sd", "turns_p10", "turns_p50", "turns_p90", "plies_mean"]
_ONLY_WIDE = {"games", "mean", "mean_against", "p_value", "shared_deals", "turns_sd", "plies_mean", "plays", "sides"}
_ONLY_WIDE |= {"elo", "elo_low", "elo_high", "played", "score_without"}
_WIDE_TABLES = ("first_player_differences", "length_differences", "cards")
_TURNS = dict.fromkeys(("mean", "mean_against", "difference", "low", "high"), "number")
_DIFFERENCE_NOTE = "p holm: p-value adjusted for all rows (Holm). Low, high: 95%, not adjusted."


@dataclass(frozen=True)
class VariantRun:
    """A run of one variant.

    cards      which side played which tactic card (arena.results.positions.PLAY_COLUMNS), empty without tactics
    note       the games that `cards` come from, "" for all
    """

    variant: str
    run: RunData
    cards: pd.DataFrame
    note: str = ""

    @property
    def named(self) -> str:
        """The variant and the seed, which tell runs of one variant apart."""
        return f"{self.variant}, seed {self.run.config['seed']}"


def read_variants(folders: Sequence[Path], most: int | None = None) -> list[VariantRun]:
    """Read stored runs, and the tactic cards of at most `most` (None: all) games of each, evenly spaced.

    Raise StatsError if two of them hold the same deals under the same rules, or play different lists of deals.
    """
    runs: list[VariantRun] = []
    labels: dict[str, str] = {}
    known: dict[tuple[str, int], Path] = {}
    listed: dict[tuple[str, ...], Path] = {}
    for folder in folders:
        run = read_run(folder)
        config, rules = run.config, load_rules(run.config["rules"])
        again = known.setdefault((rules.canonical, config["seed"]), folder)
        if again is not folder:
            raise StatsError(
                f"{again} and {folder} hold the same deals under the same rules"
                f" ({config['rules']}, seed {config['seed']}); compare other variants, or other seeds"
            )
        listed.setdefault(tuple(config.get("deals", ())), folder)
        if len(listed) > 1:
            one, other = listed.values()
            raise StatsError(f"{one} and {other} play different lists of deals; compare runs with the same list")
        with StoredRun(folder).games() as stored:
            sample, note = stored.spaced(len(run.columns) if most is None else most)
            cards = plays_frame(sample, rules)
        runs.append(VariantRun(labels.setdefault(rules.canonical, config["rules"]), run, cards, note))
    return runs


def comparison(runs: Sequence[VariantRun], baseline: str | None = None) -> Report:
    """Return all tables; with a `baseline`, a rule set, differences from that variant only.

    Raise StatsError for fewer than two variants and for variants without games.
    """
    import pandas as pd  # slow to load

    variants = list(dict.fromkeys(run.variant for run in runs))
    if len(variants) < 2:
        raise StatsError(f"a comparison needs at least two variants, there is only '{variants[0]}'")
    against = None if baseline is None else find_variant(baseline, variants)
    for run in runs:
        if not len(run.run.games):
            raise StatsError(f"variant '{run.variant}': no games yet")
    games = pd.concat([_labelled(run.run.games, run, _USED) for run in runs], ignore_index=True)
    bots = list(dict.fromkeys(bot for run in runs for bot in (*run.run.sources, *bot_names(run.run.games))))
    tables = _tables(runs, games, variants, bots, against)
    remarks = _remarks(runs, games)
    seeds = sorted({run.run.config["seed"] for run in runs})
    about = {"variants": variants, "baseline": against, "bots": bots, "seeds": seeds, "games_played": len(games)}
    heading = f"{', '.join(bots)} in {', '.join(variants)}; seed {', '.join(map(str, seeds))}"
    rows = {table.name: table.rows for table in tables}
    return Report(
        heading,
        tables,
        remarks,
        about,
        variants_answer(rows["win_rate_differences"], rows["win_rates"]),
        {run.variant if len(runs) == len(variants) else run.named: run.run.forfeit_summary for run in runs},
    )


def find_variant(rules: str, variants: Sequence[str]) -> str:
    """Return the variant with these rules. Raise StatsError if there is none."""
    wanted = load_rules(rules).canonical
    for name in variants:
        if load_rules(name).canonical == wanted:
            return name
    raise StatsError(f"--baseline {rules}: no such variant{did_you_mean(rules, variants)} ({', '.join(variants)})")


def _tables(
    runs: Sequence[VariantRun],
    games: pd.DataFrame,
    variants: Sequence[str],
    bots: Sequence[str],
    baseline: str | None,
) -> list[Table]:
    import pandas as pd  # slow to load

    rates = _in_order(scores(games, by=["bot", "variant"]), variants)
    met = _in_order(scores_by_opponent(games, bots), variants, bots)
    one_pairing = len(bots) == 2  # what one bot wins the other loses, so the rows of one are enough
    lengths = _in_order(game_length(games, by=["variant"]), variants)
    by_bot = "Win rate by variant and bot (a draw is half a win), with 95% intervals"
    apart = "How win rates differ: the variant minus the one it is compared with"
    differences = win_rate_differences(games, baseline, bots[0] if one_pairing else None)
    begun, longer = first_player_differences(games, baseline), length_differences(games, baseline)
    tables = [
        table_of("win_rates", by_bot, rates, columns=[] if one_pairing else _SHOWN_RATES),
        table_of("by_opponent", "Score by opponent and variant, with 95% intervals", met, columns=_SHOWN_MET),
        table_of("win_rate_differences", apart, differences, _DIFFERENCE_NOTE),
        table_of("first_player", "The first player by variant", _in_order(first_player_advantage(games), variants)),
        table_of("first_player_differences", "How the first player's score differs", begun),
        table_of("length", "Length of games by variant", lengths, columns=_SHOWN_LENGTHS),
        table_of("length_differences", "How the length in turns differs", longer, kinds=_TURNS),
    ]
    if any(len(run.cards) for run in runs):
        used = ("deal_seed", "deal", "card", "played_by_first", "played_by_second", "score")
        cards = pd.concat([_labelled(run.cards, run, used) for run in runs if len(run.cards)])
        effects = _in_order(card_effects(cards.reset_index(drop=True)), variants)
        notes = [f"{run.variant}: {run.note}" for run in runs if run.note and len(run.cards)]
        note = " ".join(["A card that only a winning side gets to play is a sign of the win, not its cause.", *notes])
        tables.append(
            table_of(
                "cards",
                "Tactic cards: how often they were played, and the score of the sides that played them",
                effects,
                note,
            )
        )
    return list(map(_brief, tables))


def _brief(table: Table) -> Table:
    """Return the table with what is shown only on request: so that a comparison of two bots fits a screen."""
    is_wide = table.name in _WIDE_TABLES
    columns = [
        replace(column, where=WIDE) if is_wide or column.key in _ONLY_WIDE else column for column in table.columns
    ]
    return replace(table, columns=columns)


def _in_order(table: pd.DataFrame, variants: Sequence[str], bots: Sequence[str] = ()) -> pd.DataFrame:
    """Order rows by variant, under each bot if there are bots (by name, or in the order of `bots`)."""
    import pandas as pd  # slow to load

    order = table["variant"].map({name: index for index, name in enumerate(variants)})
    keys = pd.DataFrame({"place": order.astype(np.int64)})
    for name in ("opponent", "bot"):
        if name in table.columns:
            keys.insert(0, name, table[name].map({bot: index for index, bot in enumerate(bots or sorted(table[name]))}))
    return table.loc[keys.sort_values(list(keys.columns), kind="stable").index].reset_index(drop=True)


def _labelled(frame: pd.DataFrame, run: VariantRun, columns: Sequence[str]) -> pd.DataFrame:
    """Return the columns and the variant."""
    out = frame.filter(list(columns)).copy()
    for name in ("first", "second"):
        if name in out.columns:
            out[name] = out[name].astype(str)
    return out.assign(variant=run.variant)


def _remarks(runs: Sequence[VariantRun], games: pd.DataFrame) -> list[str]:
    lines = []
    if len({run.run.config["seed"] for run in runs}) > 1:
        lines.append("The runs have different seeds, so their deals are different cards.")
    fields = {run.variant: set(bot_names(run.run.games)) for run in runs}
    everybody = set().union(*fields.values())
    for variant, bots in fields.items():
        if everybody - bots:
            lines.append(f"Not in {variant}: {', '.join(sorted(everybody - bots))}.")
    for bot in sorted(everybody):
        if len({run.run.sources[bot] for run in runs if bot in run.run.sources}) > 1:
            lines.append(f"Note: the source of {bot} is not the same in all runs.")
    deals = games[["variant", "deal_seed", "deal"]].drop_duplicates().groupby("variant", sort=False).size()
    counts = ", ".join(f"{counted(number, 'deal')} ({name})" for name, number in deals.items())
    if deals.nunique() == 1:
        counts = f"{counted(int(deals.iloc[0]), 'deal')} in each variant"
    lines.append(f"Intervals are based on {counts}.")
    if int(deals.min()) < FEWEST_DEALS:
        more = "" if any(run.run.forfeit_summary.always for run in runs) else ": play more games"
        lines.append(f"Fewer than {FEWEST_DEALS} deals give no interval{more}.")
    for run in runs:
        lines += [f"Left out in {run.variant}: {one_line(bot)}, {reason}." for bot, reason in run.run.left_out.items()]
    return lines
