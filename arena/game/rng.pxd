# C types for rng.py.
cimport cython
from arena.game.cards cimport u64

cdef extern from *:
    """
    static inline unsigned long long st_mix(unsigned long long *state){
        unsigned long long z = (*state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    static inline unsigned long long st_below(unsigned long long *state, unsigned long long n){
        unsigned long long m = (st_mix(state) >> 32) * n;
        if ((m & 0xFFFFFFFFULL) < n) {
            unsigned long long least = (0x100000000ULL - n) % n;
            while ((m & 0xFFFFFFFFULL) < least) m = (st_mix(state) >> 32) * n;
        }
        return m >> 32;
    }
    """
    u64 mix "st_mix"(u64 *state) noexcept nogil
    u64 below32 "st_below"(u64 *state, u64 n) noexcept nogil

@cython.final
cdef class Rng:
    cdef u64 _state
    cdef inline u64 step(self) noexcept nogil:
        return mix(&self._state)
    cdef inline u64 pick(self, u64 n) noexcept nogil:
        return below32(&self._state, n)
    @cython.locals(pool=bytearray, at=cython.p_uchar, i=cython.int, j=cython.int, kept=cython.uchar)
    cpdef bytes shuffled(self, bytes items)
