# C side of cards.py: types, constants and bit tricks shared by the compiled modules.
ctypedef unsigned long long u64
ctypedef unsigned int u32
ctypedef unsigned short u16
ctypedef unsigned char u8
ctypedef signed char s8

cdef extern from *:
    """
    #ifndef ARENA_CARDS
    #define ARENA_CARDS
    typedef unsigned long long st_u64;
    static inline int st_hib(st_u64 x){ return 63 - __builtin_clzll(x); }
    static inline int st_ctz(st_u64 x){ return __builtin_ctzll(x); }
    static inline st_u64 st_group(int value){ return 63ULL << 6 * (value - 1); }
    static inline int st_pop(st_u64 x){ return __builtin_popcountll(x); }
    #if defined(__BMI2__)
    #include <immintrin.h>
    static inline int st_nth(st_u64 m, int k){ return __builtin_ctzll(_pdep_u64(1ULL << k, m)); }
    #else
    static inline int st_nth(st_u64 m, int k){   /* without branches that depend on chance, for k < 7 */
        m &= m - (k > 0); m &= m - (k > 1); m &= m - (k > 2); m &= m - (k > 3); m &= m - (k > 4); m &= m - (k > 5);
        while (k-- > 6) m &= m - 1;
        return __builtin_ctzll(m);
    }
    #endif
    static inline st_u64 st_stir(st_u64 h, st_u64 word){
        h = (h ^ word) * 0x9E3779B97F4A7C15ULL;
        h = (h ^ h >> 32) * 0xBF58476D1CE4E5B9ULL;
        return h ^ h >> 29;
    }
    /* k scaled by a 32-bit random number: a whole number in 0..k-1 */
    static inline st_u64 st_scale(st_u64 r, st_u64 k){ return (r & 0xFFFFFFFFULL) * k >> 32; }
    #define ST_ALL54 0x3FFFFFFFFFFFFFULL
    #define ST_ALL60 0xFFFFFFFFFFFFFFFULL
    #define ST_PLANE 0x0041041041041041ULL
    #define ST_ONE 1ULL
    #define ST_JOKER (1ULL << 60)
    #define ST_SPY (1ULL << 61)
    #define ST_BEARER (1ULL << 62)
    #endif
    """
    int hib "st_hib"(u64 x) noexcept nogil
    int ctz "st_ctz"(u64 x) noexcept nogil
    int popcount "st_pop"(u64 x) noexcept nogil
    u64 group "st_group"(int value) noexcept nogil
    int nth "st_nth"(u64 m, int k) noexcept nogil
    u64 stir "st_stir"(u64 h, u64 word) noexcept nogil
    u64 scale "st_scale"(u64 r, u64 k) noexcept nogil
    const u64 ALL54 "ST_ALL54", ALL60 "ST_ALL60", PLANE "ST_PLANE"
    const u64 ONE "ST_ONE", JOKER "ST_JOKER", SPY "ST_SPY", BEARER "ST_BEARER"

cdef enum:
    SUM = 0
    RUN = 1
    COLOUR = 2
    KIND = 3
    COLOUR_RUN = 4
    RANK = 64       # strength = RANK * category + sum of the values

cdef enum:          # card numbers
    JOKER_CARD = 60
    SPY_CARD = 61
    BEARER_CARD = 62
    FOG_CARD = 63
    MUD_CARD = 64
    SCOUT_CARD = 65
