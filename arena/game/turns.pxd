# C types for turns.py.
cimport cython
from arena.game.bits cimport u64, u16, u8, s8, ctz, nth, popcount, scale, ALL60, JOKER, SPY, BEARER, JOKER_CARD, SPY_CARD, FOG_CARD, SCOUT_CARD
from arena.game.board cimport COUNT9, NTH9
from arena.game.shown cimport Shown
from arena.game.rng cimport Rng
from arena.game.seatlog cimport SeatLog

cdef enum:
    CLAIM_START = 0
    PLAY = 1
    TAKE = 2
    PUT = 3
    SCOUT = 4
    PUT_BACK = 5
    CLAIM_END = 6
    DRAW_CARD = 7
    OVER = 8
    RUSE = 585
    PASS = 589
    TAKE_CODE = 590
    DISCARD = 1157
    CLAIM = 1158
    NO_CLAIM = 1167
    DRAW = 1168
    RETURN = 1170
    BIND = 1239
    BIND_SPY = 1779
    BIND_BEARER = 1833
    DREW = 1995
    HIDDEN_DRAW = 2064
    HIDDEN_RETURN = 2066

cdef u16 CODES[2048]

cdef class Turns(Shown):
    cdef u8 clan_deck[64]
    cdef u8 tactic_deck[32]
    cdef SeatLog log0
    cdef SeatLog log1
    cdef bint logging

    cdef set_rules(self, bytes codes)
    @cython.locals(p=cython.int, n=cython.int, m=u64, s=cython.int, c=cython.int, h=u64, w=u64)
    cdef int legal_codes(self, u16 *out) noexcept nogil
    @cython.locals(n=cython.int, o=cython.int, c=cython.int, s=cython.int, h=u64)
    cdef int play_codes(self, u16 *out) noexcept nogil
    @cython.locals(p=cython.int, q=cython.int, t=cython.int, o=cython.int, free=cython.int)
    cdef int tactic_codes(self, u16 *out, int n) noexcept nogil
    @cython.locals(m=cython.int)
    cdef int spread_codes(self, u16 *out, int n, int base, int stones) noexcept nogil
    @cython.locals(c=cython.int, low=cython.int, high=cython.int, base=cython.int)
    cdef int elite_codes(self, u16 *out, int n, int card, int stones) noexcept nogil
    @cython.locals(p=cython.int, takes=u64, stones=cython.int)
    cdef bint has_target(self, int ruse) noexcept nogil
    @cython.locals(p=cython.int, c=cython.int, s=cython.int, w=u64, stones=cython.int)
    cdef int target_codes(self, u16 *out, int n, int ruse) noexcept nogil
    @cython.locals(n=cython.int, i=cython.int, p=cython.int)
    cdef bint is_legal(self, int code) noexcept nogil

    @cython.locals(p=cython.int, card=cython.int, s=cython.int)
    cdef void perform(self, int code) noexcept nogil
    @cython.locals(p=cython.int, bit=u64)
    cdef inline void play_clan(self, int card, int s) noexcept nogil
    @cython.locals(p=cython.int, card=cython.int, s=cython.int, binding=cython.int)
    cdef void play_tactic(self, int code) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void count_tactic(self, int card) noexcept nogil
    @cython.locals(p=cython.int, q=cython.int, card=cython.int, s=cython.int)
    cdef void take(self, int code) noexcept nogil
    @cython.locals(bit=u64)
    cdef void drop(self, int seat, int card) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void put_taken(self, int code) noexcept nogil
    cdef void go_on_scouting(self) noexcept nogil
    @cython.locals(p=cython.int, bit=u64)
    cdef void put_back(self, int card) noexcept nogil
    @cython.locals(p=cython.int, card=cython.int, place=cython.int, bit=u64)
    cdef void draw(self, int deck) noexcept nogil
    @cython.locals(i=cython.int)
    cdef void track(self, int p, int deck, int place) noexcept nogil
    @cython.locals(p=cython.int, got=cython.int, s=cython.int)
    cdef bint window(self, int stage) noexcept nogil
    cdef void after_play(self) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void draw_phase(self) noexcept nogil
    cdef void next_turn(self) noexcept nogil
    cdef void note(self, int p, int code) noexcept nogil
    cdef void note_hidden(self, int p, int code, int hidden) noexcept nogil

    @cython.locals(i=cython.int)
    cdef void forget(self, int p, int card) noexcept nogil
    @cython.locals(p=cython.int, h=u64, o=cython.int, r=u64, n=cython.int)
    cdef void random_step(self, Rng rng) noexcept nogil
    cdef int play_out(self, Rng rng) noexcept nogil
    @cython.locals(i=cython.int, bit=u64)
    cdef void start_game(self, int starter) noexcept
    @cython.locals(i=cython.int, j=cython.int, c=cython.int, r=u64)
    cdef void shuffle(self, Rng rng) noexcept nogil
    @cython.locals(bit=u64)
    cdef void add_known(self, int p, int card) noexcept
    cdef int hidden_clan(self, int p) noexcept
    cdef int hidden_tactics(self, int p) noexcept
    @cython.locals(i=cython.int)
    cdef load_decks(self, bytes clan, bytes tactic)
