# C types for inputs.py.
cimport cython
from arena.game.cards cimport u64, ALL60, PLANE, ctz, group, popcount
from arena.game.board cimport Board, provable
from arena.game.buffers cimport bytes_of, floats_of, ints_of
from arena.game.formations cimport sum_of
from arena.game.engine cimport State
from arena.game.moves cimport Move
from arena.policy.evaluator cimport Evaluator, FRESH
from arena.policy.stones cimport Pool, STEP, compare, known_chance

cdef enum:
    STONE = 100     # numbers of a stone
    HAND = 55       # and of hands and decks
    ALL = 955       # of a position

@cython.locals(b=cython.int, i=cython.int)
cdef void my_features(Board board, int p, int s, double chance, double *levels, float *x, int at) noexcept nogil
@cython.locals(i=cython.int)
cdef void their_features(Board board, int q, int s, int deck, double *levels, int to, float *x, int at) noexcept nogil
@cython.locals(clan=u64, colour=cython.int)
cdef int side_colour(Board board, int p, int s) noexcept nogil
@cython.locals(v=cython.int)
cdef void value_features(u64 cards, float *x, int at) noexcept nogil
@cython.locals(p=cython.int, root=State, i=cython.int, s=cython.int, at=cython.int, chance=cython.double, mine=cython.int,
               theirs=cython.int, unseen=u64, colour=cython.int)
cdef void position_features(Evaluator evaluator, State board, float *x) noexcept
@cython.locals(q=cython.int, i=cython.int, k=cython.int, c=cython.int, n=cython.int, s=cython.int, free=cython.int,
               h=u64, alive=u64, high=u64, low=u64, t=cython.int)
cdef void hand_features(Board board, int p, Pool mine, int deck, int tactic_deck, double chance, float *x,
                        int at) noexcept nogil

@cython.final
cdef class Recorder:
    cdef tuple arrays
    cdef float *numbers
    cdef int *games
    cdef signed char *seats
    cdef float *values
    cdef int room
    cdef readonly int count
    cdef float x[955]
    @cython.locals(at=cython.int, i=cython.int)
    cdef void write(self, Evaluator evaluator, State board, int game, double value)

@cython.locals(n=cython.int, recorder=Recorder, move=Move)
cpdef features(Board position, list moves=*, Evaluator evaluator=*)
