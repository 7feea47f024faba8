# C types for public_state.py.
cimport cython
from arena.game.bits cimport u64, u16, popcount, stir, SPY_CARD
from arena.game.board cimport Board

cdef enum:          # stages, as in choices.pxd
    CLAIM_START = 0
    TAKE = 2
    PUT = 3
    SCOUT = 4
    PUT_BACK = 5
    CLAIM_END = 6

cdef class Shown(Board):
    @cython.locals(i=cython.int, back=u64, place=cython.int, flags=cython.int)
    cdef u64 mixed(self, u64 h) noexcept nogil
    cdef str card_text(self, int card)
    @cython.locals(k=cython.int)
    cdef list hand_tactics(self, int seat)
    @cython.locals(k=cython.int)
    cdef tuple hand_texts(self, int seat)
