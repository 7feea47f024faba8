# C types for moves.py.
cimport cython

@cython.final
cdef class Move:
    cdef readonly int index
    cdef readonly str text
    cdef readonly str kind
    cdef readonly str card
    cdef readonly object stone
    cdef readonly str binding

# In C only: no bot can exchange the tables that the engine reads by number without a look at their length.
cdef tuple SEVEN
cdef tuple EIGHT
cpdef tuple moves_by_number(spy)

cdef enum:          # the numbers of the first moves of each block, see moves.py
    RUSE = 585
    PASS = 589
    TAKE_CODE = 590
    DISCARD = 1157
    CLAIM = 1158
    NO_CLAIM = 1167
    DRAW = 1168
    RETURN = 1170
    BIND = 1239
    BIND_SPY = 1779
    BIND_BEARER = 1833
