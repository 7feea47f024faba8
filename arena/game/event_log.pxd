# C types for event_log.py.
cimport cython
from arena.game.cards cimport u16
from arena.game.moves cimport RETURN

cdef enum:          # codes beyond the numbers of moves
    DREW = 1995
    HIDDEN_DRAW = 2064
    HIDDEN_RETURN = 2066

cdef extern from "string.h" nogil:
    void *memcpy(void *target, const void *source, size_t n)

@cython.final
cdef class SeatLog:
    cdef int n
    cdef u16 codes[768]
    cdef inline void add(self, int code) noexcept nogil:
        if self.n < 768:
            self.codes[self.n] = code
            self.n += 1
    cdef SeatLog copy(self)
