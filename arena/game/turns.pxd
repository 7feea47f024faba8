# C types for turns.py.
cimport cython
from arena.game.board cimport *
from arena.game.cards cimport (u64, u16, u8, s8, ctz, popcount, ALL54, ALL60, JOKER, SPY, BEARER, JOKER_CARD, SPY_CARD, FOG_CARD, SCOUT_CARD)
from arena.game.event_log cimport DREW, HIDDEN_DRAW, HIDDEN_RETURN
from arena.game.moves cimport *

cdef u16 CODES[2048]

@cython.locals(p=cython.int, n=cython.int, m=u64, s=cython.int, c=cython.int, h=u64, w=u64)
cdef int legal_codes(Board board, u16 *out) noexcept nogil
@cython.locals(n=cython.int, o=cython.int, c=cython.int, s=cython.int, h=u64)
cdef int play_codes(Board board, u16 *out) noexcept nogil
@cython.locals(p=cython.int, q=cython.int, t=cython.int, o=cython.int, free=cython.int)
cdef int tactic_codes(Board board, u16 *out, int n) noexcept nogil
@cython.locals(m=cython.int)
cdef int spread_codes(Board board, u16 *out, int n, int base, int stones) noexcept nogil
@cython.locals(c=cython.int, low=cython.int, high=cython.int, base=cython.int)
cdef int elite_codes(Board board, u16 *out, int n, int card, int stones) noexcept nogil
@cython.locals(p=cython.int, q=cython.int, t=cython.int, o=cython.int, n=cython.int)
cdef int count_tactic_codes(Board board) noexcept nogil
@cython.locals(p=cython.int, takes=u64)
cdef bint has_target(Board board, int ruse) noexcept nogil
@cython.locals(p=cython.int, c=cython.int, s=cython.int, w=u64, stones=cython.int)
cdef int target_codes(Board board, u16 *out, int n, int ruse) noexcept nogil
@cython.locals(n=cython.int, i=cython.int, p=cython.int)
cdef bint is_legal(Board board, int code) noexcept nogil

@cython.locals(flags=cython.int)
cdef set_rules(Board board, dict numbers)
@cython.locals(p=cython.int, card=cython.int, s=cython.int)
cdef void perform(Board board, int code) noexcept nogil
@cython.locals(p=cython.int, bit=u64)
cdef inline void play_clan(Board board, int card, int s) noexcept nogil
@cython.locals(p=cython.int, card=cython.int)
cdef void play_tactic(Board board, int code) noexcept nogil
@cython.locals(s=cython.int, binding=cython.int)
cdef void put_wild(Board board, int card, int code) noexcept nogil
@cython.locals(p=cython.int)
cdef void count_tactic(Board board, int card) noexcept nogil
@cython.locals(p=cython.int, q=cython.int, card=cython.int, s=cython.int)
cdef void take(Board board, int code) noexcept nogil
@cython.locals(bit=u64)
cdef void drop(Board board, int seat, int card) noexcept nogil
@cython.locals(p=cython.int)
cdef void put_taken(Board board, int code) noexcept nogil
cdef void go_on_scouting(Board board) noexcept nogil
@cython.locals(p=cython.int, bit=u64)
cdef void put_back(Board board, int card) noexcept nogil
@cython.locals(p=cython.int, card=cython.int, place=cython.int, bit=u64)
cdef void draw(Board board, int deck) noexcept nogil
@cython.locals(i=cython.int)
cdef void track(Board board, int p, int deck, int place) noexcept nogil
@cython.locals(p=cython.int, got=cython.int, s=cython.int)
cdef bint window(Board board, int stage) noexcept nogil
cdef void after_play(Board board) noexcept nogil
@cython.locals(p=cython.int)
cdef void draw_phase(Board board) noexcept nogil
cdef void next_turn(Board board) noexcept nogil
cdef void note(Board board, int p, int code) noexcept nogil
cdef void note_hidden(Board board, int p, int code, int hidden) noexcept nogil

@cython.locals(i=cython.int)
cdef void forget(Board board, int p, int card) noexcept nogil
@cython.locals(i=cython.int, bit=u64)
cdef void start_game(Board board, int starter) noexcept
@cython.locals(bit=u64)
cdef void add_known(Board board, int p, int card) noexcept
cdef int hidden_clan(Board board, int p) noexcept
cdef int hidden_tactics(Board board, int p) noexcept
@cython.locals(i=cython.int, card=cython.int, bit=u64, clans=u64, tactics=u64)
cdef bint load_decks(Board board, bytes clan, bytes tactic) except -1
