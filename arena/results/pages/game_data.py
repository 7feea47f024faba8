"""Choose games of a run for pages, and turn each into plain values: the whole deal, then what each step changed.

`board.js` draws a state from a flat mapping of texts and numbers; `a`, the seat 0, sits below, and `b` above:

====================  ==========================================================================
`turn` `seat` `phase` turns begun; the seat to decide (0, 1); the kind of decision
`own`                 nine signs: `a`, `b`, or `.` for a stone that is not claimed
`ha` `hb`             cards in hand
`a1` .. `b9`          cards of a side; a wild bound when it was played is such as `*J=r7`
`m1` .. `m9`          combat modes of a stone
`va1` .. `vb9`        what a complete side is worth, such as `colour run 24`
`wa1` .. `wb9`        why a complete side holds no claim to a stone that nobody owns
`da` `db`             cards face up beside the board
`clan` `tactic`       cards left in the decks
`pend`                the card that a ruse has taken and not yet put anywhere
`won`                 the stones that have decided the game
====================  ==========================================================================

Keys that hold nothing are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from arena.game.board import Outcome
from arena.game.engine import State
from arena.game.record import parse_record, replay
from arena.results.judge import GameAnalysis, analyse, judge_name, page_notes
from arena.results.pages.render import render
from arena.results.positions import (
    STONES,
    Decision,
    claim_verdict,
    decision_values,
    result_line,
    shown_names,
    side_formation,
)
from arena.results.run_data import GameFilter, RunData
from arena.results.sources import Source
from arena.text import one_line, printable_lines
from arena.tournament.games import GameResult

_Forfeit: TypeAlias = tuple[object, object]
"""The bot that forfeited a game and the kind; None for both without a forfeit."""
NumberedGames: TypeAlias = list[tuple[str, GameResult]]
"""Games with the numbers by which `arena replay` finds them."""
LONGEST_REASON = 4000
Flat: TypeAlias = dict[str, Any]


@lru_cache(1000)
def final_state(record: str) -> tuple[Flat, str]:
    """Return the last state of a game, and the edition that names its cards.

    Raise RecordError if the game does not replay.
    """
    game = parse_record(record)
    return flat(replay(game)), game.rules.edition


def flat(state: State, below: int = 0) -> Flat:
    """Return a state as the flat mapping; with `below` 1 the seats change their places."""
    signs = "ba" if below else "ab"
    clan, tactic = state.deck_counts
    values: Flat = {
        "turn": state.turns,
        "seat": state.to_move ^ below,
        "phase": state.phase,
        "own": state.owners.translate(str.maketrans("ab", signs)),
        "clan": clan,
        "tactic": tactic,
        "pend": state.pending,
    }
    for seat, sign in enumerate(signs):
        values[f"h{sign}"] = " ".join(state.hand_of(seat))
        values[f"d{sign}"] = " ".join(state.row(seat))
        for stone in STONES:
            values[f"{sign}{stone}"] = " ".join(state.side(seat, stone))
    for stone in STONES:
        values[f"m{stone}"] = " ".join(state.modes(stone))
        for seat, sign in enumerate(signs):
            if formation := side_formation(state, seat, stone):
                values[f"v{sign}{stone}"] = formation.label
                if state.owners[stone - 1] == ".":
                    values[f"w{sign}{stone}"] = claim_verdict(state, seat, stone).reason
    if state.outcome is not None:
        values["won"] = _deciding_stones(state.owners, state.outcome)
    return {key: value for key, value in values.items() if value not in ("", None)}


def _deciding_stones(owners: str, outcome: Outcome) -> str:
    """Return the stones that won a game, if any did: the three side by side, or all of the winner."""
    if outcome.winner is None or outcome.reason == "stalemate":
        return ""
    sign = "ab"[outcome.winner]
    begin = owners.find(3 * sign)
    won = (
        range(begin, begin + 3) if outcome.reason == "three adjacent" else (at for at in range(9) if owners[at] == sign)
    )
    return " ".join(str(at + 1) for at in won)


def game_data(game: GameResult, key: str, judged: GameAnalysis | None = None) -> dict[str, Any]:
    """Return everything that the viewer shows of a game; `key` is its name for `arena replay`.

    `steps` begins with the deal. Each step has `set`, what it changed of the state (None takes a key away), and but for
    the first what `decision_values` names, `claims` (the seat, the stone and why the claim holds), and with a note of
    the bot `note`, all of it in words, and `value`, its own chance to win or None. `judged` has the `chance` of seat 0
    after each step, and what moves lost; without it the net judges, which takes 3 ms. RecordError for a record that
    does not replay.
    """
    record = parse_record(game.record)
    judged = judged or analyse(game)
    state = flat(State(record.rules, record.deal, record.auto_claim))
    steps: list[dict[str, Any]] = [{"set": state}]
    for decision in (one.made for one in judged.judged):
        after = flat(decision.after)
        steps.append({"set": _changes(state, after)} | _step_values(decision))
        state = after
    return {
        "key": key,
        "names": [one_line(name) for name in game.seats],
        "rules": record.rules.short_name,
        "edition": record.rules.edition,
        "tactics": record.rules.tactics,
        "starter": record.deal.starter,
        "result": result_line(record, shown_names(game)),
        "forfeit": game.forfeit,
        "reason": printable_lines((game.detail or "")[:LONGEST_REASON]).strip(),
        "record": game.record,
        "judge": judge_name(judged.nodes),
        "steps": [step | note for step, note in zip(steps, page_notes(judged), strict=True)],
    }


def replay_page(game: GameResult, key: str, judged: GameAnalysis | None = None) -> str:
    """Return a page with only the viewer. `key` is the user's name for the game.

    `judged` is its analysis (None: by the net). Raise RecordError if the game does not replay.
    """
    data = game_data(game, key, judged)
    scripts = ["tables.js", "board.js", "viewer.js"]
    return render("replay.html", scripts, {"games": [data]}, title=game_title(data), games=[data])


def game_title(data: Mapping[str, Any]) -> str:
    """Return the title of a game, which does not give its result away: the names, the starting player's first."""
    first = data["starter"]
    return f"{data['names'][first]} – {data['names'][1 - first]}, {data['rules']}"


def _changes(before: Flat, after: Flat) -> Flat:
    gone = dict.fromkeys(key for key in before if key not in after)
    return gone | {key: value for key, value in after.items() if before.get(key) != value}


def _step_values(decision: Decision) -> dict[str, Any]:
    claims = [
        {
            "seat": "ab".index(now),
            "stone": stone,
            "why": claim_verdict(decision.after, "ab".index(now), stone).reason,
        }
        for stone, before, now in zip(STONES, decision.before.owners, decision.after.owners)
        if before != now and now != "."
    ]
    values = decision_values(decision, ("", ""))
    for name in ("bot", "phase", "asked", "note"):
        del values[name]
    if claims:
        values["claims"] = claims
    if (note := decision.note) is not None:
        values |= {"value": note.value, "note": str(note)}
    return values


# ---------------------------------------------------------------- which games of a run


def chosen_places(forfeits: Sequence[_Forfeit], count: int) -> list[int]:
    """Choose the places of `count` games: up to half of them one forfeit of each bot and kind, the rest evenly spaced.

    >>> chosen_places([(None, None)] * 5 + [("ann", "crash")] * 5, 4)
    [0, 3, 5, 7]
    """
    total = len(forfeits)
    if count < 1:
        return []
    if count >= total:
        return list(range(total))
    first: dict[_Forfeit, int] = {}
    for index, forfeit in enumerate(forfeits):
        if isinstance(forfeit[1], str):
            first.setdefault(forfeit, index)
    chosen = set(islice(first.values(), max(count // 2, 1)))
    left = count - len(chosen)
    if left > 0:
        others = [index for index in range(total) if index not in chosen]
        chosen |= {others[step * len(others) // left] for step in range(left)}
    return sorted(islice(sorted(chosen), count))


def sample(source: Source, run: RunData, wanted: GameFilter, count: int) -> tuple[NumberedGames, int]:
    """Return the games of a run to show, and the number of games to choose from; `run` holds the games of `source`."""
    if count < 1:
        return [], 0
    with source.games() as games:
        games.chosen(wanted)  # raises an error for unknown bots
        columns = None
        if wanted.all and games.reader is not None:
            columns, forfeited = run.columns, run.games.filter(["forfeit_by", "forfeit"])
            numbers = list(range(len(columns)))
            forfeits = list(forfeited.astype(object).itertuples(index=False, name=None))
        else:
            chosen_games = [
                (number, (game.forfeit_by, game.forfeit)) for number, game in enumerate(games) if game in wanted
            ]
            numbers, forfeits = [number for number, _ in chosen_games], [forfeit for _, forfeit in chosen_games]
        chosen = [numbers[index] for index in chosen_places(forfeits, count)]
        return [(str(number + 1), game) for number, game in zip(chosen, games.at(chosen, columns))], len(numbers)
