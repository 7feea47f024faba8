# C types for public_state.py.
cimport cython
from arena.game.bits cimport u64, u16, popcount, SPY_CARD
from arena.game.board cimport Board

cdef class Shown(Board):
    cdef str card_text(self, int card)
    @cython.locals(k=cython.int)
    cdef list hand_tactics(self, int seat)
    @cython.locals(k=cython.int)
    cdef tuple hand_texts(self, int seat)
    @cython.locals(i=cython.int, k=cython.int, elite=u64)
    cdef list tactics_seen(self)
