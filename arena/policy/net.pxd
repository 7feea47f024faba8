# C types for net.py.
cimport cython
from arena.game.engine cimport State
from arena.policy.evaluator cimport Evaluator, SLOTS
from arena.policy.features cimport HAND, STONE, hand_features, stone_features

cdef extern from "math.h" nogil:
    double ldexp(double x, int n)

cdef extern from *:
    """
    static inline int st_floor(double x){ int n = (int)x; return n - (x < n); }
    """
    int floor "st_floor"(double x) noexcept nogil

cdef enum:
    HIDDEN = 32     # of a stone
    CODE = 16
    MIDDLE = 32     # of a position

@cython.locals(n=cython.int, r=cython.double, p=cython.double, i=cython.int)
cpdef double exponential(double x) noexcept nogil
cpdef double logistic(double x) noexcept nogil

cdef class Net(Evaluator):
    cdef double weights[7793]
    cdef double x[48]
    cdef double z[19008]        # by slot
    @cython.locals(x=cython.p_double, hidden=cython.double[32], code=cython.double[16], z=cython.double[32],
                   w=cython.p_double, at=cython.int, i=cython.int, j=cython.int)
    cdef void judge(self, State board, int s, int slot) noexcept
    @cython.locals(g=cython.p_double, middle=cython.double[32], w=cython.p_double, at=cython.int, to=cython.int,
                   s=cython.int, i=cython.int, j=cython.int, out=cython.double)
    cdef double combine(self, State board) noexcept
