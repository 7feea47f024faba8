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
