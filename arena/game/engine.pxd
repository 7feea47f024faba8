# C types for engine.py.
cimport cython
from libc.string cimport memcpy
from arena.game.board cimport *
from arena.game.buffers cimport words_of
from arena.game.cards cimport *
from arena.game.moves cimport Move, SeatLog
from arena.game.playouts cimport deal_rest, place_known, play_out, unplaced
from arena.game.rng cimport Rng
from arena.game.turns cimport (CODES, add_known, hidden_clan, hidden_tactics, is_legal, legal_codes, load_decks, perform, set_rules,
                               start_game)

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(object o)

cdef extern from *:
    """
    /* a list of shared objects, without building a number or looking one up twice */
    static PyObject *st_list(unsigned short *codes, Py_ssize_t n, PyObject *table){
        PyObject *list = PyList_New(n);
        if (!list) return NULL;
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *x = PyTuple_GET_ITEM(table, codes[i]);
            Py_INCREF(x); PyList_SET_ITEM(list, i, x);
        }
        return list;
    }
    """
    list st_list(u16 *codes, Py_ssize_t n, tuple table)

cdef class View

cdef inline bint is_spare(object view):
    """Return whether only the state and its caller's variable still hold this object."""
    return Py_REFCNT(view) == 2

@cython.final
cdef class State(Board):
    cdef View spare             # the last view made: if nobody keeps it, its memory is used again
    @cython.locals(n=cython.int)
    cpdef list legal_moves(self)
    @cython.locals(code=cython.int)
    cpdef apply(self, Move move)
    @cython.locals(n=cython.int, code=cython.int, seat=cython.int, asked_0=cython.int, asked_1=cython.int, ask_0=cython.bint, ask_1=cython.bint, move=Move, moves=list, rng_0=Rng, rng_1=Rng, seen=View, codes=cython.p_ushort, room=Py_ssize_t)
    cpdef tuple play_by(self, tuple choosers, tuple rngs, tuple forced, trail, int at, list notes)
    @cython.locals(state=State)
    cpdef State copy(self)
    @cython.locals(seen=View, i=cython.int, p=cython.int, log=SeatLog)
    cpdef View view(self, int seat, Rng rng=*, clock=*)
    @cython.locals(n=cython.int, i=cython.int, total=cython.longlong, codes=list, state=State)
    cpdef long long perft(self, int depth)
    @cython.locals(state=State)
    cpdef int rollout(self, Rng rng)

@cython.final
cdef class View(Board):
    cdef readonly int seat
    cdef readonly object rng
    cdef readonly object clock
    cdef readonly str noted     # what the bot says with its move, see arena.game.notes
    cdef SeatLog log
    cdef int log_length
    @cython.locals(state=State)
    cpdef State sample(self, Rng rng, hand=*, deck=*, tactic_deck=*)
    cdef int sample_into(self, State state, Rng rng) except -1
    @cython.locals(state=State, seen=View, code=cython.int)
    cpdef View after(self, Move move)

@cython.locals(i=cython.int, back=u64, place=cython.int, flags=cython.int)
cdef u64 mixed(Board board, u64 h) noexcept nogil
