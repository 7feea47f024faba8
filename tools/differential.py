"""Compare the fast engine with the oracle in random games, at every decision.

    python -m tools.differential --seed 1 --count 20000                 # all rule sets
    python -m tools.differential --seed 1 --count 500 --rules bga-tactical --workers 2

Random play is biased, with a different taste in each game, so that rare situations occur: players who prefer tactic
cards, keep them to the end, never claim, pass whenever they may, or put Mud onto complete sides. The run fails if a
game differs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import parse_move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules, preset_names
from tests.oracle import Options, Oracle


@dataclass(frozen=True)
class Taste:
    """The preferences of a random player: weights of groups of moves, relative to 1 for a clan card."""

    name: str
    tactic: float = 1.0  # each tactic card in hand
    wild: float = 1.0  # elite troops among them
    joker: float = 1.0
    keep: bool = False  # keep tactic cards until the decks are empty
    pass_: float = 1.0
    claim: float = 1.0  # the chance to claim if claims are chosen
    draw_tactic: float = 0.5
    rare: float = 1.0  # combat modes onto complete sides, ruses from complete sides, Traitor onto the same stone
    lump: float = 0.0  # the chance to play where most cards already lie
    auto: float = 0.8  # the chance of automatic claims, for each seat


TASTES = (
    Taste("plain"),
    Taste("tactician", tactic=6, draw_tactic=0.8, rare=6),
    Taste("keeper", keep=True, tactic=4, draw_tactic=1.0, pass_=0.2, rare=4, auto=0.5),
    Taste("joker keeper", tactic=2, joker=0.02, draw_tactic=1.0, rare=3),
    Taste("never claims", claim=0.0, auto=0.0, tactic=2, rare=3),
    Taste("seldom claims", claim=0.15, auto=0.0, pass_=5, keep=True, draw_tactic=0.7),
    Taste("passer", pass_=20, tactic=0.15, draw_tactic=0.9, auto=0.4, claim=0.5),
    Taste("filler", lump=0.7, tactic=2, rare=8, wild=2),
    Taste("late scout", tactic=1.5, keep=True, draw_tactic=0.6, pass_=1, rare=2, auto=0.6, claim=0.4),
    Taste("wild", tactic=5, wild=4, joker=2, draw_tactic=0.9, rare=4),
    Taste("clan only", tactic=0.02, draw_tactic=0.05, lump=0.3),
)


#: The presets, and one combination of options that no preset has.
RULE_SETS = [*preset_names(), "bga-tactical:ruse_targets=clan_and_elite"]


class Difference(Exception):
    """Engine and oracle disagree."""


def choose(oracle: Oracle, taste: Taste, rng: Rng) -> str:
    """Choose one of the oracle's legal moves, by taste."""
    legal = oracle.legal_moves()
    if oracle.phase == "claim":
        return legal[rng.below(len(legal) - 1)] if rng.random() < taste.claim else "no claim"
    if oracle.phase in ("draw", "scout"):
        return "draw tactic" if rng.random() < taste.draw_tactic else "draw clan"
    groups: dict[str, list[str]] = {}
    for move in legal:
        groups.setdefault(
            move.partition("@")[0].partition("=")[0]
            if move[0] == "*" or "@" not in move
            else move.partition("@")[0]
            if move[:3] in ("fog", "mud")
            else "clan",
            [],
        ).append(move)
    if oracle.phase == "put":
        groups = {"all": legal}
        if rng.random() < 0.2 and "discard" in legal:
            return "discard"
    keys = list(groups)
    chosen = groups[keys[pick([weight(key, oracle, taste) for key in keys], rng)]]
    if rng.random() < taste.lump:
        size = {move: cards_there(oracle, move) for move in chosen}
        chosen = [move for move in chosen if size[move] == max(size.values())]
    if taste.rare > 1 and rng.random() < 0.7:
        chosen = [move for move in chosen if is_rare(oracle, move)] or chosen
    return rng.choice(chosen)


def weight(group: str, oracle: Oracle, taste: Taste) -> float:
    """Return the weight that a taste gives a group of moves."""
    if group in ("clan", "all"):
        return 1.0 if group == "all" else 3.0
    if group == "pass":
        return taste.pass_
    if group.startswith(("take", "return")):
        return 1.0
    if taste.keep and (oracle.clan_deck or oracle.tactic_deck):
        return 0.005
    if group == "*J":
        return taste.tactic * taste.joker
    return taste.tactic * (taste.wild if group[0] == "*" else 1.0)


def pick(weights: list[float], rng: Rng) -> int:
    """Draw an index with a probability proportional to its weight."""
    point = rng.random() * sum(weights)
    for index, one in enumerate(weights):
        point -= one
        if point < 0:
            return index
    return len(weights) - 1


def stone_of(move: str) -> int | None:
    """Return the stone 0..8 of a move."""
    return int(move[-1]) - 1 if "@" in move else None


def cards_there(oracle: Oracle, move: str) -> int:
    """Return the number of the mover's cards at the stone of a move."""
    stone = stone_of(move)
    return -1 if stone is None else len(oracle.sides[oracle.turn][stone])


def is_rare(oracle: Oracle, move: str) -> bool:
    """Check whether the move touches a complete side, or puts Traitor's card onto the same stone."""
    stone = stone_of(move)
    if stone is None:
        return False
    if oracle.phase == "put":
        return oracle.ruse == "traitor" and stone == oracle.taken_from
    if move.startswith(("take", "fog", "mud")):
        return bool(oracle.modes[stone]) or any(oracle.is_complete(seat, stone) for seat in (0, 1))
    return move[0] == "*" and bool(oracle.modes[stone])


def compare(state: State, oracle: Oracle, deep: bool) -> None:
    """Raise `Difference` with the first value that differs between engine and oracle."""
    pairs: list[tuple[str, object, object]] = [
        ("phase", state.phase, oracle.phase),
        ("owners", state.owners, oracle.owners),
        ("winner", state.winner, oracle.winner),
        ("turn", state.to_move, oracle.turn),
        ("legal moves", sorted(map(str, state.legal_moves())), sorted(oracle.legal_moves())),
    ]
    if state.outcome:
        pairs.append(("reason", state.outcome.reason, oracle.reason))
    for seat in (0, 1):
        pairs += [
            (f"hand of {seat}", sorted(state.hand_of(seat)), sorted(oracle.hands[seat])),
            (f"size of hand {seat}", sum(state.hand_counts(seat)), len(oracle.hands[seat])),
            (f"row of {seat}", sorted(state.row(seat)), sorted(oracle.discards[seat])),
            (f"tactics played by {seat}", state.tactics_played(seat), oracle.played_tactics[seat]),
        ]
        if deep and not oracle.is_over and oracle.pending is None:
            pairs.append((f"claims of {seat}", set(state.claimable(seat)), oracle.claimable(seat)))
        sides = [sorted(state.side(seat, stone)) for stone in range(1, 10)]
        pairs.append((f"sides of {seat}", sides, [sorted(side) for side in oracle.sides[seat]]))
    for stone in range(9):
        if older := oracle.first_complete(0, stone):  # else not both sides are complete
            pairs.append((f"completed first at {stone + 1}", state.completed_first(stone + 1), int(older == "theirs")))
    pairs.append(("modes", [set(state.modes(stone)) for stone in range(1, 10)], oracle.modes))
    pairs += [
        ("clan deck", list(state.clan_cards_left), oracle.clan_deck),
        ("tactic deck", list(state.tactic_cards_left), oracle.tactic_deck),
        ("sizes of decks", state.deck_counts, (len(oracle.clan_deck), len(oracle.tactic_deck))),
    ]
    for what, engine, right in pairs:
        if engine != right:
            raise Difference(f"{what}: the engine says {engine}, the oracle {right}")


def play_both(rules_name: str, seed: int, number: int) -> None:
    """Play a random game in both engines. Raises `Difference` with the moves so far."""
    rules = load_rules(rules_name)
    rng = Rng(derive_seed(seed, "differential", rules_name, number))
    deal = make_deal(rules, seed, number)
    tastes = (TASTES[rng.below(len(TASTES))], TASTES[rng.below(len(TASTES))])
    if rng.random() < 0.5:
        tastes = (tastes[0], tastes[0])  # some situations need two players with the same taste
    auto = (rng.random() < tastes[0].auto, rng.random() < tastes[1].auto)
    tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
    state = State(rules, deal, auto)
    oracle = Oracle(Options.like(rules), deal.clan, tactic, deal.starter, auto)
    moves: list[str] = []
    try:
        while True:
            compare(state, oracle, deep=rng.below(10) == 0)
            if oracle.is_over:
                return
            move = choose(oracle, tastes[oracle.turn], rng)
            moves.append(move)
            state.apply(parse_move(move))
            oracle.apply(move)
    except Exception as error:
        raise Difference(
            f"{rules_name}, seed {seed}, game {number}, claims {auto}, after {','.join(moves)}: {error!r}"
        ) from error


def _block(job: tuple[str, int, int, int]) -> tuple[str, int, list[str]]:
    rules_name, seed, start, stop = job
    failures = []
    for number in range(start, stop):
        try:
            play_both(rules_name, seed, number)
        except Difference as difference:
            failures.append(str(difference))
    return rules_name, stop - start, failures


def jobs(names: list[str], seed: int, count: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield blocks of games."""
    for start in range(0, count, 25):
        for name in names:
            yield name, seed, start, min(start + 25, count)


def main() -> int:
    """Run the script; return exit code 1 for a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000, help="games per rule set")
    parser.add_argument("--rules", nargs="*", default=RULE_SETS)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    played: Counter[str] = Counter()
    failures: list[str] = []
    with multiprocessing.Pool(given.workers) as pool:
        for name, games, found in pool.imap_unordered(_block, jobs(given.rules, given.seed, given.count)):
            played[name] += games
            failures += found
            for text in found:
                print(f"DIFFERENCE {text}", flush=True)
    print(f"games: {dict(played)}\n{len(failures)} differences in {sum(played.values())} games")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
