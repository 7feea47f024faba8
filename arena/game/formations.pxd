# C types for formations.py. Types of local variables are inferred, except where a literal says too little.
cimport cython
from arena.game.cards cimport *

cdef u8 VALUE[64]
cdef u8 COLOUR_OF[64]
cdef u16 STRENGTH3[8192]
cdef u64 ABOVE[64]
cdef u64 BETWEEN[256]

cdef u64 top(u64 cards) noexcept nogil
cdef u64 values_of(u64 cards) noexcept nogil
cdef u64 above(int value) noexcept nogil
cdef u64 top_cards(u64 cards, int k) noexcept nogil
cdef int sum_of(u64 cards) noexcept nogil
cdef u64 windows(u64 cards, int n) noexcept nogil
cdef u64 spread(u64 cards, int n) noexcept nogil

@cython.locals(flush=cython.int)
cdef int strength3(u64 w) noexcept nogil
cdef u64 outs_with_one(u64 avail, u64 opp, int strength) noexcept nogil
cdef u64 refute_with_one(u64 avail, u64 opp, int strength) noexcept nogil
cdef u64 refute_with_two(u64 avail, u64 opp, int strength) noexcept nogil
cdef u64 best_three(u64 avail) noexcept nogil

cdef int wild_limit(bint there, int limit, int bound) noexcept nogil
cdef int strength_of(u64 side, int n, bint fog, int values, int spy, int joker_as, int spy_as,
                     int bearer_as) noexcept nogil
cdef int strength_with(u64 clan, int colours, int wilds, int n, bint fog) noexcept nogil
cdef u64 refute(u64 avail, u64 side, int n, bint fog, int strength, int values, int spy, int joker_as, int spy_as,
                int bearer_as) noexcept nogil
cdef u64 refute_with(u64 avail, u64 clan, int colours, int wilds, int k, int n, bint fog, int strength,
                     int values) noexcept nogil
cdef int colours_of(u64 clan, u64 side, int joker_as, int spy_as, int bearer_as) noexcept nogil
