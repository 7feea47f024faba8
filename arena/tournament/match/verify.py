"""Does a stored game's record agree with its row?"""

from __future__ import annotations

from arena.errors import ArenaError
from arena.game.record import deal_text, parse_record, verify
from arena.game.rules import load_rules
from arena.tournament.match.results import GameResult


def game_fault(result: GameResult, rules: str, seed: int) -> str | None:
    """Replay a stored game's record against the settings and the row.

    Returns a sentence that says what differs, or None if everything agrees.
    """
    try:
        record = parse_record(result.record)
        state = verify(result.record)
    except ArenaError as error:
        return str(error)
    first = record.deal.starter
    stones = (state.stones_of(first), state.stones_of(1 - first))
    score = 0.5 if record.winner is None else float(record.winner == first)
    ending = result.ending if result.forfeit is None else f"forfeit {result.forfeit}"
    replayed = {
        "rules": (record.rules.canonical, load_rules(rules).canonical),
        "deal": (record.deal_text, deal_text(seed, result.id.deal)),
        "score": (score, result.score),
        "stones": (stones, result.stones),
        "turns": (state.turns, result.turns),
        "plies": (len(record.moves), result.plies),
        "ending": (record.result.split(" ", 2)[2], ending),
    }
    for name, (found, stored) in replayed.items():
        if found != stored:
            return f"{name}: {stored} is stored, the record gives {found}"
    return None
