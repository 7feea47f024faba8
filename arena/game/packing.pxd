# C types for packing.py.
cimport cython
from arena.game.bits cimport u64, u16, u8
from arena.game.board cimport Board, copy_block, memcpy
from arena.game.choices cimport CODES
from arena.game.engine cimport State, View, is_spare, st_list
from arena.game.moves cimport Move
from arena.game.rng cimport Rng
from arena.game.seatlog cimport SeatLog

cdef extern from "Python.h":
    bytes PyBytes_FromStringAndSize(const char *data, Py_ssize_t n)
    char *PyBytes_AS_STRING(object data)
    Py_ssize_t PyBytes_GET_SIZE(object data)

cdef inline Py_ssize_t block_size(Board board) noexcept:
    return <char*>&board.block_end - <char*>&board.sides[0]

cdef inline bytes packed(View view, int told):
    """seat, place in the history, number of new events (2 bytes each), the events, the memory of the board"""
    cdef Py_ssize_t size = block_size(view)
    cdef int events = view.log_length - told if view.log is not None else 0
    cdef bytes out = PyBytes_FromStringAndSize(NULL, 6 + 2 * events + size)
    cdef char *to = PyBytes_AS_STRING(out)
    cdef u16 head[3]
    head[0] = <u16>view.seat
    head[1] = <u16>told
    head[2] = <u16>events
    memcpy(to, head, 6)
    if events > 0:
        memcpy(to + 6, &view.log.codes[told], 2 * events)
    memcpy(to + 6 + 2 * events, &view.sides[0], size)
    return out

cdef inline Py_ssize_t unpacked(View view, SeatLog log, bytes data, Py_ssize_t at):
    """The place behind the view, or -1 if the bytes are too few or the log does not fit."""
    cdef Py_ssize_t size = block_size(view)
    cdef Py_ssize_t left = PyBytes_GET_SIZE(data) - at
    cdef char *source = PyBytes_AS_STRING(data) + at
    cdef u16 head[3]
    if at < 0 or left < 6 + size:
        return -1
    memcpy(head, source, 6)
    if left < 6 + 2 * head[2] + size or head[0] > 1 or head[1] != log.n or log.n + head[2] > 768:
        return -1
    memcpy(&log.codes[log.n], source + 6, 2 * head[2])
    log.n += head[2]
    view.seat = head[0]
    memcpy(&view.sides[0], source + 6 + 2 * head[2], size)
    view.log_length = log.n
    return at + 6 + 2 * head[2] + size

@cython.locals(view=View)
cpdef bytes pack_view(View view, int told)
cpdef int events_of(View view)

@cython.final
cdef class Desk:
    cdef readonly object rules
    cdef tuple table
    cdef SeatLog log
    cdef Rng rng
    cdef View spare
    cdef State state
    cpdef begin(self, seed)
    @cython.locals(seen=View, stop=Py_ssize_t, state=State, n=cython.int)
    cpdef tuple read(self, bytes data, Py_ssize_t at, clock=*)

@cython.locals(out=bytearray, to="unsigned char[:]", i=cython.int, number=cython.int, desk=Desk, move=Move)
cpdef tuple answer_all(list desks, list acts, bytes data, Py_ssize_t at, int count)

@cython.final
cdef class Tables:
    cdef list states
    cdef u8 forced[64][2]
    cdef int told[64][2]
    cdef int asked[64][2]
    cdef int made[64]
    cdef u16 codes[64][2048]
    @cython.locals(seat=cython.int)
    cpdef sit(self, int k, State state, tuple forced)
    @cython.locals(state=State, n=cython.int, seat=cython.int)
    cpdef int advance(self, int k) except -2
    cdef note(self, int k, int code)
    @cython.locals(state=State, seat=cython.int, seen=View, told=cython.int)
    cpdef bytes ask(self, int k)
    @cython.locals(state=State, code=cython.int)
    cpdef bint answer(self, int k, bytes data, Py_ssize_t at) except -1
    @cython.locals(i=cython.int)
    cpdef list moves_of(self, int k)
