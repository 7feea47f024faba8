# C types for formations.py.
cimport cython
from arena.game.cards cimport (u64, u16, u8, hib, ctz, group, popcount, PLANE, JOKER, SPY, BEARER, ALL60,
                              SUM, RUN, COLOUR, KIND, COLOUR_RUN, RANK)

cdef u8 VALUE[64]
cdef u8 COLOUR_OF[64]
cdef u16 STRENGTH3[8192]
cdef u64 ABOVE[64]
cdef u64 BETWEEN[256]

@cython.locals(w=u64)
cdef u64 top(u64 cards) noexcept nogil
cdef u64 values_of(u64 cards) noexcept nogil
cdef u64 above(int value) noexcept nogil
@cython.locals(w=u64, h=u64)
cdef u64 top_cards(u64 cards, int k) noexcept nogil
@cython.locals(s=cython.int)
cdef int sum_of(u64 cards) noexcept nogil
cdef u64 windows(u64 cards, int n) noexcept nogil
cdef u64 spread(u64 cards, int n) noexcept nogil

@cython.locals(a=cython.int, b=cython.int, c=cython.int, flush=cython.int)
cdef int strength3(u64 w) noexcept nogil
@cython.locals(a=cython.int, b=cython.int, va=cython.int, vb=cython.int, category=cython.int, run=u64, colour=u64,
               kind=u64, need=u64, m=u64)
cdef u64 outs_with_one(u64 avail, u64 opp, int strength) noexcept nogil
@cython.locals(m=u64)
cdef u64 refute_with_one(u64 avail, u64 opp, int strength) noexcept nogil
@cython.locals(o=cython.int, v=cython.int, category=cython.int, total=cython.int, m=u64, t=u64, h=u64, g=u64, w=u64,
               k=cython.int, x=cython.int, one=u64)
cdef u64 refute_with_two(u64 avail, u64 opp, int strength) noexcept nogil
@cython.locals(m=u64, t=u64, w=u64, best=u64, g=u64, v=cython.int, x=cython.int, strength=cython.int)
cdef u64 best_three(u64 avail) noexcept nogil

cdef int wild_limit(bint there, int limit, int bound) noexcept nogil
@cython.locals(clan=u64, free=cython.int, j=cython.int, b=cython.int, jl=cython.int, jh=cython.int, bl=cython.int,
               bh=cython.int, best=cython.int, p=cython.int, s=cython.int, colours=cython.int)
cdef int strength_of(u64 side, int n, bint fog, int values, int spy, int joker_as, int spy_as,
                     int bearer_as) noexcept nogil
@cython.locals(total=cython.int, low=cython.int, high=cython.int, distinct=cython.bint, seen=cython.int, v=cython.int)
cdef int strength_with(u64 clan, int colours, int wilds, int n, bint fog) noexcept nogil
@cython.locals(clan=u64, j=cython.int, b=cython.int, p=cython.int, jl=cython.int, jh=cython.int, bl=cython.int,
               bh=cython.int, w=u64, colours=cython.int, k=cython.int)
cdef u64 refute(u64 avail, u64 side, int n, bint fog, int strength, int values, int spy, int joker_as, int spy_as,
                int bearer_as) noexcept nogil
@cython.locals(category=cython.int, total=cython.int, fixed=cython.int, t=u64, w=u64, m=u64, f=u64, taken=u64,
               distinct=cython.bint, v=cython.int, same=cython.int, c=cython.int, s=cython.int, gx=u64, i=cython.int,
               least=cython.int, left=cython.int)
cdef u64 refute_with(u64 avail, u64 clan, int colours, int wilds, int k, int n, bint fog, int strength,
                     int values) noexcept nogil
@cython.locals(c=cython.int)
cdef int colours_of(u64 clan, u64 side, int joker_as, int spy_as, int bearer_as) noexcept nogil
