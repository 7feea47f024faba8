# C types for net.py.
cimport cython
from arena.game.cards cimport u32
from arena.game.engine cimport State
from arena.policy.evaluator cimport Evaluator, SLOTS
from arena.policy.inputs cimport HAND, STONE, hand_features, my_features, their_features
from arena.policy.layers cimport add32, copy32, dot32, narrow, relu32, rows32, widen
from arena.policy.stones cimport STEP, compare, known_chance

cdef extern from *:
    """
    static inline int st_floor(double x){ int n = (int)x; return n - (x < n); }
    """
    int floor "st_floor"(double x) noexcept nogil

cdef enum:
    HIDDEN = 32     # of a stone
    CODE = 16
    MIDDLE = 32     # of a position
    B1 = 1536       # where the arrays begin; the first at 0
    W2 = 1568
    W3 = 2096
    WG = 6704
    B3 = 7728
    W4 = 7760
    B4 = 7792

cdef double POWER2[128]

@cython.locals(i=cython.int)
cpdef void fill_tables()
@cython.locals(n=cython.int, r=cython.double, t=cython.double, even=cython.double, odd=cython.double)
cpdef double exponential(double x) noexcept nogil
cpdef double logistic(double x) noexcept nogil

cdef class Net(Evaluator):
    cdef float weights[7793]
    cdef float x[48]
    cdef float hidden[32]
    cdef float code[16]
    cdef float halves[320]      # what the other's sides bring to the hidden layer, by place in `others`
    cdef u32 known[10]          # the versions that this was made from
    cdef float z[19008]         # what stones bring to the middle layer, by slot
    cdef float hands[1952]      # what the hand brings to it, by the card that has left it, then any other
    cdef u32 hand_stamp[60]     # the look in which that was made
    @cython.locals(p=cython.int, x=cython.p_float, w=cython.p_float, hidden=cython.p_float, chance=cython.double,
                   at=cython.int)
    cdef void judge(self, State board, int s, int slot) noexcept
    @cython.locals(x=cython.p_float, to=cython.int)
    cdef void their_half(self, State board, int s, int at) noexcept
    @cython.locals(x=cython.p_float, w=cython.p_float, middle=cython.p_float, at=cython.int, s=cython.int)
    cdef double combine(self, State board) noexcept
