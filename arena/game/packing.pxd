# C types for packing.py.
cimport cython
from arena.game.cards cimport u32, u16, u8
from libc.string cimport memcpy
from arena.game.board cimport Board, copy_block
from arena.game.turns cimport CODES, legal_codes
from arena.game.engine cimport State, View, is_spare, st_list
from arena.game.moves cimport Move, SeatLog
from arena.game.rng cimport Rng

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
    cdef u16 *head = [<u16>view.seat, <u16>told, <u16>events]
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

cdef packed struct Question:    # QUESTION and REPLY of packing.py
    u32 size
    u8 kind
    u32 number
    u8 flags
    double move_ms
    double bank_ms

cdef packed struct Reply:
    u32 size
    u8 kind
    u32 number
    u16 move

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
    @cython.locals(begun=bytes, image=bytes)
    cpdef int ask(self, View view, int flags, double move_ms, double bank_ms) except -2

cdef inline int exchange(Line line, bytes begun, bytes image, int flags, double move_ms, double bank_ms) except -2:
    """Line.ask for the image of a view."""
    cdef long first = PyBytes_GET_SIZE(begun)
    cdef long size = PyBytes_GET_SIZE(image)
    cdef bytes message = PyBytes_FromStringAndSize(NULL, first + 26 + size)
    cdef char *start = PyBytes_AS_STRING(message)
    cdef long got, sent = 0
    cdef char answer[4096]
    cdef Reply *reply = <Reply*>answer
    cdef Question head = Question(<u32>(size + 21), 4, line.question, <u8>flags, move_ms, bank_ms)
    memcpy(start, PyBytes_AS_STRING(begun), first)
    memcpy(start + first, &head, 26)
    memcpy(start + first + 26, PyBytes_AS_STRING(image), size)
    size += first + 26
    with nogil:
        got = st_exchange(line.out, line.back, start, size, answer, 4096, 20, &sent)
    if got == 11 and reply.size == 6 and reply.kind == 13 and reply.number == line.question:
        return reply.move
    line.unsent = message[sent:] if sent < size else b""
    line.data = PyBytes_FromStringAndSize(answer, got) if got > 0 else b""
    return -1

cdef inline bytes read_once(int back):
    """What a pipe has, None at its end."""
    cdef long got
    with nogil:
        got = st_read(back, SPACE, 65536)
    return PyBytes_FromStringAndSize(SPACE, got) if got > 0 else None

cdef inline u32 question_of(bytes data) noexcept:
    """The number of a question, 0 if the data are not exactly one."""
    cdef Question *head = <Question*>PyBytes_AS_STRING(data)
    cdef long size = PyBytes_GET_SIZE(data)
    return head.number if size >= 26 and head.kind == 4 and head.size == <u32>(size - 5) else 0

cdef inline bint reply(int out, u32 question, int move):
    """Answer; False if the pipe did not take it."""
    cdef Reply said = Reply(6, 13, question, <u16>move)
    return st_write(out, <char*>&said, 11) == 11

@cython.locals(data=bytes, seen=View, moves=list, question=u32, move=Move)
cpdef tuple answer_line(int back, int out, Desk desk, act, clock_of)
