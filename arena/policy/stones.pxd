# C types for stones.py.
cimport cython
from arena.game.cards cimport (u64, u8, ctz, group, popcount, ALL60, PLANE, JOKER, SPY, BEARER, SUM, RUN, COLOUR, KIND,
                              COLOUR_RUN, RANK)
from arena.game.board cimport Board
from arena.game.formations cimport VALUE, colours_of, outs_with_one, sum_of

# mix(table, at, to, half, p): mix two halves of a table into table[to:to + half]. The first half begins at table[at]; the
# second follows it and has the share p.
cdef extern from *:
    """
    #ifndef ARENA_BLEND
    #define ARENA_BLEND
    static inline void st_half(double *restrict to, const double *restrict from, int half, double p){
        for (int i = 0; i < half; i++) to[i] = from[i] + (from[half + i] - from[i]) * p;
    }
    static inline void st_blend(double *table, int at, int to, int half, double p){
        switch (half) {   /* a known number of steps each */
            case 256: st_half(table + to, table + at, 256, p); break;
            case 128: st_half(table + to, table + at, 128, p); break;
            case 64: st_half(table + to, table + at, 64, p); break;
            case 32: st_half(table + to, table + at, 32, p); break;
            case 16: st_half(table + to, table + at, 16, p); break;
            case 8: st_half(table + to, table + at, 8, p); break;
            default: for (int i = 0; i < half; i++)
                table[to + i] = table[at + i] + (table[at + half + i] - table[at + i]) * p;
        }
    }
    #endif
    """
    void mix "st_blend"(double *table, int at, int to, int half, double p) noexcept nogil

cdef enum:
    LEVELS = 15
    STEP = 16

cdef double LOW[5]
cdef double HIGH[5]
cdef double EMPTY[16]

@cython.locals(category=cython.int, part=cython.int, border=cython.double, share=cython.double, weight=cython.double)
cpdef void fill_odds()
cdef int level_of(int category, double total, int n) noexcept nogil
@cython.locals(share=cython.double, at=cython.int)
cdef int fog_level(double total, int n) noexcept nogil

@cython.final
cdef class Pool:
    cdef u64 hand
    cdef u64 unseen
    cdef double in_hand
    cdef double from_unseen
    cdef double hand_odds
    cdef double unseen_odds
    cdef int total_unseen
    cdef double mean            # average value of the cards that come, weighted by their chances
    cdef double no_hand[64]
    cdef double no_unseen[64]
    @cython.locals(p=cython.double, r=cython.double, i=cython.int)
    cdef void fill(self, u64 hand, u64 unseen, double in_hand, double from_unseen) noexcept nogil
    @cython.locals(p=cython.double)
    cdef void set_hand(self, u64 hand) noexcept nogil
    cdef double chance(self, u64 card) noexcept nogil
    cdef double one_of(self, u64 cards) noexcept nogil
    @cython.locals(a=cython.int, b=cython.int, none=cython.double, h=cython.double, u=cython.double,
                   fewer=cython.double, least=cython.double)
    cdef double at_least(self, u64 cards, int k) noexcept nogil
    @cython.locals(least=cython.double, rest=cython.double, v=cython.int, p=cython.double)
    cdef double window_chance(self, int slots, int colour, bint joker) noexcept nogil
    @cython.locals(i=cython.int, k=cython.int, values=cython.int, taken=cython.int, total=cython.int, same=cython.int,
                   distinct=cython.bint, clan=u64, v=cython.int, free_joker=cython.bint, free_bearer=cython.bint,
                   expected=cython.double, level=cython.int, norm=cython.double, d=cython.int, weight=cython.double,
                   left=cython.double, colours=cython.int, rest=cython.int, p=cython.double)
    cdef void become(self, double *out, int at, u64 side, int n, bint fog, Board rules, int joker, int spy,
                     int bearer) noexcept nogil
    @cython.locals(first=cython.int, v=cython.int, slots=cython.int, level=cython.int, p=cython.double, rest=cython.int)
    cdef double of_a_run(self, double *out, int at, int taken, int n, double left, int values, int colours, bint joker,
                         bint bearer) noexcept nogil
    @cython.locals(last=cython.int, v=cython.int, p=cython.double)
    cdef double of_a_kind(self, double *out, int at, int k, int n, double left, int same, int highest) noexcept nogil

@cython.locals(i=cython.int, total=cython.int)
cdef void is_strength(double *out, int at, int strength, int n, bint fog) noexcept nogil
@cython.locals(below=cython.double, p=cython.double, i=cython.int)
cdef double compare(double *mine, int m, double *theirs, int t) noexcept nogil
@cython.locals(q=cython.int, b=cython.int, i=cython.int, j=cython.int, my_own=cython.int, their_own=cython.int,
               outs=u64)
cdef double known_chance(Board board, int p, int s, Pool mine, Pool theirs) noexcept nogil
@cython.locals(n=cython.int, fog=cython.bint)
cdef void side_levels(Board board, int p, int s, Pool pool, double *out, int at) noexcept nogil
