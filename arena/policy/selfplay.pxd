# C types for selfplay.py.
cimport cython
from arena.game.bits cimport u64
from arena.game.board cimport copy_block
from arena.game.choices cimport PLAY, PUT, TAKE
from arena.game.engine cimport State
from arena.game.rng cimport Rng
from arena.policy.evaluator cimport Evaluator
from arena.policy.features cimport ALL, position_features

@cython.final
cdef class Recorder:
    cdef float[:] numbers
    cdef int[:] games
    cdef signed char[:] seats
    cdef float[:] values
    cdef readonly int count
    cdef float x[464]
    @cython.locals(at=cython.int, i=cython.int)
    cdef void write(self, Evaluator evaluator, State board, int game, double value)

@cython.locals(state=State, game=cython.int)
cpdef list play_games(rules, tuple players, int first, int count, seed, double noise=*, double keep=*,
                      Recorder recorder=*)
@cython.locals(evaluator=Evaluator, playing=cython.bint, n=cython.int, best=cython.int)
cdef play(State state, Evaluator zero, Evaluator one, Rng rng, double noise, double keep, Recorder recorder, int game)
