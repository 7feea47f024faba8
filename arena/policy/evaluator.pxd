# C types for evaluator.py.
cimport cython
from arena.game.cards cimport u64, u32, u16, ctz, popcount, JOKER_CARD
from arena.game.board cimport Board, DRAW_CARD, PLAY, PUT, SCOUT, TAKE, WON, add_tactic, copy_block, drop_tactic
from arena.game.engine cimport State
from arena.game.moves cimport DRAW, Move, PASS
from arena.game.rng cimport Rng
from arena.game.turns cimport is_legal, legal_codes, perform
from arena.policy.stones cimport Pool, STEP, compare, known_chance, mix, side_levels

cdef extern from "math.h" nogil:
    double log(double x)

cdef enum:
    FRESH = 9       # + stone: judged for one move
    WITHOUT = 18    # + 64 * stone + card: an unchanged stone, after the card has left the hand
    SLOTS = 594
    ANEW = 9        # a side of the other seat that differs from the current position

cdef double SPLIT[512]

@cython.locals(m=cython.int, mine=cython.bint, theirs=cython.bint)
cpdef void fill_cases()

cdef double result_of(Board board, int p) noexcept

cdef class Evaluator:
    cdef State root             # the current position
    cdef State work             # the position after a move
    cdef State deeper           # the position after a ruse's target
    cdef State last             # the position after a taken card is placed
    cdef Pool mine
    cdef Pool theirs
    cdef double chances[594]    # of stones, by slot: 0..8 in the current position, then FRESH, then WITHOUT
    cdef int picked[9]          # the slots of the position judged
    cdef double room[16]        # what the seat's side of the stone judged last becomes
    cdef double others[160]     # what the other seat's sides become, by stone, then ANEW
    cdef u32 versions[10]       # a new number each time such a side is computed; 0: not computed yet
    cdef u32 version
    cdef double table[1024]     # the divisions of the stones, then the ones that remain after each stone
    cdef double folded[9]       # the chances that this was made from
    cdef int card               # the card that left the hand in the position judged, if nothing else changed; or -1
    cdef u32 stamp[594]         # the value of `looks` when a slot was filled
    cdef u32 looks
    cdef u16 choices[2048]
    cdef u16 codes[2048]
    cdef u16 more[2048]
    cdef int seat
    cdef double most            # the value of the best move found last
    cdef double settings[5]

    cpdef double value(self, Board position, int seat=*)
    @cython.locals(s=cython.int)
    cpdef tuple stone_odds(self, Board position, int seat=*)
    @cython.locals(root=State, s=cython.int, at=cython.int, i=cython.int)
    cpdef tuple explain(self, Board position, int seat=*)
    @cython.locals(i=cython.int, won=cython.double)
    cdef double stake(self, int s) noexcept
    cpdef list values(self, Board position, list moves)
    @cython.locals(p=cython.int, in_clan=cython.bint, place=cython.int, bit=u64, known=u64, i=cython.int,
                   drawn=cython.int, reply=State, code=cython.int)
    cpdef list draw_values(self, State before, State after)
    @cython.locals(clan_left=cython.int, tactic_left=cython.int)
    cdef void before_draw(self, State board, int code) noexcept
    @cython.locals(n=cython.int)
    cdef double open_value(self, State board, int p) except -1
    @cython.locals(i=cython.int)
    cpdef Move choose(self, Board position, list moves)
    cdef int seat_of(self, Board position, int seat) except -1
    @cython.locals(code=cython.int, table=tuple)
    cdef int code_of(self, Board position, Move move) except -1
    cdef int look(self, Board position, int p) except -1
    @cython.locals(q=cython.int, root=State, theirs_open=u64, unseen=u64, count=cython.int, hidden=cython.int,
                   drawn=cython.double, theirs=cython.double, in_hand=cython.double, s=cython.int)
    cdef void judge_all(self, int p) noexcept
    @cython.locals(s=cython.int)
    cdef double root_value(self) noexcept
    @cython.locals(p=cython.int, q=cython.int, root=State, hand=u64, gone=u64, card=cython.int, changed=cython.int,
                   s=cython.int, slot=cython.int, value=cython.double)
    cdef double worth(self, State board) noexcept
    @cython.locals(p=cython.int, root=State)
    cdef bint wants_cards(self, int s) noexcept
    cdef double result(self, State board) noexcept
    cdef void begin(self, State board) noexcept
    cdef int news(self, State board) noexcept
    @cython.locals(chance=cython.double)
    cdef void judge(self, State board, int s, int slot) noexcept
    cdef double combine(self, State board) noexcept
    @cython.locals(p=cython.int, q=cython.int, root=State, changed=cython.int, at=cython.int)
    cdef int levels(self, State board, int s) noexcept
    @cython.locals(p=cython.double, half=cython.int, s=cython.int)
    cdef double fold(self) noexcept nogil
    @cython.locals(playing=cython.bint, work=State, price=cython.double, best=cython.double, n=cython.int, i=cython.int,
                   value=cython.double)
    cdef double after(self, int code) noexcept
    @cython.locals(n=cython.int)
    cdef int best_code(self, State position) except -1
    @cython.locals(noisy=cython.bint, best=cython.int, highest=cython.double, i=cython.int, value=cython.double,
                   mark=cython.double)
    cdef int best_of(self, int n, double noise, Rng rng) except -1
    @cython.locals(best=cython.double, n=cython.int, i=cython.int, value=cython.double)
    cdef double after_taking(self, State board) noexcept
    @cython.locals(work=State)
    cdef State after_move(self, int code)
    cdef bint deciding(self) noexcept
    @cython.locals(p=cython.int, root=State)
    cdef int deck_to_draw(self) noexcept
