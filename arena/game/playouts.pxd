# C types for playouts.py.
cimport cython
from arena.game.board cimport Board, COUNT9, NTH9, OVER, PLAY, give, provable, put_clan
from arena.game.cards cimport u64, u16, u8, ctz, nth, popcount, scale
from arena.game.rng cimport Rng
from arena.game.turns cimport (CODES, add_known, count_tactic_codes, draw, hidden_clan, hidden_tactics, legal_codes, perform, play_clan,
                               tactic_codes)

@cython.locals(p=cython.int, h=u64, o=cython.int, r=u64, n=cython.int, k=cython.int)
cdef void random_step(Board board, Rng rng) noexcept nogil
@cython.locals(automatic=cython.bint)
cdef int play_out(Board board, Rng rng) noexcept nogil
@cython.locals(p=cython.int, r=u64, h=u64, o=cython.int, bit=u64, card=cython.int, s=cython.int,
               n=cython.int, k=cython.int, code=cython.int, got=cython.int, tactical=cython.bint)
cdef int play_out_plain(Board board, Rng rng) noexcept nogil
@cython.locals(q=cython.int, i=cython.int)
cdef void place_known(Board board, int p) noexcept
@cython.locals(i=cython.int, bit=u64, hidden=u64)
cdef u64 hidden_clan_cards(Board board, int p) noexcept nogil
@cython.locals(q=cython.int, i=cython.int, n=cython.int, gone=u64, jokers=cython.int)
cdef int hidden_tactic_cards(Board board, int p, u8 *out) noexcept nogil
@cython.locals(tactics=u8[16], hidden=u64, card=cython.int, n=cython.int, i=cython.int)
cdef list unplaced(Board board, int p)
@cython.locals(cards=u8[64], tactics=u8[16], q=cython.int, n=cython.int, m=cython.int, i=cython.int, j=cython.int,
               c=cython.int, hidden=u64, bit=u64)
cdef void deal_rest(Board board, int p, Rng rng) noexcept
@cython.locals(i=cython.int, j=cython.int, c=cython.int, r=u64)
cdef void shuffle(Board board, Rng rng) noexcept nogil
