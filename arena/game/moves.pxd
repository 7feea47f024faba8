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
