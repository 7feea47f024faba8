# C types for playouts.py.
cimport cython
from arena.game.bits cimport u64, u16, u8, ctz, nth, popcount, scale
from arena.game.board cimport COUNT9, NTH9
from arena.game.choices cimport *
from arena.game.rng cimport Rng
from arena.game.turns cimport Turns

cdef class Playouts(Turns):
    @cython.locals(p=cython.int, h=u64, o=cython.int, r=u64, n=cython.int, k=cython.int)
    cdef void random_step(self, Rng rng) noexcept nogil
    @cython.locals(automatic=cython.bint)
    cdef int play_out(self, Rng rng) noexcept nogil
    @cython.locals(p=cython.int, r=u64, h=u64, o=cython.int, bit=u64, card=cython.int, s=cython.int,
                   n=cython.int, k=cython.int, code=cython.int, got=cython.int, tactical=cython.bint)
    cdef int play_out_plain(self, Rng rng) noexcept nogil
    @cython.locals(q=cython.int, i=cython.int)
    cdef void place_known(self, int p) noexcept
    @cython.locals(i=cython.int, bit=u64, hidden=u64)
    cdef u64 hidden_clan_cards(self, int p) noexcept nogil
    @cython.locals(q=cython.int, i=cython.int, n=cython.int, gone=u64, jokers=cython.int)
    cdef int hidden_tactic_cards(self, int p, u8 *out) noexcept nogil
    @cython.locals(tactics=u8[16], hidden=u64, card=cython.int, n=cython.int, i=cython.int)
    cdef list unplaced(self, int p)
    @cython.locals(cards=u8[64], tactics=u8[16], q=cython.int, n=cython.int, m=cython.int, i=cython.int, j=cython.int,
                   c=cython.int, hidden=u64, bit=u64)
    cdef void deal_rest(self, int p, Rng rng) noexcept
    @cython.locals(i=cython.int, j=cython.int, c=cython.int, r=u64)
    cdef void shuffle(self, Rng rng) noexcept nogil
