"""What the draws of stored games gave to whom, beyond what they could be expected to give: `--adjusted`.

At each draw the packaged net says what every card that could have been drawn is worth to who drew (both hands open, the
other's likely reply made): the value of the card drawn minus the mean of all is luck, which has mean zero. The
initial hands need no term: in the two games of a pair the bots hold them in turn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.record import Record, RecordError, parse_record
from arena.policy import Evaluator, load_net
from arena.policy.weights import packaged_hash
from arena.results.sources import games_of
from arena.results.table import Table, table_of
from arena.results.whole_file import write_whole
from arena.stats.adjusted import AdjustedMeeting
from arena.stats.frames import Floats
from arena.stats.pairs import elo_of_score
from arena.tournament.store.sqlite import DATABASE

LUCK = "luck.json"
"""What a run's folder holds after its games were adjusted, so that none is judged twice."""
PARTS = 3
DRAWS_A_PART = 14
"""A game of the base rules has 42 draws."""
_DIGITS = 6
_NOTE = (
    "Luck is what draws gave beyond the mean of all cards that could have been drawn, as the net values them. Its mean"
    " is 0, so scores stay unbiased; its weights are fitted on other deals. Worth: how many deals as counted one"
    " adjusted deal is worth; below 1.05, and with fewer than 50 deals, scores stay as counted."
)


def game_luck(record: Record, net: Evaluator) -> list[float]:
    """What the draws of a game gave its first player, in points, for PARTS parts of the game.

    Raises RecordError if the record does not replay.
    """
    state = State(record.rules, record.deal, record.auto_claim)
    parts, draws = [0.0] * PARTS, 0
    for number, move in enumerate(record.moves, 1):
        before = state.copy()
        try:
            state.apply(move)
        except ArenaError as error:
            raise RecordError(f"record, move {number} ({move}): {error}") from None
        if values := net.draw_values(before, state):
            luck = values[0] - math.fsum(values) / len(values)
            parts[min(draws // DRAWS_A_PART, PARTS - 1)] += luck if before.turn == record.deal.starter else -luck
            draws += 1
    return [round(part, _DIGITS) + 0.0 for part in parts]


def run_luck(source: str | Path, seen: Callable[[], object] = lambda: None) -> Floats:
    """`game_luck` of all games of a run or a file of records in their order, 0 where a record does not replay.

    `seen` is called for each game. A stored run keeps what was found.
    """
    folder = Path(source)
    stored = folder / DATABASE
    known = _read(folder) if stored.is_file() else {}
    fresh: dict[str, list[float]] = {}
    nets: dict[str, Evaluator] = {}
    rows = []
    with games_of(str(source), counting=True) as games:
        for game in games:
            key = str(game.id)
            parts = known.get(key) if stored.is_file() else None
            if parts is None:
                try:
                    record = parse_record(game.record)
                    net = nets.setdefault(record.rules.canonical, load_net(record.rules))
                    parts = game_luck(record, net)
                except RecordError:
                    parts = [0.0] * PARTS
                fresh[key] = parts
            rows.append(parts)
            seen()
    if fresh and stored.is_file():
        text = json.dumps({"net": packaged_hash(), "games": known | fresh}, separators=(",", ":"))
        write_whole(folder / LUCK, [text, "\n"], follow=False)
    return np.array(rows, dtype=np.float64).reshape(-1, PARTS)


def _read(folder: Path) -> dict[str, list[float]]:
    """What is stored of the same net; nothing if there is no such file, or half of one."""
    try:
        values = json.loads((folder / LUCK).read_text(encoding="utf-8"))
        if values["net"] != packaged_hash():
            return {}
        games: dict[str, list[float]] = values["games"]
        return games
    except (OSError, ValueError, KeyError):
        return {}


def adjusted_table(meetings: Sequence[AdjustedMeeting], variants: Sequence[str] = ()) -> Table:
    """What taking luck out does for each two bots; `variants`: the rule set of each row, if there are several."""
    frame = pd.DataFrame([asdict(met) for met in meetings])
    frame["adjusted_elo"] = [elo_of_score(score) for score in frame["adjusted_score"]]
    shown = ["bot", "opponent", "deals", "score", "error95", "adjusted_score", "adjusted_error95", "worth"]
    if variants:
        frame.insert(2, "variant", list(variants))
        shown.insert(2, "variant")
    title = "Score with luck taken out, and its 95% error"
    return table_of("adjusted", title, frame, _NOTE, columns=shown)
