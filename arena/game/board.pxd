# C types for board.py. Types of local variables are inferred, except where a literal says too little.
cimport cython
from libc.string cimport memcpy, memset
from arena.game.cards cimport *
from arena.game.formations cimport *
from arena.game.moves cimport SEVEN, SeatLog

cdef enum:          # stages
    CLAIM_START = 0
    PLAY = 1
    TAKE = 2
    PUT = 3
    SCOUT = 4
    PUT_BACK = 5
    CLAIM_END = 6
    DRAW_CARD = 7
    OVER = 8

cdef u8 WON[512]
cdef u8 COUNT9[512]
cdef u8 NTH9[4608]

cdef class Board:
    # One block of plain memory, copied whole: from sides to block_end.
    cdef u64 sides[18]           # 9 * seat + stone: clan cards, and wilds in bits 60..62
    cdef u64 witness[18]        # a refutation of that side's claim; 0: none is known
    cdef u64 hands[2]            # clan cards
    cdef u64 visible            # clan cards that are or were face up
    cdef u64 all_cards
    cdef u64 best               # the best three cards not face up, for claims against an empty side
    cdef u64 discards[2]        # clan cards in the rows
    cdef u16 strength[18]       # of complete sides
    cdef u16 best_strength
    cdef u16 open[2]            # bits of stones: unclaimed, and that seat's side has room
    cdef u16 complete[2]        # unclaimed, and that seat's side is complete
    cdef u16 dirty[2]           # complete sides whose claim must be looked at again
    cdef u16 owned[2]
    cdef u16 first              # seat 0's side was completed before seat 1's
    cdef u16 fog
    cdef u16 mud
    cdef u16 wild               # a wild card lies on one of the sides
    cdef u16 tactics[2]         # tactic cards in hand: bits 0, 1 jokers, 2.. the others in the order of their numbers
    cdef u16 rows[2]            # tactic cards in the discard rows and ruses played: bit = card - 60
    cdef u8 size[18]
    cdef s8 bound[4]            # clan card of joker of seat 0, of seat 1, spy, shield-bearer; -1 free
    cdef u8 clan_count[2]       # cards in hand
    cdef u8 tactic_count[2]
    cdef u8 played[2]           # tactic cards played
    cdef u8 jokers[2]           # jokers played, 0 or 1
    cdef u8 clan_left           # cards in the decks
    cdef u8 tactic_left
    cdef u8 back_n              # how many cards were put back; each has a card, a deck (0, 1) and a place in its array
    cdef u8 back_card[4]
    cdef u8 back_deck[4]
    cdef u8 back_place[4]
    cdef u8 clan_pos            # the decks are arrays: the next card and the end
    cdef u8 clan_end
    cdef u8 tactic_pos
    cdef u8 tactic_end
    cdef s8 scouter             # the seat that played the recruiter, or -1
    cdef s8 mover               # the seat to decide
    cdef s8 starter
    cdef s8 won                 # 0, 1, 2 draw, -1 not over
    cdef u8 how                 # reason of the end
    cdef u8 stage               # phase
    cdef u8 ruse                # card number of the ruse under way
    cdef u8 taken               # the card it took, and from which stone
    cdef u8 taken_stone
    cdef u8 scout_left
    cdef s8 scout_deck
    cdef u8 idle                # passes in a row
    cdef u16 claims             # stones that can be claimed in the open window
    cdef int plays
    cdef int turn_count
    cdef u8 auto[2]
    cdef u8 values              # the rule set, see Rules.numbers
    cdef u8 hand_size
    cdef u8 spy
    cdef u8 window_start
    cdef u8 window_after
    cdef u8 on_play
    cdef u8 clan_only
    cdef u8 with_tactics
    cdef u8 back_on_top
    cdef u8 single
    cdef u8 block_end
    cdef readonly object rules
    cdef tuple table            # moves by number
    # of states only
    cdef u8 clan_deck[64]
    cdef u8 tactic_deck[32]
    cdef SeatLog log0
    cdef SeatLog log1
    cdef bint logging

cdef inline void copy_block(Board target, Board source) noexcept:
    memcpy(&target.sides[0], &source.sides[0], <char*>&source.block_end - <char*>&source.sides[0])
    target.rules = source.rules
    target.table = source.table

cdef inline void clear_words(Board board) noexcept:
    memset(&board.sides[0], 0, <char*>&board.auto[0] - <char*>&board.sides[0])

# Nine words: four at a time if compiled for AVX2, else one by one, without branches.
cdef extern from *:
    """
    #ifndef ARENA_NINE
    #define ARENA_NINE
    #ifdef __AVX2__
    #include <immintrin.h>
    static inline st_u64 st_fold(__m256i x){   /* the four words in one */
        __m128i y = _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        return (st_u64)_mm_cvtsi128_si64(_mm_or_si128(y, _mm_unpackhi_epi64(y, y)));
    }
    static inline int st_meet(const st_u64 *words, st_u64 cards){
        __m256i c = _mm256_set1_epi64x((long long)cards), zero = _mm256_setzero_si256();
        __m256i a = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)words), c);
        __m256i b = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(words + 4)), c);
        int misses = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, zero)));
        int hits = (misses | _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(b, zero))) << 4) ^ 255;
        return hits | ((words[8] & cards) != 0) << 8;
    }
    static inline st_u64 st_join(const st_u64 *words, int chosen){
        __m256i c = _mm256_set1_epi64x(chosen), bits = _mm256_setr_epi64x(1, 2, 4, 8), more = _mm256_slli_epi64(bits, 4);
        __m256i a = _mm256_cmpeq_epi64(_mm256_and_si256(c, bits), bits), b = _mm256_cmpeq_epi64(_mm256_and_si256(c, more), more);
        a = _mm256_and_si256(a, _mm256_loadu_si256((const __m256i *)words));
        b = _mm256_and_si256(b, _mm256_loadu_si256((const __m256i *)(words + 4)));
        return st_fold(_mm256_or_si256(a, b)) | (words[8] & -(st_u64)(chosen >> 8 & 1));
    }
    #else
    static inline int st_meet(const st_u64 *words, st_u64 cards){
        int hits = 0;
        for (int s = 0; s < 9; s++) hits |= ((words[s] & cards) != 0) << s;
        return hits;
    }
    static inline st_u64 st_join(const st_u64 *words, int chosen){
        st_u64 all = 0;
        for (int s = 0; s < 9; s++) all |= words[s] & -(st_u64)(chosen >> s & 1);
        return all;
    }
    #endif
    #endif
    """
    # return as bits which of nine words share a card with `cards`
    int meet "st_meet"(const u64 *words, u64 cards) noexcept nogil
    # return all cards of the chosen (bits) of nine words
    u64 join "st_join"(const u64 *words, int chosen) noexcept nogil

# return the stones (bits) whose claim by `p` must be proven again
cdef inline int turned_up(Board board, int p) noexcept nogil:
    return board.dirty[p] | meet(&board.witness[9 * p], board.visible)

cdef inline u64 cards_of(Board board, int p, int stones) noexcept nogil:
    return join(&board.sides[9 * p], stones)

cdef void clear(Board board) noexcept
cdef void put_clan(Board board, int p, int card, int s) noexcept nogil
cdef inline void completed(Board board, int p, int s) noexcept nogil
cdef void put_elite(Board board, int p, int card, int s, int binding) noexcept nogil
cdef void put_mode(Board board, int card, int s) noexcept nogil
cdef void remove(Board board, int p, int card, int s) noexcept nogil
cdef void look_again(Board board, int p, int s) noexcept nogil
cdef int general_strength(Board board, int p, int s) noexcept nogil
cdef bint proven(Board board, int p, int s) noexcept nogil
cdef int provable(Board board, int p) noexcept nogil
cdef int prove(Board board, int p, int look) noexcept nogil
cdef void give(Board board, int p, int stones) noexcept nogil
cdef void settle(Board board) noexcept nogil
cdef void add_tactic(Board board, int p, int card) noexcept nogil
cdef void drop_tactic(Board board, int p, int card) noexcept nogil
cdef list side_texts(Board board, int p, int s)
cdef str card_text(Board board, int card)
cdef list hand_tactics(Board board, int seat)
cpdef tuple hand_texts(Board board, int seat)
