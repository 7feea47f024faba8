# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False, infer_types=True
"""The strength of a side and what can still beat it (RULES.md §2 and §3), on words of bits.

A strength is one number, `64 * category + sum`: the greater one wins, equal ones tie. A *refutation* is a set of cards,
not yet face up, with which an incomplete side would beat a given strength; a claim holds if there is none. Sides
without wild cards and combat modes use the short functions (`strength3`, `refute_with_one` ...), all others
`strength_of` and `refute`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # the plain-Python fallback needs no Cython
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

if not cython.compiled:
    from arena.game.cards import *

    VALUE, COLOUR_OF, STRENGTH3 = [0] * 64, [0] * 64, [0] * 8192
    ABOVE, BETWEEN = [0] * 64, [0] * 256


ALL63 = (1 << 63) - 1


def fill_formations() -> None:
    """Fill the small tables: values, colours, strengths of three cards, cards above a value, third cards of runs."""
    for card in range(60):
        VALUE[card] = card // 6 + 1
        COLOUR_OF[card] = card % 6
    for value in range(-32, 32):
        ABOVE[value + 32] = above(value)
    for a in range(1, 11):
        for b in range(1, 11):
            for c in range(1, 11):
                low, mid, high = sorted((a, b, c))
                run = low + 1 == mid and mid + 1 == high
                if run:
                    BETWEEN[16 * a + b] |= group(c)
                for flush in range(2):
                    if flush and run:
                        category = COLOUR_RUN
                    elif low == high:
                        category = KIND
                    elif flush:
                        category = COLOUR
                    else:
                        category = RUN if run else SUM
                    STRENGTH3[flush << 12 | a << 8 | b << 4 | c] = RANK * category + a + b + c


def above(value: int) -> int:
    """Return the cards of a higher value: all for 0 and less, none for 10 and more."""
    if value <= 0:
        return ALL60
    if value >= 10:
        return 0
    return (ALL60 >> 6 * value) << 6 * value


def top(cards: int) -> int:
    """Return the highest card as a set, 0 if there is none."""
    return ONE << hib(cards) if cards else 0


def values_of(cards: int) -> int:
    """Return the values among `cards`, as the cards of colour 0."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3 | cards >> 4 | cards >> 5) & PLANE


def top_cards(cards: int, k: int) -> int:
    """Return the `k` highest cards; 0 if there are fewer."""
    w = 0
    while k:
        if not cards:
            return 0
        h = top(cards)
        w |= h
        cards ^= h
        k -= 1
    return w


def sum_of(cards: int) -> int:
    """Return the sum of the values."""
    s = 0
    while cards:
        s += VALUE[ctz(cards)]
        cards &= cards - 1
    return s


def windows(cards: int, n: int) -> int:
    """Return the lowest cards of all runs of `n` (3 or 4) in one colour."""
    cards = cards & cards >> 6 & cards >> 12
    return cards & cards >> 6 if n == 4 else cards


def spread(cards: int, n: int) -> int:
    """Return the lowest cards of all runs of `n` (3 or 4) in one colour that contain a card of `cards`."""
    cards = cards | cards >> 6 | cards >> 12
    return cards | cards >> 6 if n == 4 else cards


# ---- sides of three clan cards -------------------------------------------------------------------------------


def strength3(w: int) -> int:
    """Return the strength of exactly three clan cards."""
    a = ctz(w)
    w &= w - 1
    b = ctz(w)
    w &= w - 1
    c = ctz(w)
    flush = COLOUR_OF[a] == COLOUR_OF[b] and COLOUR_OF[b] == COLOUR_OF[c]
    return STRENGTH3[flush << 12 | VALUE[a] << 8 | VALUE[b] << 4 | VALUE[c]]


def outs_with_one(avail: int, opp: int, strength: int) -> int:
    """Return all cards of `avail` that, together with the two cards `opp`, beat `strength`."""
    a = ctz(opp)
    b = hib(opp)
    va = VALUE[a]
    vb = VALUE[b]
    category = strength // RANK
    run = BETWEEN[16 * va + vb]
    colour = PLANE << COLOUR_OF[a] if COLOUR_OF[a] == COLOUR_OF[b] else 0
    kind = group(va) if va == vb else 0
    need = ABOVE[(strength & 63) - va - vb + 32]
    if category == SUM:
        m = run | colour | kind | need
    elif category == RUN:
        m = run & need | colour | kind
    elif category == COLOUR:
        m = colour & need | kind | run & colour
    elif category == KIND:
        m = kind & need | run & colour
    else:
        m = run & colour & need
    return m & avail


def refute_with_one(avail: int, opp: int, strength: int) -> int:
    """Return one card of `avail` that, together with the two cards `opp`, beats `strength`; 0 if there is none."""
    m = outs_with_one(avail, opp, strength)
    return m & (0 - m)


def refute_with_two(avail: int, opp: int, strength: int) -> int:
    """Return two cards of `avail` that, together with the one card `opp`, beat `strength`; 0 if there are none."""
    o = ctz(opp)
    v = VALUE[o]
    category = strength // RANK
    total = strength & 63
    m = avail | opp
    t = windows(m, 3) & spread(opp, 3)
    if category == COLOUR_RUN:
        t &= ABOVE[total // 3 - 1 + 32]
    if t:
        t = top(t)
        return (t | t << 6 | t << 12) ^ opp
    if category == COLOUR_RUN:
        return 0
    if category < KIND or 3 * v > total:
        m = avail & group(v)
        t = m & (m - 1)
        if m and t:
            return m ^ (t & (t - 1))
    if category == KIND:
        return 0
    m = avail & PLANE << COLOUR_OF[o]
    if m:
        h = top(m)
        g = top(m ^ h)
        if g and (category < COLOUR or v + VALUE[ctz(h)] + VALUE[ctz(g)] > total):
            return h | g
    if category == COLOUR:
        return 0
    t = ONE << 6 * (v - 1)
    m = windows(values_of(avail | opp), 3) & spread(t, 3)
    if category == RUN:
        m &= ABOVE[total // 3 - 1 + 32]
    if m:
        k = hib(m) // 6 + 1
        w = 0
        for x in range(k, k + 3):
            if x != v:
                g = avail & group(x)
                w |= g & (0 - g)
        return w
    if category == RUN:
        return 0
    w = top_cards(avail, 2)
    return w if w and v + sum_of(w) > total else 0


def best_three(avail: int) -> int:
    """Return the strongest three cards of `avail`; 0 if there are fewer."""
    t = windows(avail, 3)
    if t:
        t = top(t)
        return t | t << 6 | t << 12
    for v in range(10, 0, -1):
        g = avail & group(v)
        w = top_cards(g, 3)
        if w:
            return w
    best = 0
    strength = 0
    for v in range(6):
        w = top_cards(avail & PLANE << v, 3)
        if w:
            x = strength3(w)
            if x > strength:
                strength = x
                best = w
    if best:
        return best
    t = windows(values_of(avail), 3)
    if t:
        w = 0
        x = hib(t) // 6 + 1
        for v in range(x, x + 3):
            g = avail & group(v)
            w |= g & (0 - g)
        return w
    return top_cards(avail, 3)


# ---- sides with wild cards, under Fog, under Mud ----------------------------------------------------------------
# A wild is free (-1) or bound to a card number; n is the capacity of the stone, 3 or 4. Within these functions
# the values taken by joker, spy and shield-bearer are packed as j | p << 4 | b << 8, with 0 for an absent one.


def colours_of(clan: int, side: int, joker_as: int, spy_as: int, bearer_as: int) -> int:
    """Return the colours (6 bits) that all cards of a side can share; 0 if they cannot be of one colour."""
    c = 63
    while clan:
        c &= 1 << COLOUR_OF[ctz(clan)]
        clan &= clan - 1
    if side & JOKER and joker_as >= 0:
        c &= 1 << COLOUR_OF[joker_as]
    if side & SPY and spy_as >= 0:
        c &= 1 << COLOUR_OF[spy_as]
    if side & BEARER and bearer_as >= 0:
        c &= 1 << COLOUR_OF[bearer_as]
    return c


def wild_limit(there: bool, limit: int, bound: int) -> int:
    """Return the lowest or highest value of a wild: `limit`, the value of its bound card, or 0 if it is absent."""
    if not there:
        return 0
    return limit if bound < 0 else VALUE[bound]


def strength_of(side: int, n: int, fog: bool, values: int, spy: int, joker_as: int, spy_as: int, bearer_as: int) -> int:
    """Return the strength of a complete side of `n` cards, with its free wilds used in the best way for their owner."""
    clan = side & ALL60
    colours = colours_of(clan, side, joker_as, spy_as, bearer_as)
    jl = wild_limit(side & JOKER != 0, 1, joker_as)
    jh = wild_limit(side & JOKER != 0, values, joker_as)
    bl = wild_limit(side & BEARER != 0, 1, bearer_as)
    bh = wild_limit(side & BEARER != 0, 3, bearer_as)
    p = spy if side & SPY else 0
    best = 0
    for j in range(jl, jh + 1):
        for b in range(bl, bh + 1):
            s = strength_with(clan, colours, j | p << 4 | b << 8, n, fog)
            best = max(best, s)
    return best


def strength_with(clan: int, colours: int, wilds: int, n: int, fog: bool) -> int:
    """Return the strength of clan cards and wilds of the given values (0: absent)."""
    total = sum_of(clan) + (wilds & 15) + (wilds >> 4 & 15) + (wilds >> 8)
    if fog:
        return total
    low = 99
    high = 0
    seen = 0
    distinct = True
    while clan:
        v = VALUE[ctz(clan)]
        clan &= clan - 1
        distinct = distinct and not seen >> v & 1
        seen |= 1 << v
        low = min(low, v)
        high = max(high, v)
    while wilds:
        v = wilds & 15
        wilds >>= 4
        if v:
            distinct = distinct and not seen >> v & 1
            seen |= 1 << v
            low = min(low, v)
            high = max(high, v)
    if distinct and high - low == n - 1:
        return (RANK * COLOUR_RUN if colours else RANK * RUN) + total
    if low == high:
        return RANK * KIND + total
    return (RANK * COLOUR if colours else 0) + total


def refute(
    avail: int,
    side: int,
    n: int,
    fog: bool,
    strength: int,
    values: int,
    spy: int,
    joker_as: int,
    spy_as: int,
    bearer_as: int,
) -> int:
    """Return cards of `avail` that complete the incomplete `side` so as to beat `strength`; 0 if there are none."""
    clan = side & ALL60
    p = spy if side & SPY else 0
    jl = wild_limit(side & JOKER != 0, 1, joker_as)
    jh = wild_limit(side & JOKER != 0, values, joker_as)
    bl = wild_limit(side & BEARER != 0, 1, bearer_as)
    bh = wild_limit(side & BEARER != 0, 3, bearer_as)
    k = n - popcount(side)
    if fog:  # only the sum counts: the highest values are the best
        jl = jh
        bl = bh
    colours = colours_of(clan, side, joker_as, spy_as, bearer_as)
    for j in range(jh, jl - 1, -1):
        for b in range(bh, bl - 1, -1):
            w = refute_with(avail, clan, colours, j | p << 4 | b << 8, k, n, fog, strength, values)
            if w:
                return w
    return 0


def refute_with(
    avail: int, clan: int, colours: int, wilds: int, k: int, n: int, fog: bool, strength: int, values: int
) -> int:
    """Do as `refute`, with the wilds at the given values, trying each category from the top."""
    category = strength // RANK
    total = strength & 63
    fixed = sum_of(clan) + (wilds & 15) + (wilds >> 4 & 15) + (wilds >> 8)
    if not fog:
        # from the values already there: whether they are distinct (a run), whether they are one value (of a kind)
        distinct = True
        taken = 0  # groups of the values taken by clan cards and wilds
        gx = 0  # of these, the groups taken by wilds
        same = 0  # the one value of all cards; 0 none yet, -1 several
        f = clan
        while f:
            v = VALUE[ctz(f)]
            f &= f - 1
            distinct = distinct and not taken & group(v)
            taken |= group(v)
            if same != v:
                same = v if same == 0 else -1
        left = wilds
        while left:
            v = left & 15
            left >>= 4
            if v:
                distinct = distinct and not taken & group(v)
                taken |= group(v)
                gx |= group(v)
                if same != v:
                    same = v if same == 0 else -1
        least = (total - n * (n - 1) // 2) // n  # a run beats the sum if it starts above this value
        if distinct and colours:
            t = windows(avail | clan | gx, n)
            f = clan
            while f:
                t &= spread(f & (0 - f), n)
                f &= f - 1
            left = wilds
            while left:
                if left & 15:
                    t &= spread(group(left & 15), n)
                left >>= 4
            m = 0
            for c in range(6):
                if colours >> c & 1:
                    m |= PLANE << c
            t &= m
            if category == COLOUR_RUN:
                t &= above(least)
            if t:
                t = top(t)
                w = t | t << 6 | t << 12
                if n == 4:
                    w |= t << 18
                return w & ~(clan | gx)
        if category == COLOUR_RUN:
            return 0
        if same >= 0:
            for v in range(values, 0, -1):
                if (same == 0 or same == v) and (category < KIND or n * v > total):
                    w = top_cards(avail & group(v), k)
                    if w:
                        return w
        if category == KIND:
            return 0
        for c in range(6):
            if colours >> c & 1:
                w = top_cards(avail & PLANE << c, k)
                if w and (category < COLOUR or fixed + sum_of(w) > total):
                    return w
        if category == COLOUR:
            return 0
        if distinct:
            t = windows(values_of(avail | taken), n)
            m = values_of(taken)
            while m:
                t &= spread(m & (0 - m), n)
                m &= m - 1
            if category == RUN:
                t &= above(least)
            if t:
                w = 0
                i = hib(t) // 6 + 1
                for v in range(i, i + n):
                    if not taken & group(v):
                        f = avail & group(v)
                        w |= f & (0 - f)
                return w
        if category == RUN:
            return 0
    w = top_cards(avail, k)
    return w if w and fixed + sum_of(w) > total else 0


# ---- for callers in Python ---------------------------------------------------------------------------------


def side_strength(side: int, n: int, fog: bool, values: int, spy: int, bindings: tuple[int, int, int]) -> int:
    """Return the strength of a complete side; the bindings of joker, spy and shield-bearer are card numbers or -1.

    >>> divmod(side_strength(0b1000001000001, 3, False, 9, 7, (-1, -1, -1)), RANK) == (COLOUR_RUN, 6)
    True
    """
    check_numbers(n, values, spy, bindings)
    return strength_of(side & ALL63, n, fog, values, spy, bindings[0], bindings[1], bindings[2])


def find_refutation(
    avail: int, side: int, n: int, fog: bool, strength: int, values: int, spy: int, bindings: tuple[int, int, int]
) -> int:
    """Return the cards of `avail` with which an incomplete side beats `strength`, or 0.

    Raises ValueError for numbers that no board has.
    """
    check_numbers(n, values, spy, bindings)
    if not 0 <= strength < 512 or (side & ALL63).bit_count() >= n:
        raise ValueError(f"a strength is 0..511 and the side incomplete, not {strength!r} against {side!r}")
    return refute(
        avail & ALL63 >> 3, side & ALL63, n, fog, strength, values, spy, bindings[0], bindings[1], bindings[2]
    )


def check_numbers(n: int, values: int, spy: int, bindings: tuple[int, int, int]) -> None:
    """Raise ValueError for numbers that no board has."""
    if n not in (3, 4) or values not in (9, 10) or spy not in (7, 8):
        raise ValueError(f"a side has 3 or 4 cards, values 9 or 10, a spy 7 or 8; not {n!r}, {values!r}, {spy!r}")
    if len(bindings) != 3 or not -1 <= min(bindings) <= max(bindings) < 60:
        raise ValueError(f"bindings are three card numbers or -1, not {bindings!r}")


fill_formations()
