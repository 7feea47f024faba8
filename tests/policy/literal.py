"""Compute the chances of `arena.policy` slowly and literally: cards as strings, chances as sums over all cases."""

from __future__ import annotations

from itertools import product
from math import prod

from arena import View
from arena.game.formations import side_strength

COLOURS = "rgbypk"
LEVELS = [(category, part) for category in ("sum", "run", "colour", "kind", "colour run") for part in range(3)]
BORDERS = {
    "sum": (11.5, 16.5),
    "run": (9.5, 15.5),
    "colour": (12.5, 17.5),
    "kind": (9.5, 18.5),
    "colour run": (9.5, 15.5),
}
CATEGORIES = ("sum", "run", "colour", "kind", "colour run")
SHARES = {"sum": 0.12, "run": 0.18, "colour": 0.26, "kind": 0.22, "colour run": 0.22}


def at_least(k: int, chances: list[float]) -> float:
    """Return the chance that `k` or more independent events happen, from all cases, one event after the other."""
    cases = {0: 1.0}
    for p in chances:
        grown: dict[int, float] = {}
        for happened, q in cases.items():
            grown[happened] = grown.get(happened, 0.0) + q * (1 - p)
            grown[happened + 1] = grown.get(happened + 1, 0.0) + q * p
        cases = grown
    return sum(q for happened, q in cases.items() if happened >= k)


def game_chance(stones: list[float]) -> float:
    """Return the chance to win the game, from all 512 divisions of the stones."""
    total = 0.0
    for mine in product((False, True), repeat=9):
        chance = prod(p if is_mine else 1 - p for p, is_mine in zip(stones, mine))
        total += chance * (0.5 + 0.5 * (wins(mine) - wins(tuple(not is_mine for is_mine in mine))))
    return total


def wins(mine: tuple[bool, ...]) -> bool:
    return sum(mine) >= 5 or any(all(mine[at : at + 3]) for at in range(7))


def level(category: str, total: float) -> tuple[str, int]:
    low, high = BORDERS[category]
    return category, 0 if total < low else 2 if total > high else 1


def becomes(side: list[str], pool: dict[str, float], values: int) -> tuple[dict[tuple[str, int], float], float]:
    """Return what a side of clan cards without a combat mode becomes, and its expected sum."""
    if not side:
        return {(c, part): SHARES[c] * (0.25, 0.4, 0.35)[part] for c, part in LEVELS}, 16.0
    levels = dict.fromkeys(LEVELS, 0.0)
    held = [int(card[1:]) for card in side]
    missing = 3 - len(side)
    colour = side[0][0] if len({card[0] for card in side}) == 1 else None
    weight = sum(pool.values())
    mean = sum(p * int(card[1:]) for card, p in pool.items()) / weight if weight else 0.0
    expected = sum(held) + missing * mean
    probability = 1.0

    def take(category: str, total: float, chance: float) -> None:
        nonlocal probability
        levels[level(category, total)] += probability * chance
        probability *= 1 - chance

    def runs(category: str) -> None:
        if len(set(held)) < len(held):
            return
        for low in range(values - 2, 0, -1):
            run = set(range(low, low + 3))
            if set(held) <= run:
                chance = 1.0
                for value in run - set(held):
                    colours = COLOURS if category == "run" else str(colour)
                    chance *= at_least(1, [pool.get(f"{c}{value}", 0.0) for c in colours])
                take(category, sum(run), chance)

    if colour:
        runs("colour run")
    if len(set(held)) == 1:
        take("kind", 3 * held[0], at_least(missing, [pool.get(f"{c}{held[0]}", 0.0) for c in COLOURS]))
    if colour:
        take("colour", expected, at_least(missing, [pool.get(f"{colour}{v}", 0.0) for v in range(1, 11)]))
    runs("run")
    levels[level("sum", expected)] += probability
    return levels, expected


def stone_chance(view: View, stone: int) -> float:
    """Return the chance that the view's seat wins a stone of a base game."""
    seat = view.seat
    if view.owners[stone - 1] != ".":
        return float(view.owners[stone - 1] == "ab"[seat])
    unseen, deck, values = view.unseen, view.deck_counts[0], view.rules.values
    drawn = 0.55 * 0.5 * deck / len(unseen) if unseen else 0.0
    comes = 0.8 * (view.hand_counts(1 - seat)[0] + 0.5 * deck) / len(unseen) if unseen else 0.0
    mine = dict.fromkeys(unseen, min(drawn, 0.95)) | dict.fromkeys(view.hand, 0.85)
    theirs = dict.fromkeys(unseen, min(comes, 0.95))
    sides = list(view.side(seat, stone)), list(view.side(1 - seat, stone))
    full = [strength(side) if len(side) == 3 else None for side in sides]
    if full[0] is not None and full[1] is not None:
        if full[0] != full[1]:
            return float(full[0] > full[1])
        return float(view.completed_first(stone) == seat)
    if full[0] is not None and len(sides[1]) == 2:
        return prod(1 - p for card, p in theirs.items() if strength([*sides[1], card]) > full[0])
    if full[1] is not None and len(sides[0]) == 2:
        return 1 - prod(1 - p for card, p in mine.items() if strength([*sides[0], card]) > full[1])
    (my_levels, my_sum), (their_levels, their_sum) = (
        becomes(side, pool, values) if found is None else ({level(*formation(side)): 1.0}, float(formation(side)[1]))
        for side, found, pool in zip(sides, full, (mine, theirs))
    )
    chance = 0.01 * (my_sum - their_sum)
    for at, one in enumerate(LEVELS):
        for other in LEVELS[: at + 1]:
            chance += my_levels.get(one, 0.0) * their_levels.get(other, 0.0) * (0.5 if one == other else 1.0)
    return min(max(chance, 0.002), 0.998)


def strength(side: list[str]) -> int:
    return side_strength(bits(side), 3, False, 9, 7, (-1, -1, -1))


def formation(side: list[str]) -> tuple[str, int]:
    category, total = divmod(strength(side), 64)
    return CATEGORIES[category], total


def bits(cards: list[str]) -> int:
    return sum(1 << 6 * (int(card[1:]) - 1) + COLOURS.index(card[0]) for card in cards)
