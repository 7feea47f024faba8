# C types for net.py.
cimport cython
from arena.game.board cimport provable
from arena.game.cards cimport u32, u64, ALL60, PLANE, ctz, group, popcount
from arena.game.engine cimport State
from arena.policy.evaluator cimport Evaluator, SLOTS
from arena.policy.inputs cimport HAND, STONE, hand_features, my_features, side_colour, their_features
from arena.policy.stones cimport STEP, compare, known_chance

# The layers, in 32-bit floats: sums in a fixed order, as many at a time as the processor's vectors hold: gcc 12 keeps
# longer ones in memory (64 bytes under AVX2 made the net twice as slow as 32). Arrays are flat; a matrix of weights has a
# row of outputs for each input.
#   copy64, clear64   set out[o:o + 64] to x[i:i + 64], to 0
#   row64             add to out[o:o + 64] the 64 weights from w[at] on, times x
#   note64            note the 64 weights from w[at] on, times x, for the next sum
#   notes64           note the n rows of weights from w[at] on, each times its input from x[i] on, but for inputs of 0
#   sum64             add what was noted to out[o:o + 64] in that order, and forget it
#   relu64            replace negative numbers among the 64 by 0
#   narrow            the 16 outputs of a layer with 64 inputs, at least 0; the biases follow the weights at w[at]
#   widen             set out[o:o + 64] to the weights at w[at] times 16 inputs
#   dot64             the sum of 64 weights times the non-negative parts of the inputs, adding halves to halves
cdef extern from *:
    """
    #ifndef ARENA_LAYERS
    #define ARENA_LAYERS
    #include <string.h>
    #if !defined(__GNUC__)
    #define ST_LANES 1
    #define ST_UNROLL
    #define ST_POSITIVE(v) st_relu(v)
    typedef float st_v;
    #else
    #if defined(__AVX512F__)
    #define ST_LANES 16
    #elif defined(__AVX__)
    #define ST_LANES 8
    #else
    #define ST_LANES 4
    #endif
    #define ST_UNROLL _Pragma("GCC unroll 16") /* sums in an array stay in registers only so */
    #define ST_POSITIVE(v) ((st_v)((st_bits)(v) & ((v) > 0.0f)))
    typedef float st_v __attribute__((vector_size(4 * ST_LANES), aligned(4), may_alias));
    typedef int st_bits __attribute__((vector_size(4 * ST_LANES), aligned(4), may_alias));
    #endif
    #define ST_ALL(lane) ST_UNROLL for (int lane = 0; lane < 64 / ST_LANES; lane++)
    #define ST_AT(p) (*(const st_v *)(p))
    #define ST_PUT(p) (*(st_v *)(p))
    static inline float st_relu(float x){ return x > 0.0f ? x : 0.0f; }
    static inline void st_copy64(float *out, int o, const float *x, int i){ memmove(out + o, x + i, 64 * sizeof(float)); }
    static inline void st_clear64(float *out, int o){ memset(out + o, 0, 64 * sizeof(float)); }
    static inline void st_row64(float *restrict out, int o, const float *restrict w, int at, float x){
        for (int j = 0; j < 64; j += ST_LANES) ST_PUT(out + o + j) = ST_AT(out + o + j) + ST_AT(w + at + j) * x;
    }
    typedef struct { const float *w; float x; } st_term;
    typedef struct { int count; st_term all[64]; } st_terms; /* a hand notes the most: 55 */
    static inline void st_note64(st_terms *terms, const float *w, int at, float x){
        terms->all[terms->count].w = w + at;
        terms->all[terms->count++].x = x;
    }
    static inline void st_notes64(st_terms *terms, const float *w, int at, const float *x, int i, int n){
        for (int k = 0; k < n; k++) if (x[i + k] != 0.0f) st_note64(terms, w, at + 64 * k, x[i + k]);
    }
    static inline void st_sum64(float *restrict out, int o, st_terms *restrict terms){
        st_v sums[64 / ST_LANES];
        ST_ALL(j) sums[j] = ST_AT(out + o + j * ST_LANES);
        for (const st_term *one = terms->all, *end = one + terms->count; one < end; one++)
            ST_ALL(j) sums[j] += ST_AT(one->w + j * ST_LANES) * one->x;
        ST_ALL(j) ST_PUT(out + o + j * ST_LANES) = sums[j];
        terms->count = 0;
    }
    static inline void st_relu64(float *x){ ST_ALL(j) ST_PUT(x + j * ST_LANES) = ST_POSITIVE(ST_AT(x + j * ST_LANES)); }
    static inline void st_narrow(float *restrict out, const float *restrict w, int at, const float *restrict x){
        for (int j = 0; j < 16; j += ST_LANES) {
            const float *row = w + at + j;
            st_v a = ST_AT(row + 1024), b = {0}, c = {0}, d = {0};
            for (const float *one = x; one < x + 64; one += 4, row += 64) {
                a += ST_AT(row) * one[0];
                b += ST_AT(row + 16) * one[1];
                c += ST_AT(row + 32) * one[2];
                d += ST_AT(row + 48) * one[3];
            }
            a = (a + b) + (c + d);
            ST_PUT(out + j) = ST_POSITIVE(a);
        }
    }
    static inline void st_widen(float *restrict out, int o, const float *restrict w, int at, const float *restrict x){
        for (int j = 0; j < 64; j += 2 * ST_LANES) {
            const float *row = w + at + j;
            st_v a = {0}, b = {0}, c = {0}, d = {0};
            for (const float *one = x; one < x + 16; one += 2, row += 128) {
                a += ST_AT(row) * one[0];
                b += ST_AT(row + 64) * one[1];
                c += ST_AT(row + ST_LANES) * one[0];
                d += ST_AT(row + 64 + ST_LANES) * one[1];
            }
            ST_PUT(out + o + j) = a + b;
            ST_PUT(out + o + j + ST_LANES) = c + d;
        }
    }
    static inline float st_dot64(const float *x, const float *w, int at){
        float p[64];
        for (int j = 0; j < 64; j += ST_LANES) ST_PUT(p + j) = ST_POSITIVE(ST_AT(x + j)) * ST_AT(w + at + j);
        for (int half = 32; half > 8; half /= 2)
            for (int j = 0; j < half; j += ST_LANES) ST_PUT(p + j) = ST_AT(p + j) + ST_AT(p + j + half);
        for (int j = 0; j < 8; j++) p[j] += p[j + 8];
        for (int j = 0; j < 4; j++) p[j] += p[j + 4];
        return (p[0] + p[2]) + (p[1] + p[3]);
    }
    #endif
    """
    ctypedef struct st_terms:
        pass
    void copy64 "st_copy64"(float *out, int o, const float *x, int i) noexcept nogil
    void clear64 "st_clear64"(float *out, int o) noexcept nogil
    void row64 "st_row64"(float *out, int o, const float *w, int at, float x) noexcept nogil
    void note64 "st_note64"(st_terms *terms, const float *w, int at, float x) noexcept nogil
    void notes64 "st_notes64"(st_terms *terms, const float *w, int at, const float *x, int i, int n) noexcept nogil
    void sum64 "st_sum64"(float *out, int o, st_terms *terms) noexcept nogil
    void relu64 "st_relu64"(float *x) noexcept nogil
    void narrow "st_narrow"(float *out, const float *w, int at, const float *x) noexcept nogil
    void widen "st_widen"(float *out, int o, const float *w, int at, const float *x) noexcept nogil
    float dot64 "st_dot64"(const float *x, const float *w, int at) noexcept nogil

cdef extern from *:
    """
    static inline int st_floor(double x){ int n = (int)x; return n - (x < n); }
    """
    int floor "st_floor"(double x) noexcept nogil

ctypedef st_terms *p_terms

cdef enum:
    HIDDEN = 64     # of a stone
    CODE = 16
    MIDDLE = 64     # of a position
    B1 = 6400       # where the arrays begin; the first at 0
    WH = 6464
    WR = 7744
    W2 = 8000
    W3 = 9040
    WG = 18256
    B3 = 21776
    W4 = 21840
    B4 = 21904

cdef double POWER2[128]

@cython.locals(i=cython.int)
cpdef void fill_layers()
@cython.locals(n=cython.int, r=cython.double, t=cython.double, even=cython.double, odd=cython.double)
cpdef double exponential(double x) noexcept nogil
cpdef double logistic(double x) noexcept nogil

cdef class Net(Evaluator):
    cdef float weights[21905]
    cdef float x[100]
    cdef st_terms terms[1]      # rows of weights that the next sum adds
    cdef float hidden[64]
    cdef float code[16]
    cdef float halves[640]      # what the other seat's sides contribute to the hidden layer, by place in `others`
    cdef u32 known[10]          # the versions that this was made from
    cdef float z[38016]         # what stones contribute to the middle layer, by slot
    cdef float hands[3904]      # what the hand contributes to it, by the card that has left it, then any other
    cdef u32 hand_stamp[60]     # the value of `looks` when that was made
    cdef float wanted[3968]     # what hand and unseen cards bring to stones that want cards: likewise; unseen cards alone
    cdef u32 wanted_stamp[62]
    cdef u64 wanted_hand[61]
    cdef float colours[384]     # what the unseen cards of a colour contribute to a side of it
    cdef u32 colour_stamp[6]
    cdef int claims             # claimable stones in the position judged: the seat's, from bit 9 on the other's
    cdef int root_claims        # the same in the current position
    cdef void begin(self, State board) noexcept
    @cython.locals(changed=cython.int)
    cdef int news(self, State board) noexcept
    cdef int claims_of(self, State board) noexcept
    @cython.locals(p=cython.int, x=cython.p_float, w=cython.p_float, terms=p_terms, hidden=cython.p_float,
                   chance=cython.double, at=cython.int)
    cdef void judge(self, State board, int s, int slot) noexcept
    @cython.locals(p=cython.int, clan=u64, colour=cython.int, cards=u64)
    cdef void my_cards(self, State board, int s) noexcept
    cdef void note_cards(self, int at, u64 cards) noexcept
    @cython.locals(at=cython.int)
    cdef int wanted_by(self, u64 hand) noexcept
    @cython.locals(k=cython.int, v=cython.int)
    cdef void add_values(self, int to, int at, u64 cards) noexcept
    @cython.locals(x=cython.p_float, w=cython.p_float, terms=p_terms, to=cython.int, q=cython.int, colour=cython.int)
    cdef void their_half(self, State board, int s, int at) noexcept
    @cython.locals(x=cython.p_float, w=cython.p_float, terms=p_terms, middle=cython.p_float, at=cython.int, s=cython.int)
    cdef double combine(self, State board) noexcept
