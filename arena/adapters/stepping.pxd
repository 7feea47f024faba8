# C types for stepping.py.
cimport cython
from arena.game.board cimport Board, OVER
from arena.game.buffers cimport bytes_of, doubles_of, floats_of, longs_of, words_of
from arena.game.cards cimport u64, u16, ALL60, ctz
from arena.game.engine cimport State
from arena.game.playouts cimport random_step
from arena.game.rng cimport Rng
from arena.game.turns cimport CODES, is_legal, legal_codes, perform
from arena.policy.evaluator cimport Evaluator

cdef extern from "string.h" nogil:
    void *memset(void *target, int value, size_t n)

cdef inline void clear(float *numbers, int at, int n) noexcept nogil:
    memset(numbers + at, 0, n * sizeof(float))

cdef inline void clear_bytes(signed char *numbers, int at, int n) noexcept nogil:
    memset(numbers + at, 0, n)

cpdef observe(Board board, int p, numbers)
@cython.locals(clan=cython.int, size=cython.int)
cdef int observation_size(Board board) noexcept nogil
@cython.locals(q=cython.int, clan=cython.int, kinds=cython.int, side=cython.int, t=cython.int, i=cython.int,
               s=cython.int, full=cython.int, cards=u64, most=cython.double, lead=cython.bint)
cdef void write(Board board, int p, float *x, int at, int size) noexcept nogil
@cython.locals(q=cython.int, i=cython.int, k=cython.int, card=cython.int, cards=u64)
cdef void write_tactics(Board board, int p, float *x, int at, int clan) noexcept nogil
cdef inline void put(float *x, int at, u64 bits) noexcept nogil

@cython.final
cdef class Stepper:
    cdef object rules
    cdef list states
    cdef tuple arrays               # whose addresses the next two are
    cdef long long *numbers         # the deal of each game
    cdef u16 *codes                 # the number of each action's move
    cdef int n                      # games
    cdef short places[2048]         # the action of each move
    cdef bint alone                 # the learner decides for both seats
    cdef Evaluator opponent         # None: chance
    cdef Rng rng
    cdef object seed
    cdef int actions
    cdef int size                   # of an observation

    @cython.locals(i=cython.int, x=cython.p_float, mask=cython.p_schar, to_decide=cython.p_schar)
    cpdef reset(self, seed, observations, masks, seats)
    @cython.locals(n=cython.int, i=cython.int, p=cython.int, code=cython.int, lost=cython.bint, state=State,
                   chosen=cython.p_longlong, x=cython.p_float, mask=cython.p_schar, to_decide=cython.p_schar,
                   reward=cython.p_double, over=cython.p_schar, last=cython.p_float)
    cpdef step(self, actions, observations, masks, seats, rewards, ended, finals)
    cdef int check(self, Py_ssize_t observations, Py_ssize_t masks, Py_ssize_t seats) except -1
    @cython.locals(state=State)
    cdef int begin(self, int i) except -1
    cdef int go_on(self, State state, int p) except -1
    @cython.locals(n=cython.int, k=cython.int, at=cython.int)
    cdef void show(self, State state, int i, float *x, signed char *mask) noexcept
