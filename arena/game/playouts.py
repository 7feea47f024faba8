# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False, infer_types=True
"""Chance inside the engine: hidden cards dealt anew, random moves, games played to their end."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.game.rng import Rng

if not cython.compiled:
    from arena.game.board import *
    from arena.game.cards import *
    from arena.game.turns import *


def random_step(board: Board, rng: Rng) -> None:
    """Make a uniformly random legal move; all moves are counted, and listed unless it plays a clan card."""
    p = board.mover
    r = rng.step()
    if board.stage == PLAY:
        h = board.hands[p]
        o = board.open[p]
        if h and o:
            if not board.tactics[p] or board.played[p] > board.played[1 - p]:
                play_clan(board, nth(h, scale(r, board.clan_count[p])), NTH9[9 * o + scale(r >> 32, COUNT9[o])])
                return
            n = board.clan_count[p] * COUNT9[o]
            k = scale(r, n + tactic_codes(board, CODES, 0))
            if k < n:
                play_clan(board, nth(h, k // COUNT9[o]), NTH9[9 * o + k % COUNT9[o]])
            else:
                perform(board, CODES[k - n])
            return
    n = legal_codes(board, CODES)
    perform(board, CODES[scale(r, n)])


def play_out(board: Board, rng: Rng) -> int:
    """Make random moves to the end of the game; return the winner, 2 for a draw."""
    automatic = board.auto[0] and board.auto[1] and board.window_after and not board.window_start
    if automatic and not board.logging and board.stage == PLAY:
        return play_out_plain(board, rng)
    while board.won < 0:
        random_step(board, rng)
    return board.won


def play_out_plain(board: Board, rng: Rng) -> int:
    """Play out a game without logging in which claims happen automatically after the play.

    This is `play_out` with fewer checks: the play of a clan card, the claims and the draw are one step, all else goes
    the general way. What is known of cards put back is not kept up to date, because no view is made from this board.
    """
    p = board.mover
    tactical = board.with_tactics != 0
    while True:
        r = rng.step()
        h = board.hands[p]
        o = board.open[p]
        code = -1
        if not h or not o:
            code = CODES[scale(r, legal_codes(board, CODES))]
        elif not tactical or not board.tactics[p] or board.played[p] > board.played[1 - p]:
            card = nth(h, scale(r, board.clan_count[p]))
            s = NTH9[9 * o + scale(r >> 32, COUNT9[o])]
        else:
            n = board.clan_count[p] * COUNT9[o]
            k = scale(r, n + tactic_codes(board, CODES, 0))
            if k < n:
                card = nth(h, k // COUNT9[o])
                s = NTH9[9 * o + k % COUNT9[o]]
            else:
                code = CODES[k - n]
        if code >= 0:
            perform(board, code)
            while board.stage != PLAY and board.won < 0:
                random_step(board, rng)
            if board.won >= 0:
                return board.won
            p = board.mover
            continue
        board.hands[p] = h ^ ONE << card
        board.clan_count[p] -= 1
        board.idle = 0
        put_clan(board, p, card, s)
        look = turned_up(board, p)
        if look:
            got = prove(board, p, look)
            if got:
                give(board, p, got)
                if board.won >= 0:
                    board.stage = OVER
                    return board.won
        if not tactical:
            if board.clan_left and board.clan_count[p] < board.hand_size:
                board.hands[p] |= ONE << board.clan_deck[board.clan_pos]
                board.clan_pos += 1
                board.clan_left -= 1
                board.clan_count[p] += 1
        elif board.clan_count[p] + board.tactic_count[p] < board.hand_size:
            if board.clan_left and (not board.tactic_left or scale(rng.step(), 2) == 0):
                draw(board, 0)
            elif board.tactic_left:
                draw(board, 1)
        p = 1 - p
        board.mover = p
        board.turn_count += 1


# ---- samples: the board is a copy of what a seat knows, the decks belong to the sample -----------------------


def place_known(board: Board, p: int) -> None:
    """Place the hidden cards that seat `p` knows, its own returns; set all other places in the decks to 255."""
    q = 1 - p
    for i in range(board.clan_pos, board.clan_end):
        board.clan_deck[i] = 255
    for i in range(board.tactic_pos, board.tactic_end):
        board.tactic_deck[i] = 255
    if board.scouter == p:
        for i in range(board.back_n):
            if board.back_place[i] == 254:
                add_known(board, q, board.back_card[i])
            elif board.back_place[i] < 250:
                if board.back_deck[i]:
                    board.tactic_deck[board.back_place[i]] = board.back_card[i]
                else:
                    board.clan_deck[board.back_place[i]] = board.back_card[i]


def hidden_clan_cards(board: Board, p: int) -> int:
    """Return the clan cards that seat `p` does not see and that have not been placed yet."""
    hidden = board.all_cards & ~(board.visible | board.hands[p] | board.hands[1 - p])
    for i in range(board.clan_pos, board.clan_end):
        if board.clan_deck[i] < 60:
            hidden &= ~(ONE << board.clan_deck[i])
    return hidden


def hidden_tactic_cards(board: Board, p: int, out: Any) -> int:
    """Write the tactic cards that seat `p` does not see and that have not been placed yet; return their number."""
    q = 1 - p
    gone = board.rows[0] | board.rows[1]
    for i in range(18):
        gone |= board.sides[i] >> 60
    if 60 < board.taken < 69:
        gone |= 1 << (board.taken - 60)
    gone |= (8 if board.fog else 0) | (16 if board.mud else 0)
    gone |= (board.tactics[p] | board.tactics[q]) >> 1  # without the jokers, which are counted below
    jokers = 2 - board.jokers[0] - board.jokers[1] - popcount(board.tactics[p] & 3) - popcount(board.tactics[q] & 3)
    for i in range(board.tactic_pos, board.tactic_end):
        if board.tactic_deck[i] == 60:
            jokers -= 1
        elif board.tactic_deck[i] < 69:
            gone |= 1 << (board.tactic_deck[i] - 60)
    n = 0
    while n < jokers:
        out[n] = 60
        n += 1
    for i in range(1, 9):
        if not gone >> i & 1:
            out[n] = 60 + i
            n += 1
    return n


def unplaced(board: Board, p: int) -> list[int]:
    """Return the numbers of the cards that seat `p` does not see and that have not been placed yet."""
    if not cython.compiled:
        tactics = [0] * 16
    hidden = hidden_clan_cards(board, p)
    cards = [card for card in range(60) if hidden >> card & 1]
    n = hidden_tactic_cards(board, p, tactics) if board.with_tactics else 0
    return cards + [tactics[i] for i in range(n)]


def deal_rest(board: Board, p: int, rng: Rng) -> None:
    """Deal the cards that have not been placed yet to the other seat's hand and the decks, all ways equally likely."""
    if not cython.compiled:
        cards, tactics = [0] * 64, [0] * 16
    q = 1 - p
    n = 0
    hidden = hidden_clan_cards(board, p)
    while hidden:
        cards[n] = ctz(hidden)
        hidden &= hidden - 1
        n += 1
    for i in range(n - 1, 0, -1):
        j = rng.pick(i + 1)
        c = cards[i]
        cards[i] = cards[j]
        cards[j] = c
    m = 0
    if board.with_tactics:
        m = hidden_tactic_cards(board, p, tactics)
    for i in range(m - 1, 0, -1):
        j = rng.pick(i + 1)
        c = tactics[i]
        tactics[i] = tactics[j]
        tactics[j] = c
    while n and hidden_clan(board, q) > 0:
        n -= 1
        board.hands[q] |= ONE << cards[n]
    while m and hidden_tactics(board, q) > 0:
        m -= 1
        add_known(board, q, tactics[m])
    for i in range(board.clan_pos, board.clan_end):
        if board.clan_deck[i] == 255 and n:
            n -= 1
            board.clan_deck[i] = cards[n]
    for i in range(board.tactic_pos, board.tactic_end):
        if board.tactic_deck[i] == 255 and m:
            m -= 1
            board.tactic_deck[i] = tactics[m]
    for i in range(board.back_n):  # the other seat's recruiter knows what it put back, in this state as well
        if board.back_place[i] < 250:
            j = board.back_place[i]
            board.back_card[i] = board.tactic_deck[j] if board.back_deck[i] else board.clan_deck[j]
