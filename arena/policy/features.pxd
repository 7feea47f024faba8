# C types for features.py.
cimport cython
from arena.game.bits cimport u64, PLANE, popcount
from arena.game.board cimport Board
from arena.game.formations cimport group, sum_of
from arena.policy.stones cimport Pool, STEP, stone_chance

cdef enum:
    STONE = 48      # numbers of a stone
    HAND = 32       # and of hands and decks
    ALL = 464       # of a position

@cython.locals(q=cython.int, b=cython.int, i=cython.int, n=cython.int, chance=cython.double)
cdef double stone_features(Board board, int p, int s, Pool mine, Pool theirs, int deck, double *room, double *x,
                           int at) noexcept nogil
@cython.locals(q=cython.int, i=cython.int, k=cython.int, c=cython.int, n=cython.int, s=cython.int, free=cython.int,
               h=u64, alive=u64, high=u64, low=u64, t=cython.int)
cdef void hand_features(Board board, int p, Pool mine, int deck, int tactic_deck, double chance, double *x,
                        int at) noexcept nogil
