# C types for search.py.
cimport cython
from arena.game.board cimport copy_block
from arena.game.engine cimport State, View
from arena.game.rng cimport Rng
from arena.game.turns cimport legal_codes, perform
from arena.policy.evaluator cimport Evaluator, result_of

@cython.final
cdef class Playout:
    cdef Evaluator policy
    cdef Evaluator opponent
    cdef State work
    cdef int spent              # decisions since the start
    cpdef double play(self, State state, int depth=*, int seat=*, int tail=*)
    cdef void begin(self, State state) noexcept
    @cython.locals(state=State, evaluator=Evaluator, best=cython.int, before=cython.int, missing=cython.int,
                   total=cython.double, result=cython.double)
    cdef double run(self, int depth, int tail, int p) except? -1.0

cdef class Searcher:
    cdef Evaluator evaluator
    cdef Playout playout
    cdef int depth
    cdef int tail               # the number of the last decisions that are judged
    cdef int width
    cdef double margin
    cdef double prior
    cdef double race
    cdef State sample
    cdef long long spent
    cdef double worth           # the chance to win after the last choice
    @cython.locals(at=cython.int, other=cython.int, row=list)
    cdef int try_all(self, View view, Rng rng, list codes, list totals, list products) except -1

@cython.locals(i=cython.int)
cdef void copy_decks(State target, State source) noexcept
