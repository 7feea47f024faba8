# C types for packing.py.
cimport cython
from arena.game.cards cimport u64, u16, u8
from arena.game.board cimport Board, copy_block, memcpy
from arena.game.turns cimport CODES, legal_codes
from arena.game.engine cimport State, View, is_spare, st_list
from arena.game.moves cimport Move
from arena.game.rng cimport Rng
from arena.game.event_log cimport SeatLog

cdef extern from "Python.h":
    bytes PyBytes_FromStringAndSize(const char *data, Py_ssize_t n)
    char *PyBytes_AS_STRING(object data)
    Py_ssize_t PyBytes_GET_SIZE(object data)

cdef inline Py_ssize_t block_size(Board board) noexcept:
    return <char*>&board.block_end - <char*>&board.sides[0]

cdef inline bytes packed(View view, int told):
    """seat, place in the history, number of new events (2 bytes each), the events, the memory of the board"""
    cdef Py_ssize_t size = block_size(view)
    if view.log_length < told:
        raise ValueError("the view is older than what was told")
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

cdef extern from *:
    """
    #ifndef _WIN32
    #include <errno.h>
    #include <poll.h>
    #include <sched.h>
    #include <unistd.h>
    /* Write n bytes, wait at most ms for an answer, read it. Bytes read; 0 none in time; -1 otherwise. *sent: written */
    static long st_exchange(int out, int in, const char *data, long n, char *back, long room, int ms, long *sent){
        struct pollfd one;
        long got;
        *sent = 0;
        got = (long)write(out, data, (size_t)n);
        if (got > 0) *sent = got;
        if (got != n) return -1;
        sched_yield();   /* a child on this core answers now, without putting us to sleep and waking us */
        got = (long)read(in, back, (size_t)room);
        if (got >= 0 || errno != EAGAIN) return got > 0 ? got : -1;
        one.fd = in; one.events = POLLIN; one.revents = 0;
        if (poll(&one, 1, ms) <= 0) return 0;
        got = (long)read(in, back, (size_t)room);
        return got > 0 ? got : -1;
    }
    /* Read once, again if a signal came between; -1 at the end or for an error. */
    static long st_read(int in, char *back, long room){
        long got;
        do got = (long)read(in, back, (size_t)room); while (got < 0 && errno == EINTR);
        return got > 0 ? got : -1;
    }
    static long st_write(int out, const char *data, long n){ return (long)write(out, data, (size_t)n); }
    #else
    static long st_exchange(int out, int in, const char *data, long n, char *back, long room, int ms, long *sent){
        *sent = 0; return -1;
    }
    static long st_read(int in, char *back, long room){ return -1; }
    static long st_write(int out, const char *data, long n){ return -1; }
    #endif
    """
    long st_exchange(int out, int back, const char *data, long n, char *answer, long room, int ms, long *sent) nogil
    long st_read(int back, char *answer, long room) nogil
    long st_write(int out, const char *data, long n) nogil

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
    cdef public int asked
    cpdef begin(self, seed)
    @cython.locals(seen=View, stop=Py_ssize_t, state=State, n=cython.int)
    cpdef tuple read(self, bytes data, Py_ssize_t at, clock=*)

cdef inline void put32(char *to, unsigned int number) noexcept nogil:
    to[0] = <char>(number & 255)
    to[1] = <char>(number >> 8 & 255)
    to[2] = <char>(number >> 16 & 255)
    to[3] = <char>(number >> 24 & 255)

cdef inline unsigned int get32(const char *source) noexcept nogil:
    return (<unsigned char>source[0] | <unsigned int><unsigned char>source[1] << 8
            | <unsigned int><unsigned char>source[2] << 16 | <unsigned int><unsigned char>source[3] << 24)

cdef inline unsigned int get16(const char *source) noexcept nogil:
    return <unsigned char>source[0] | <unsigned int><unsigned char>source[1] << 8

cdef char SPACE[65536]

@cython.final
cdef class Line:
    cdef int out
    cdef int back
    cdef bytes begun
    cdef int told
    cdef readonly unsigned int question
    cdef readonly bytes data
    cdef readonly bytes unsent
    cpdef begin(self, bytes message)
    cpdef unsigned int count(self)
    @cython.locals(begun=bytes, told=cython.int)
    cpdef tuple tell(self, View view)
    @cython.locals(begun=bytes, told=cython.int)
    cpdef int ask(self, View view, int flags, double move_ms, double bank_ms) except -2

cdef inline int exchange(Line line, bytes begun, bytes image, unsigned int question, int flags, double move_ms,
                         double bank_ms) except -2:
    """Line.ask for the image of a view."""
    cdef long first = PyBytes_GET_SIZE(begun)
    cdef long size = PyBytes_GET_SIZE(image)
    cdef bytes message = PyBytes_FromStringAndSize(NULL, first + 26 + size)
    cdef char *start = PyBytes_AS_STRING(message)
    cdef char *to = start + first
    cdef long got, sent = 0
    cdef char answer[4096]
    memcpy(start, PyBytes_AS_STRING(begun), first)
    put32(to, size + 21)
    to[4] = 4
    put32(to + 5, question)
    to[9] = <char>flags
    memcpy(to + 10, &move_ms, 8)
    memcpy(to + 18, &bank_ms, 8)
    memcpy(to + 26, PyBytes_AS_STRING(image), size)
    size += first + 26
    with nogil:
        got = st_exchange(line.out, line.back, start, size, answer, 4096, 20, &sent)
    if got == 11 and get32(answer) == 6 and answer[4] == 13 and get32(answer + 5) == question:
        return get16(answer + 9)
    line.unsent = message[sent:] if sent < size else b""
    line.data = PyBytes_FromStringAndSize(answer, got) if got > 0 else b""
    return -1

cdef inline bytes read_once(int back):
    """What a pipe has, None at its end."""
    cdef long got
    with nogil:
        got = st_read(back, SPACE, 65536)
    return PyBytes_FromStringAndSize(SPACE, got) if got > 0 else None

cdef inline bint is_question(bytes data):
    """Is this one whole question?"""
    cdef char *head = PyBytes_AS_STRING(data)
    cdef long size = PyBytes_GET_SIZE(data)
    return size >= 26 and head[4] == 4 and get32(head) == <unsigned int>(size - 5)

cdef inline unsigned int question_of(bytes data) noexcept:
    return get32(PyBytes_AS_STRING(data) + 5)

cdef inline bint has_clock(bytes data) noexcept:
    return PyBytes_AS_STRING(data)[9] != 0

cdef inline bint reply(int out, unsigned int question, int move):
    """Answer; False if the pipe did not take it."""
    cdef char to[11]
    put32(to, 6)
    to[4] = 13
    put32(to + 5, question)
    to[9] = <char>(move & 255)
    to[10] = <char>(move >> 8)
    return st_write(out, to, 11) == 11

@cython.locals(data=bytes, seen=View, moves=list, question="unsigned int", move=Move)
cpdef tuple answer_line(int back, int out, Desk desk, act, clock_of)
