"""A second engine for Schotten-Totten, slow and literal, to be read beside the rules (RULES.md).

Cards are texts, sides are lists, proofs try every completion. It shares no code with `arena` and does not
import it, so that a mistake in the fast engine is not repeated here.

- `rulebook`: the options of a rule set (RULES.md §6), formations (§2) and proofs (§3);
- `position`: what lies on the table, and the legal moves (§3, §4, §5);
- `table`: the course of a game (§3, §4, §5).
"""

from tests.oracle.rulebook import (
    PRESETS,
    Options,
    beats,
    best,
    claim_holds,
    clan_cards,
    match_points,
    may_play_tactic,
    tactic_cards,
    win_reason,
)
from tests.oracle.table import Oracle

__all__ = [
    "PRESETS",
    "Options",
    "Oracle",
    "beats",
    "best",
    "claim_holds",
    "clan_cards",
    "match_points",
    "may_play_tactic",
    "tactic_cards",
    "win_reason",
]
