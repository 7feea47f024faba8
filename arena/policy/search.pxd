# C types for search.py.
cimport cython
from arena.game.bits cimport u16
from arena.game.board cimport copy_block
from arena.game.engine cimport State, View
from arena.game.moves cimport Move
from arena.game.rng cimport Rng
from arena.policy.evaluator cimport Evaluator

cdef class Searcher:
    cdef Evaluator evaluator
    cdef Evaluator opponent
    cdef int depth
    cdef int width
    cdef double margin
    cdef double prior
    cdef State work
    cdef u16 codes[2048]
    cdef int spent
    @cython.locals(state=State, value=cython.double, left=cython.int, evaluator=Evaluator, n=cython.int,
                   best=cython.int, most=cython.double, i=cython.int)
    cdef double trial(self, State sample, int code, int p) noexcept

@cython.locals(i=cython.int)
cdef void copy_decks(State target, State source) noexcept
