# C types for search.py.
cimport cython
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
    cdef int spent
    @cython.locals(state=State, left=cython.int, evaluator=Evaluator, best=cython.int)
    cdef double trial(self, State sample, int code, int p) noexcept

@cython.locals(i=cython.int)
cdef void copy_decks(State target, State source) noexcept
