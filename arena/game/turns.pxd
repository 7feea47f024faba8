# C types for turns.py. Types of local variables are inferred, except where a literal says too little.
cimport cython
from arena.game.board cimport *
from arena.game.cards cimport *
from arena.game.moves cimport *

cdef u16 CODES[2048]

cdef int legal_codes(Board board, u16 *out) noexcept nogil
cdef int play_codes(Board board, u16 *out) noexcept nogil
cdef int tactic_codes(Board board, u16 *out, int n) noexcept nogil
cdef int spread_codes(Board board, u16 *out, int n, int base, int stones) noexcept nogil
cdef int elite_codes(Board board, u16 *out, int n, int card, int stones) noexcept nogil
cdef bint has_target(Board board, int ruse) noexcept nogil
cdef int target_codes(Board board, u16 *out, int n, int ruse) noexcept nogil
cdef bint is_legal(Board board, int code) noexcept nogil

cdef set_rules(Board board, dict numbers)
cdef void perform(Board board, int code) noexcept nogil
cdef inline void play_clan(Board board, int card, int s) noexcept nogil
@cython.locals(card=cython.int)
cdef void play_tactic(Board board, int code) noexcept nogil
cdef void put_wild(Board board, int card, int code) noexcept nogil
cdef void count_tactic(Board board, int card) noexcept nogil
cdef void take(Board board, int code) noexcept nogil
cdef void drop(Board board, int seat, int card) noexcept nogil
cdef void put_taken(Board board, int code) noexcept nogil
cdef void go_on_scouting(Board board) noexcept nogil
cdef void put_back(Board board, int card) noexcept nogil
cdef void draw(Board board, int deck) noexcept nogil
cdef void track(Board board, int p, int deck, int place) noexcept nogil
cdef bint window(Board board, int stage) noexcept nogil
cdef void after_play(Board board) noexcept nogil
cdef void draw_phase(Board board) noexcept nogil
cdef void next_turn(Board board) noexcept nogil
cdef void note(Board board, int p, int code) noexcept nogil
cdef void note_hidden(Board board, int p, int code, int hidden) noexcept nogil

cdef void forget(Board board, int p, int card) noexcept nogil
cdef void start_game(Board board, int starter) noexcept
cdef void add_known(Board board, int p, int card) noexcept
cdef int hidden_clan(Board board, int p) noexcept
cdef int hidden_tactics(Board board, int p) noexcept
cdef bint load_decks(Board board, bytes clan, bytes tactic) except -1
