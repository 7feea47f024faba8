# C types for net.py.
cimport cython
from arena.game.cards cimport u32
from arena.game.engine cimport State
from arena.policy.evaluator cimport Evaluator, SLOTS
from arena.policy.inputs cimport HAND, STONE, hand_features, my_features, their_features
from arena.policy.stones cimport STEP, compare, known_chance

# The layers: the same sums in the same order as in net.py, as many at a time as the processor's vectors hold: gcc 12 keeps
# longer ones in memory (64 bytes under AVX2 made the net twice as slow as 32).
cdef extern from *:
    """
    #ifndef ARENA_LAYERS
    #define ARENA_LAYERS
    #include <string.h>
    #if !defined(__GNUC__)
    #define ST_LANES 1
    typedef float st_v;
    #else
    #if defined(__AVX512F__)
    #define ST_LANES 16
    #elif defined(__AVX__)
    #define ST_LANES 8
    #else
    #define ST_LANES 4
    #endif
    typedef float st_v __attribute__((vector_size(4 * ST_LANES), aligned(4), may_alias));
    #endif
    #define ST_AT(p) (*(const st_v *)(p))
    #define ST_PUT(p) (*(st_v *)(p))
    static inline float st_relu(float x){ return x > 0.0f ? x : 0.0f; }
    static inline void st_copy32(float *out, int o, const float *x, int i){ memmove(out + o, x + i, 32 * sizeof(float)); }
    static inline void st_add32(float *out, int o, const float *x, int i){
        for (int j = 0; j < 32; j += ST_LANES) ST_PUT(out + o + j) = ST_AT(out + o + j) + ST_AT(x + i + j);
    }
    static inline void st_rows32(float *restrict out, int o, const float *restrict w, int at,
                                 const float *restrict x, int i, int n){
        st_v sums[32 / ST_LANES];
        for (int j = 0; j < 32 / ST_LANES; j++) sums[j] = ST_AT(out + o + j * ST_LANES);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < 32 / ST_LANES; j++) sums[j] += ST_AT(w + at + 32 * k + j * ST_LANES) * x[i + k];
        for (int j = 0; j < 32 / ST_LANES; j++) ST_PUT(out + o + j * ST_LANES) = sums[j];
    }
    static inline void st_relu32(float *x){ for (int j = 0; j < 32; j++) x[j] = st_relu(x[j]); }
    static inline void st_narrow(float *restrict out, const float *restrict w, int at, const float *restrict x){
        w += at;
        for (int j = 0; j < 16; j += ST_LANES) {
            st_v a = ST_AT(w + 512 + j), b = {0}, c = {0}, d = {0};
            for (int k = 0; k < 32; k += 4) {
                a += ST_AT(w + 16 * k + j) * x[k];
                b += ST_AT(w + 16 * k + 16 + j) * x[k + 1];
                c += ST_AT(w + 16 * k + 32 + j) * x[k + 2];
                d += ST_AT(w + 16 * k + 48 + j) * x[k + 3];
            }
            ST_PUT(out + j) = (a + b) + (c + d);
        }
        for (int j = 0; j < 16; j++) out[j] = st_relu(out[j]);
    }
    static inline void st_widen(float *restrict out, int o, const float *restrict w, int at, const float *restrict x){
        w += at;
        for (int j = 0; j < 32; j += ST_LANES) {
            st_v a = {0}, b = {0};
            for (int k = 0; k < 16; k += 2) {
                a += ST_AT(w + 32 * k + j) * x[k];
                b += ST_AT(w + 32 * k + 32 + j) * x[k + 1];
            }
            ST_PUT(out + o + j) = a + b;
        }
    }
    static inline float st_dot32(const float *x, const float *w, int at){
        float p[32];
        for (int j = 0; j < 32; j++) p[j] = st_relu(x[j]) * w[at + j];
        for (int j = 0; j < 16; j++) p[j] += p[j + 16];
        for (int j = 0; j < 8; j++) p[j] += p[j + 8];
        for (int j = 0; j < 4; j++) p[j] += p[j + 4];
        return (p[0] + p[2]) + (p[1] + p[3]);
    }
    #endif
    """
    void copy32 "st_copy32"(float *out, int o, const float *x, int i) noexcept nogil
    void add32 "st_add32"(float *out, int o, const float *x, int i) noexcept nogil
    void rows32 "st_rows32"(float *out, int o, const float *w, int at, const float *x, int i, int n) noexcept nogil
    void relu32 "st_relu32"(float *x) noexcept nogil
    void narrow "st_narrow"(float *out, const float *w, int at, const float *x) noexcept nogil
    void widen "st_widen"(float *out, int o, const float *w, int at, const float *x) noexcept nogil
    float dot32 "st_dot32"(const float *x, const float *w, int at) noexcept nogil

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
