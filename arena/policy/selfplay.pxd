# C types for selfplay.py.
cimport cython
from arena.game.board cimport PLAY, PUT, TAKE
from arena.game.engine cimport State
from arena.game.rng cimport Rng
from arena.game.turns cimport legal_codes, perform
from arena.policy.evaluator cimport Evaluator
from arena.policy.inputs cimport Recorder

@cython.locals(state=State, game=cython.int)
cpdef list play_games(rules, tuple players, int first, int count, seed, double noise=*, double keep=*,
                      Recorder recorder=*)
@cython.locals(evaluator=Evaluator, playing=cython.bint, n=cython.int, best=cython.int, after=State)
cdef play(State state, Evaluator zero, Evaluator one, Rng rng, double noise, double keep, Recorder recorder, int game)
