# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False, infer_types=True
"""The turns of a game: the numbers of the legal moves, what moves do, and what follows (RULES.md §3 to §5).

A turn is a chain of decisions::

    claim (if the window is open) -> play or pass -> claim (if the window is open) -> draw

with the ruse's target, the recruiter's draws and the recruiter's returns in between. Only real decisions are moves:
an empty claim window and a draw from the only deck pass automatically, and so do the claims of a seat that claims
automatically. A pass is always a move.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

if not cython.compiled:
    from arena.game.board import *
    from arena.game.cards import *
    from arena.game.moves import *

    CODES = [0] * 2048


# ---- legal moves ----------------------------------------------------------------------------------------------


def legal_codes(board: Board, out: Any) -> int:
    """Write the numbers of the legal moves to `out`; return their number."""
    p = board.mover
    n = 0
    if board.stage == PLAY:
        n = play_codes(board, out)
        if board.tactics[p] and board.played[p] <= board.played[1 - p]:
            n = tactic_codes(board, out, n)
        if not board.hands[p] or not board.open[p]:
            out[n] = PASS
            n += 1
    elif board.stage == TAKE:
        n = target_codes(board, out, 0, board.ruse)
    elif board.stage == PUT:
        c = board.open[p]
        if board.ruse == SCOUT_CARD + 1:  # redeploy: to another stone, or to the discard row
            c &= 511 ^ 1 << board.taken_stone
        if board.taken >= JOKER_CARD:
            n = elite_codes(board, out, 0, board.taken, c)
        else:
            n = spread_codes(board, out, 0, 9 * board.taken, c)
        if board.ruse == SCOUT_CARD + 1:
            out[n] = DISCARD
            n += 1
    elif board.stage == SCOUT or board.stage == DRAW_CARD:
        out[0] = DRAW
        out[1] = DRAW + 1
        n = 2
    elif board.stage == PUT_BACK:
        h = board.hands[p]
        while h:
            out[n] = RETURN + ctz(h)
            n += 1
            h &= h - 1
        if board.tactics[p] & 3:
            out[n] = RETURN + JOKER_CARD
            n += 1
        for s in range(2, 10):
            if board.tactics[p] >> s & 1:
                out[n] = RETURN + 59 + s
                n += 1
    elif board.stage != OVER:
        n = spread_codes(board, out, 0, CLAIM, board.claims)
        out[n] = NO_CLAIM
        n += 1
    return n


def play_codes(board: Board, out: Any) -> int:
    """Write the moves of clan cards onto the mover's sides with room; return their number."""
    n = 0
    h = board.hands[board.mover]
    o = board.open[board.mover]
    while h:
        c = 9 * ctz(h)
        h &= h - 1
        s = o
        while s:
            out[n] = c + ctz(s)
            n += 1
            s &= s - 1
    return n


def spread_codes(board: Board, out: Any, n: int, base: int, stones: int) -> int:
    """Write `base + stone` for each stone of a set, from place `n` on; return the next free place."""
    while stones:
        out[n] = base + ctz(stones)
        n += 1
        stones &= stones - 1
    return n


def elite_codes(board: Board, out: Any, n: int, card: int, stones: int) -> int:
    """Write the moves of a wild onto each stone of a set, with each binding if wilds are bound when played."""
    if not board.on_play:
        return spread_codes(board, out, n, 9 * card, stones)
    if card == JOKER_CARD:
        base = BIND
        low = 6 * board.values
    elif card == SPY_CARD:
        base = BIND_SPY
        low = 6
    else:
        base = BIND_BEARER
        low = 18
    for c in range(low):
        n = spread_codes(board, out, n, base + 9 * c, stones)
    return n


def tactic_codes(board: Board, out: Any, n: int) -> int:
    """Write the moves of the tactic cards in the mover's hand; the limit must allow one."""
    p = board.mover
    t = board.tactics[p]
    o = board.open[p]
    free = 511 ^ (board.owned[0] | board.owned[1])
    if t & 3 and not board.jokers[p]:
        n = elite_codes(board, out, n, JOKER_CARD, o)
    if t & 4:
        n = elite_codes(board, out, n, SPY_CARD, o)
    if t & 8:
        n = elite_codes(board, out, n, SPY_CARD + 1, o)
    if t & 16:
        n = spread_codes(board, out, n, 9 * FOG_CARD, free)
    if t & 32:
        n = spread_codes(board, out, n, 9 * FOG_CARD + 9, free)
    if t & 64 and board.clan_left + board.tactic_left:
        out[n] = RUSE
        n += 1
    for q in range(1, 4):  # redeploy, deserter, traitor
        if t >> (6 + q) & 1 and (q < 3 or o) and has_target(board, SCOUT_CARD + q):
            out[n] = RUSE + q
            n += 1
    return n


def has_target(board: Board, ruse: int) -> bool:
    """Return whether the ruse can take any card."""
    p = board.mover if ruse == SCOUT_CARD + 1 else 1 - board.mover
    takes = ALL60 if board.clan_only or ruse == SCOUT_CARD + 3 else ALL60 | JOKER | SPY | BEARER
    return cards_of(board, p, 511 ^ (board.owned[0] | board.owned[1])) & takes != 0


def target_codes(board: Board, out: Any, n: int, ruse: int) -> int:
    """Write the cards on unclaimed stones that a ruse can take: redeploy the mover's, the others the opponent's."""
    p = board.mover if ruse == SCOUT_CARD + 1 else 1 - board.mover
    stones = 511 ^ (board.owned[0] | board.owned[1])
    while stones:
        s = ctz(stones)
        stones &= stones - 1
        w = board.sides[9 * p + s]
        while w:
            c = ctz(w)
            w &= w - 1
            if c < JOKER_CARD or not (board.clan_only or ruse == SCOUT_CARD + 3):
                out[n] = TAKE_CODE + 9 * c + s
                n += 1
    return n


def is_legal(board: Board, code: int) -> bool:
    """Return whether the move with that number is legal."""
    p = board.mover
    if code < 540 and board.stage == PLAY:
        return (board.hands[p] >> (code // 9) & board.open[p] >> (code % 9) & 1) != 0
    n = legal_codes(board, CODES)
    for i in range(n):  # noqa: SIM110 (a generator would need Python objects)
        if CODES[i] == code:
            return True
    return False


# ---- the beginning ----


def set_rules(board: Board, numbers: Any) -> None:
    """Set the options from `Rules.numbers`; raise ValueError for impossible ones."""
    board.values = numbers["values"]
    board.hand_size = numbers["hand_size"]
    board.spy = numbers["spy"]
    board.window_start = numbers["window_start"]
    board.window_after = numbers["window_after"]
    board.on_play = numbers["on_play"]
    board.clan_only = numbers["clan_only"]
    board.with_tactics = numbers["with_tactics"]
    board.back_on_top = numbers["back_on_top"]
    board.single = numbers["single"]
    flags = board.window_start | board.window_after | board.on_play | board.clan_only | board.with_tactics
    flags |= board.back_on_top | board.single
    if not (9 <= board.values <= 10 and 1 <= board.hand_size <= 12 and 7 <= board.spy <= 8 and 0 <= flags <= 1):
        raise ValueError(f"these rules cannot be played: {numbers}")


def load_decks(board: Board, clan: bytes, tactic: bytes) -> bool:
    """Load whole decks, first card first; return False if a card is missing, foreign or repeated."""
    clans = 0
    tactics = 0
    for i in range(len(clan)):
        card = clan[i]
        if card >= 60:
            return False
        board.clan_deck[i] = card
        clans |= ONE << card
    for i in range(len(tactic)):
        card = tactic[i]
        if not 60 <= card <= 68:
            return False
        board.tactic_deck[i] = card
        tactics += ONE << 4 * (card - 60)  # counts of four bits, for ten cards
    return clans == (ALL54 if board.values == 9 else ALL60) and tactics == (0x111111112 if board.with_tactics else 0)


def start_game(board: Board, starter: int) -> None:
    """Deal the hands alternately from the front of the clan deck and let the starter begin."""
    clear(board)
    for i in range(2 * board.hand_size):
        board.hands[i & 1] |= ONE << board.clan_deck[i]
    board.clan_count[0] = board.hand_size
    board.clan_count[1] = board.hand_size
    board.clan_pos = 2 * board.hand_size
    board.clan_end = 6 * board.values
    board.clan_left = board.clan_end - board.clan_pos
    board.tactic_pos = 0
    board.tactic_end = 10 * board.with_tactics
    board.tactic_left = board.tactic_end
    board.starter = starter
    board.mover = starter
    board.stage = PLAY


# ---- what moves do ----------------------------------------------------------------------------------------


def perform(board: Board, code: int) -> None:
    """Carry out a legal move and everything that follows automatically."""
    if board.stage == PLAY:
        board.plays += 1
        if code < 540:
            play_clan(board, code // 9, code % 9)
        elif code == PASS:
            note(board, board.mover, PASS)
            board.idle += 1
            after_play(board)
        else:
            play_tactic(board, code)
    elif board.stage == TAKE:
        take(board, code)
    elif board.stage == PUT:
        put_taken(board, code)
    elif board.stage == SCOUT:
        draw(board, code - DRAW)
        board.scout_left -= 1
        board.scout_deck = code - DRAW
        go_on_scouting(board)
    elif board.stage == PUT_BACK:
        put_back(board, code - RETURN)
        if board.clan_count[board.mover] + board.tactic_count[board.mover] <= board.hand_size:
            after_play(board)
    elif board.stage == DRAW_CARD:
        draw(board, code - DRAW)
        next_turn(board)
    else:
        note(board, board.mover, code)
        if code == NO_CLAIM:
            board.claims = 0
        else:
            board.idle = 0
            board.claims &= 511 ^ 1 << (code - CLAIM)
            give(board, board.mover, 1 << (code - CLAIM))
        if board.won >= 0:
            board.stage = OVER
        elif not board.claims:
            if board.stage == CLAIM_START:
                board.stage = PLAY
            else:
                draw_phase(board)


def play_clan(board: Board, card: int, s: int) -> None:
    """Play a clan card from the hand to the mover's side."""
    p = board.mover
    board.hands[p] ^= ONE << card
    board.clan_count[p] -= 1
    board.idle = 0
    note(board, p, 9 * card + s)
    put_clan(board, p, card, s)
    if board.back_n:
        forget(board, p, card)
    after_play(board)


def play_tactic(board: Board, code: int) -> None:
    """Play an elite troop or a combat mode, or begin a ruse."""
    p = board.mover
    board.idle = 0
    note(board, p, code)
    if code >= BIND or code < RUSE:
        card = code // 9
        if code >= BIND:
            card = JOKER_CARD + (code >= BIND_SPY) + (code >= BIND_BEARER)
        count_tactic(board, card)
        if card >= FOG_CARD:
            put_mode(board, card, code % 9)
        else:
            put_wild(board, card, code)
        after_play(board)
    else:
        card = code - RUSE + SCOUT_CARD
        count_tactic(board, card)
        board.rows[p] |= 1 << (card - 60)
        board.ruse = card
        if card == SCOUT_CARD:
            board.scouter = p
            board.scout_left = 3
            board.scout_deck = -1
            go_on_scouting(board)
        else:
            board.stage = TAKE


def put_wild(board: Board, card: int, code: int) -> None:
    """Put a wild card on the side, and with the binding, that the move names."""
    binding = -1
    s = code % 9
    if code >= BIND:
        s = (code - BIND) % 9
        if code >= BIND_BEARER:
            binding = (code - BIND_BEARER) // 9
        elif code >= BIND_SPY:
            binding = (code - BIND_SPY) // 9 + 6 * (board.spy - 1)
        else:
            binding = (code - BIND) // 9
    put_elite(board, board.mover, card, s, binding)


def count_tactic(board: Board, card: int) -> None:
    """Remove a tactic card from the hand and count it for the limit."""
    p = board.mover
    drop_tactic(board, p, card)
    board.played[p] += 1
    if card == JOKER_CARD:
        board.jokers[p] = 1
    if board.back_n:
        forget(board, p, card)


def take(board: Board, code: int) -> None:
    """Take the target of redeploy, deserter or traitor off its side."""
    p = board.mover
    q = p if board.ruse == SCOUT_CARD + 1 else 1 - p
    card = (code - TAKE_CODE) // 9
    s = (code - TAKE_CODE) % 9
    note(board, p, code)
    remove(board, q, card, s)
    if board.ruse == SCOUT_CARD + 2:
        drop(board, q, card)
        after_play(board)
    else:
        board.taken = card
        board.taken_stone = s
        board.stage = PUT


def drop(board: Board, seat: int, card: int) -> None:
    """Put a card face up into the row of the seat whose side it left."""
    if card >= JOKER_CARD:
        board.rows[seat] |= 1 << (card - 60)
    else:
        board.discards[seat] |= ONE << card


def put_taken(board: Board, code: int) -> None:
    """Put the card taken by redeploy or traitor where the move says."""
    p = board.mover
    note(board, p, code)
    if code == DISCARD:
        drop(board, p, board.taken)
    elif board.taken >= JOKER_CARD:
        put_wild(board, board.taken, code)
    else:
        put_clan(board, p, board.taken, code % 9)
    board.taken = 255
    after_play(board)


# ---- decks ------------------------------------------------------------------------------------------------


def draw(board: Board, deck: int) -> None:
    """Let the mover draw from the clan deck (0) or the tactic deck (1)."""
    p = board.mover
    if deck == 0:
        place = board.clan_pos
        card = board.clan_deck[place]
        board.clan_pos += 1
        board.clan_left -= 1
        board.hands[p] |= ONE << card
        board.clan_count[p] += 1
    else:
        place = board.tactic_pos
        card = board.tactic_deck[place]
        board.tactic_pos += 1
        board.tactic_left -= 1
        add_tactic(board, p, card)
    board.idle = 0
    if board.back_n:
        track(board, p, deck, place)
    note_hidden(board, p, DREW + card, HIDDEN_DRAW + deck)


def track(board: Board, p: int, deck: int, place: int) -> None:
    """Update what is known of a card that the recruiter put back, if it is the one just drawn."""
    for i in range(board.back_n):
        if board.back_deck[i] == deck and board.back_place[i] == place:
            board.back_place[i] = 255 if p == board.scouter else 254


def forget(board: Board, p: int, card: int) -> None:
    """Note that a card was played: if it was known to be in that hand, it no longer is."""
    for i in range(board.back_n):
        if board.back_card[i] == card and board.back_place[i] == 254 and p != board.scouter:
            board.back_place[i] = 255
            break


def go_on_scouting(board: Board) -> None:
    """Make the recruiter's draws until there is a choice, then ask for its returns."""
    while board.scout_left and board.clan_left + board.tactic_left:
        if board.single and board.scout_deck >= 0:
            if (board.tactic_left if board.scout_deck else board.clan_left) == 0:
                break
            draw(board, board.scout_deck)
        elif board.clan_left and board.tactic_left:
            board.stage = SCOUT
            return
        else:
            board.scout_deck = 0 if board.clan_left else 1
            draw(board, board.scout_deck)
        board.scout_left -= 1
    board.scout_left = 0
    if board.clan_count[board.mover] + board.tactic_count[board.mover] > board.hand_size:
        board.stage = PUT_BACK
    else:
        after_play(board)


def put_back(board: Board, card: int) -> None:
    """Put a card back, face down, on its own deck for the player of the recruiter."""
    p = board.mover
    i = board.back_n
    board.back_n += 1
    board.back_card[i] = card
    if card < JOKER_CARD:
        board.hands[p] ^= ONE << card
        board.clan_count[p] -= 1
        board.clan_left += 1
        board.back_deck[i] = 0
        if board.back_on_top:
            board.clan_pos -= 1
            board.back_place[i] = board.clan_pos
        else:
            board.back_place[i] = board.clan_end
            board.clan_end += 1
        board.clan_deck[board.back_place[i]] = card
    else:
        drop_tactic(board, p, card)
        board.tactic_left += 1
        board.back_deck[i] = 1
        if board.back_on_top:
            board.tactic_pos -= 1
            board.back_place[i] = board.tactic_pos
        else:
            board.back_place[i] = board.tactic_end
            board.tactic_end += 1
        board.tactic_deck[board.back_place[i]] = card
    note_hidden(board, p, RETURN + card, HIDDEN_RETURN + board.back_deck[i])


# ---- the turn ---------------------------------------------------------------------------------------------


def window(board: Board, stage: int) -> bool:
    """Open a claim window; return True if the turn waits for a decision or the game is over."""
    p = board.mover
    look = turned_up(board, p)
    if not look:
        return False
    got = prove(board, p, look)
    if not got:
        return False
    if not board.auto[p]:
        board.claims = got
        board.stage = stage
        return True
    board.idle = 0
    for s in range(9):
        if got >> s & 1:
            note(board, p, CLAIM + s)
    give(board, p, got)
    if board.won >= 0:
        board.stage = OVER
        return True
    return False


def after_play(board: Board) -> None:
    """Open the claim window after the play, then draw."""
    board.ruse = 0
    if not (board.window_after and window(board, CLAIM_END)):
        draw_phase(board)


def draw_phase(board: Board) -> None:
    """Draw a card if the hand is below the limit; the player chooses if both decks have cards."""
    p = board.mover
    if board.clan_count[p] + board.tactic_count[p] < board.hand_size:
        if board.clan_left and board.tactic_left:
            board.stage = DRAW_CARD
            return
        if board.clan_left:
            draw(board, 0)
        elif board.tactic_left:
            draw(board, 1)
    next_turn(board)


def next_turn(board: Board) -> None:
    """Pass the turn to the other player, or end the game after two passes in a row."""
    if board.idle == 2:
        settle(board)
        board.stage = OVER
        return
    board.mover = 1 - board.mover
    board.turn_count += 1
    if not (board.window_start and window(board, CLAIM_START)):
        board.stage = PLAY


def note(board: Board, p: int, code: int) -> None:
    """Log what both seats see."""
    if board.logging:
        board.log0.add(2 * code + p)
        board.log1.add(2 * code + p)


def note_hidden(board: Board, p: int, code: int, hidden: int) -> None:
    """Log what only one seat sees whole."""
    if board.logging:
        board.log0.add(2 * (hidden if p else code) + p)
        board.log1.add(2 * (code if p else hidden) + p)


def add_known(board: Board, p: int, card: int) -> None:
    """Put a card into a hand whose size is already counted."""
    if card < JOKER_CARD:
        board.hands[p] |= ONE << card
    else:
        add_tactic(board, p, card)
        board.tactic_count[p] -= 1


def hidden_clan(board: Board, p: int) -> int:
    """Return how many clan cards of a hand are not known yet."""
    return board.clan_count[p] - popcount(board.hands[p])


def hidden_tactics(board: Board, p: int) -> int:
    """Return how many tactic cards of a hand are not known yet."""
    return board.tactic_count[p] - popcount(board.tactics[p])
