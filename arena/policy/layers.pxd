# C side of layers.py: the same sums in the same order, 16 numbers at a time where the compiler knows vectors.
cdef extern from *:
    """
    #ifndef ARENA_LAYERS
    #define ARENA_LAYERS
    #include <string.h>
    #if defined(__GNUC__)
    typedef float st_f16 __attribute__((vector_size(64), aligned(4), may_alias));
    #define ST_AT(p) (*(const st_f16 *)(p))
    #define ST_PUT(p, v) (*(st_f16 *)(p) = (v))
    #define ST_MUL(v, s) ((v) * (s))
    #define ST_ADD(a, b) ((a) + (b))
    #define ST_NONE ((st_f16){0})
    #else
    typedef struct { float f[16]; } st_f16;
    #define ST_AT(p) (*(const st_f16 *)(p))
    #define ST_PUT(p, v) (*(st_f16 *)(p) = (v))
    static inline st_f16 ST_MUL(st_f16 v, float s){ for (int j = 0; j < 16; j++) v.f[j] *= s; return v; }
    static inline st_f16 ST_ADD(st_f16 a, st_f16 b){ for (int j = 0; j < 16; j++) a.f[j] += b.f[j]; return a; }
    static inline st_f16 st_none(void){ st_f16 v; memset(&v, 0, sizeof v); return v; }
    #define ST_NONE st_none()
    #endif
    static inline float st_relu(float x){ return x > 0.0f ? x : 0.0f; }
    static inline void st_copy32(float *out, int o, const float *x, int i){ memmove(out + o, x + i, 32 * sizeof(float)); }
    static inline void st_add32(float *out, int o, const float *x, int i){
        st_f16 a = ST_ADD(ST_AT(out + o), ST_AT(x + i)), b = ST_ADD(ST_AT(out + o + 16), ST_AT(x + i + 16));
        ST_PUT(out + o, a);
        ST_PUT(out + o + 16, b);
    }
    static inline void st_rows32(float *restrict out, int o, const float *restrict w, int at,
                                 const float *restrict x, int i, int n){
        st_f16 a = ST_AT(out + o), b = ST_AT(out + o + 16);
        w += at;
        x += i;
        for (int k = 0; k < n; k++, w += 32) {
            a = ST_ADD(a, ST_MUL(ST_AT(w), x[k]));
            b = ST_ADD(b, ST_MUL(ST_AT(w + 16), x[k]));
        }
        ST_PUT(out + o, a);
        ST_PUT(out + o + 16, b);
    }
    static inline void st_relu32(float *x){ for (int j = 0; j < 32; j++) x[j] = st_relu(x[j]); }
    static inline void st_narrow(float *restrict out, const float *restrict w, int at, const float *restrict x){
        st_f16 a, b = ST_NONE, c = ST_NONE, d = ST_NONE;
        w += at;
        a = ST_AT(w + 512);
        for (int k = 0; k < 32; k += 4, w += 64) {
            a = ST_ADD(a, ST_MUL(ST_AT(w), x[k]));
            b = ST_ADD(b, ST_MUL(ST_AT(w + 16), x[k + 1]));
            c = ST_ADD(c, ST_MUL(ST_AT(w + 32), x[k + 2]));
            d = ST_ADD(d, ST_MUL(ST_AT(w + 48), x[k + 3]));
        }
        ST_PUT(out, ST_ADD(ST_ADD(a, b), ST_ADD(c, d)));
        for (int j = 0; j < 16; j++) out[j] = st_relu(out[j]);
    }
    static inline void st_widen(float *restrict out, int o, const float *restrict w, int at, const float *restrict x){
        st_f16 a = ST_NONE, b = ST_NONE, c = ST_NONE, d = ST_NONE;
        w += at;
        for (int k = 0; k < 16; k += 2, w += 64) {
            a = ST_ADD(a, ST_MUL(ST_AT(w), x[k]));
            b = ST_ADD(b, ST_MUL(ST_AT(w + 16), x[k]));
            c = ST_ADD(c, ST_MUL(ST_AT(w + 32), x[k + 1]));
            d = ST_ADD(d, ST_MUL(ST_AT(w + 48), x[k + 1]));
        }
        ST_PUT(out + o, ST_ADD(a, c));
        ST_PUT(out + o + 16, ST_ADD(b, d));
    }
    static inline float st_dot32(const float *x, const float *w, int at){
        float p[32];
        for (int j = 0; j < 32; j++) p[j] = st_relu(x[j]) * w[at + j];
        for (int j = 0; j < 16; j++) p[j] += p[j + 16];
        for (int j = 0; j < 8; j++) p[j] += p[j + 8];
        for (int j = 0; j < 4; j++) p[j] += p[j + 4];
        return (p[0] + p[2]) + (p[1] + p[3]);
    }
    static inline void st_half(double *restrict to, const double *restrict from, int half, double p){
        for (int i = 0; i < half; i++) to[i] = from[i] + (from[half + i] - from[i]) * p;
    }
    static inline void st_blend(double *table, int at, int to, int half, double p){
        switch (half) {   /* a known number of steps each */
            case 256: st_half(table + to, table + at, 256, p); break;
            case 128: st_half(table + to, table + at, 128, p); break;
            case 64: st_half(table + to, table + at, 64, p); break;
            case 32: st_half(table + to, table + at, 32, p); break;
            case 16: st_half(table + to, table + at, 16, p); break;
            case 8: st_half(table + to, table + at, 8, p); break;
            default: for (int i = 0; i < half; i++)
                table[to + i] = table[at + i] + (table[at + half + i] - table[at + i]) * p;
        }
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
    void mix "st_blend"(double *table, int at, int to, int half, double p) noexcept nogil
