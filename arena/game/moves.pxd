# C types for moves.py.
cimport cython
from libc.string cimport memcpy
from arena.game.cards cimport u16

@cython.final
cdef class Move:
    cdef readonly int index
    cdef readonly str text
    cdef readonly str kind
    cdef readonly str card
    cdef readonly object stone
    cdef readonly str binding

# In C only, so that no bot can replace the tables, which the engine indexes without checking their length.
cdef tuple SEVEN
cdef tuple EIGHT
cpdef tuple moves_by_number(spy)

cdef enum:          # the numbers of the first moves of each block, see moves.py
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
    DREW = 1995     # codes of events beyond the numbers of moves
    HIDDEN_DRAW = 2064
    HIDDEN_RETURN = 2066

@cython.final
cdef class SeatLog:
    cdef int n
    cdef u16 codes[768]
    cdef inline void add(self, int code) noexcept nogil:
        if self.n < 768:
            self.codes[self.n] = code
            self.n += 1
    cdef SeatLog copy(self)
