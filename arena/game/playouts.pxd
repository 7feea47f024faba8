# C types for playouts.py. Types of local variables are inferred, except where a literal says too little.
cimport cython
from arena.game.board cimport *
from arena.game.cards cimport *
from arena.game.rng cimport Rng
from arena.game.turns cimport *

cdef void random_step(Board board, Rng rng) noexcept nogil
@cython.locals(automatic=cython.bint)
cdef int play_out(Board board, Rng rng) noexcept nogil
@cython.locals(tactical=cython.bint)
cdef int play_out_plain(Board board, Rng rng) noexcept nogil
cdef void place_known(Board board, int p) noexcept
cdef u64 hidden_clan_cards(Board board, int p) noexcept nogil
cdef int hidden_tactic_cards(Board board, int p, u8 *out) noexcept nogil
@cython.locals(tactics=u8[16])
cdef list unplaced(Board board, int p)
@cython.locals(cards=u8[64], tactics=u8[16])
cdef void deal_rest(Board board, int p, Rng rng) noexcept
