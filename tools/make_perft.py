"""Count move sequences (perft) for every rule set: `tests/data/perft.json`.

    python -m tools.make_perft      # write the file from the engine and count with the oracle, about a minute

For each rule set there are the deal and, from random games with many tactic cards, positions in the middle: one for
each kind of decision, and plays on a board with Fog, Mud and wilds. A position is a deal and the moves that lead to it.
`counts` are the numbers of sequences of 1, 2, 3 ... moves; `oracle` is the depth to which the oracle agreed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import parse_move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules, load_rules
from tests.game.play import choose
from tests.oracle import Options, Oracle
from tools.differential import RULE_SETS

FILE = Path(__file__).parents[1] / "tests" / "data" / "perft.json"
SEED = 1
LEAVES = 400_000  # upper limit for the deepest count of a position
DEPTH = 6
ORACLE_NODES = 6_000  # upper limit of positions in which the oracle lists the legal moves, for one count
AUTOS = ((True, True), (False, False), (True, False))


def kind_of(state: State) -> str:
    """Return the kind of a position: the decision, and for plays the special cards on the board."""
    if state.phase != "play":
        return state.phase + (f" {state.ruse_under_way}" if state.ruse_under_way else "")
    if any(move.kind == "pass" for move in state.legal_moves()):
        return "play, may pass"
    if any(set(state.modes(stone)) == {"fog", "mud"} for stone in range(1, 10)):
        return "play, fog and mud together"
    lying = {mode for stone in range(1, 10) for mode in state.modes(stone)}
    sides = [state.side(seat, stone) for seat in (0, 1) for stone in range(1, 10)]
    if any(card[0] == "*" for side in sides for card in side):
        lying.add("wilds")
    return "play, " + " ".join(sorted(lying) or ["clan cards"])


def positions(name: str) -> list[dict[str, Any]]:
    """Return the deal with each setting of claims, and one position of each kind."""
    rules = load_rules(name)
    found: list[dict[str, Any]] = [entry(rules, name, 0, auto, [], "the deal") for auto in AUTOS[:2]]
    kinds: set[tuple[str, bool]] = set()
    for number in range(25):
        auto = AUTOS[number % 3]
        rng = Rng(derive_seed(SEED, "perft", name, number))
        state = State(rules, make_deal(rules, SEED, number), auto)
        moves: list[str] = []
        while not state.is_over:
            key = (kind_of(state), auto[0])
            # one position of each kind; plays only near the end, where little is left to play
            if len(moves) >= 8 and key not in kinds and state.perft(2) < 60_000:
                kinds.add(key)
                found.append(entry(rules, name, number, auto, moves, key[0]))
            move = choose(state, rng, tactic=4)
            moves.append(move.text)
            state.apply(move)
    return found


def entry(rules: Rules, name: str, number: int, auto: tuple[bool, bool], moves: list[str], kind: str) -> dict[str, Any]:
    """Return a position with its counts."""
    found = {
        "rules": name,
        "deal": f"{SEED}:{number}",
        "auto": f"{auto[0]:d}{auto[1]:d}",
        "kind": kind,
        "moves": ",".join(moves),
    }
    state = state_of(found)
    counts: list[int] = []
    for depth in range(1, DEPTH + 1):
        # the next level would grow by about the same factor: stop if it would be too large
        if counts and (not counts[-1] or counts[-1] ** 2 // [1, *counts][-2] > LEAVES):
            break
        counts.append(state.perft(depth))
    return found | {"counts": counts, "oracle": 0}


def state_of(position: dict[str, Any]) -> State:
    """Return the engine's state of a position."""
    rules = load_rules(position["rules"])
    seed, number = position["deal"].split(":")
    auto = (position["auto"][0] == "1", position["auto"][1] == "1")
    state = State(rules, make_deal(rules, int(seed), int(number)), auto)
    for move in filter(None, position["moves"].split(",")):
        state.apply(parse_move(move))
    return state


def oracle_of(position: dict[str, Any]) -> Oracle:
    """Return the oracle's game of a position."""
    rules = load_rules(position["rules"])
    seed, number = position["deal"].split(":")
    deal = make_deal(rules, int(seed), int(number))
    tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
    auto = (position["auto"][0] == "1", position["auto"][1] == "1")
    game = Oracle(Options.like(rules), deal.clan, tactic, deal.starter, auto)
    for move in filter(None, position["moves"].split(",")):
        game.apply(move)
    return game


def oracle_depth(counts: list[int], nodes: int = ORACLE_NODES) -> int:
    """Return the depth to which the oracle counts, listing the moves of at most `nodes` positions."""
    depth = 1
    while depth < len(counts) and counts[depth - 1] <= nodes:
        depth += 1
    return depth


def check_by_oracle(found: list[dict[str, Any]]) -> int:
    """Count with the oracle and note the depth; return the number of differences."""
    wrong = 0
    for position in found:
        for depth in range(1, oracle_depth(position["counts"]) + 1):
            count = oracle_of(position).perft(depth)
            if count != position["counts"][depth - 1]:
                wrong += 1
                print(f"DIFFERENCE {position}: depth {depth}, the oracle counts {count}")
                break
            position["oracle"] = depth
    return wrong


def text_of(found: list[dict[str, Any]]) -> str:
    """Return the content of the file, one position a line."""
    about = "golden perft counts; written and explained by tools/make_perft.py"
    lines = ",\n".join(json.dumps(position) for position in found)
    return f'{{"about": "{about}",\n"positions": [\n{lines}\n]}}\n'


def main() -> int:
    """Write the file; return exit code 1 if the oracle counts something else."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    found = [position for name in RULE_SETS for position in positions(name)]
    wrong = check_by_oracle(found)
    FILE.write_text(text_of(found))
    depths = [position["oracle"] for position in found]
    print(
        f"{len(found)} positions, {sum(sum(p['counts']) for p in found):,} sequences; the oracle agrees to depth "
        f"{min(depths)} to {max(depths)}; differences: {wrong}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
