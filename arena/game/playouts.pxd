# C types for playouts.py.
cimport cython
from arena.game.bits cimport u64, u16, u8, nth, scale
from arena.game.board cimport COUNT9, NTH9
from arena.game.choices cimport *
from arena.game.rng cimport Rng
from arena.game.turns cimport Turns

cdef class Playouts(Turns):
    @cython.locals(p=cython.int, h=u64, o=cython.int, r=u64, n=cython.int)
    cdef void random_step(self, Rng rng) noexcept nogil
    @cython.locals(automatic=cython.bint)
    cdef int play_out(self, Rng rng) noexcept nogil
    @cython.locals(p=cython.int, r=u64, h=u64, o=cython.int, bit=u64, card=cython.int, got=cython.int)
    cdef int play_out_clan(self, Rng rng) noexcept nogil
    @cython.locals(i=cython.int, j=cython.int, c=cython.int, r=u64)
    cdef void shuffle(self, Rng rng) noexcept nogil
