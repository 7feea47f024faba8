# C types for choices.py.
cimport cython
from arena.game.bits cimport u64, u16, u8, ctz, ALL60, JOKER, SPY, BEARER, JOKER_CARD, SPY_CARD, FOG_CARD, SCOUT_CARD
from arena.game.board cimport COUNT9
from arena.game.public_state cimport Shown

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

cdef class Choices(Shown):
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
    @cython.locals(p=cython.int, q=cython.int, t=cython.int, o=cython.int, n=cython.int)
    cdef int count_tactic_codes(self) noexcept nogil
    @cython.locals(p=cython.int, takes=u64, free=u64, found=u64, s=cython.int)
    cdef bint has_target(self, int ruse) noexcept nogil
    @cython.locals(p=cython.int, c=cython.int, s=cython.int, w=u64, stones=cython.int)
    cdef int target_codes(self, u16 *out, int n, int ruse) noexcept nogil
    @cython.locals(n=cython.int, i=cython.int, p=cython.int)
    cdef bint is_legal(self, int code) noexcept nogil
