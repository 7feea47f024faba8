# C types for turns.py.
cimport cython
from arena.game.bits cimport u64, u16, u8, s8, ALL54, ALL60, ctz, nth, popcount, scale, JOKER_CARD, SPY_CARD, FOG_CARD, SCOUT_CARD
from arena.game.board cimport COUNT9, NTH9
from arena.game.choices cimport *
from arena.game.rng cimport Rng
from arena.game.event_log cimport SeatLog

cdef class Turns(Choices):
    cdef u8 clan_deck[64]
    cdef u8 tactic_deck[32]
    cdef SeatLog log0
    cdef SeatLog log1
    cdef bint logging

    @cython.locals(flags=cython.int)
    cdef set_rules(self, dict numbers)
    @cython.locals(p=cython.int, card=cython.int, s=cython.int)
    cdef void perform(self, int code) noexcept nogil
    @cython.locals(p=cython.int, bit=u64)
    cdef inline void play_clan(self, int card, int s) noexcept nogil
    @cython.locals(p=cython.int, card=cython.int, s=cython.int, binding=cython.int)
    cdef void play_tactic(self, int code) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void count_tactic(self, int card) noexcept nogil
    @cython.locals(p=cython.int, q=cython.int, card=cython.int, s=cython.int)
    cdef void take(self, int code) noexcept nogil
    @cython.locals(bit=u64)
    cdef void drop(self, int seat, int card) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void put_taken(self, int code) noexcept nogil
    cdef void go_on_scouting(self) noexcept nogil
    @cython.locals(p=cython.int, bit=u64)
    cdef void put_back(self, int card) noexcept nogil
    @cython.locals(p=cython.int, card=cython.int, place=cython.int, bit=u64)
    cdef void draw(self, int deck) noexcept nogil
    @cython.locals(i=cython.int)
    cdef void track(self, int p, int deck, int place) noexcept nogil
    @cython.locals(p=cython.int, got=cython.int, s=cython.int)
    cdef bint window(self, int stage) noexcept nogil
    cdef void after_play(self) noexcept nogil
    @cython.locals(p=cython.int)
    cdef void draw_phase(self) noexcept nogil
    cdef void next_turn(self) noexcept nogil
    cdef void note(self, int p, int code) noexcept nogil
    cdef void note_hidden(self, int p, int code, int hidden) noexcept nogil

    @cython.locals(i=cython.int)
    cdef void forget(self, int p, int card) noexcept nogil
    @cython.locals(i=cython.int, bit=u64)
    cdef void start_game(self, int starter) noexcept
    @cython.locals(bit=u64)
    cdef void add_known(self, int p, int card) noexcept
    cdef int hidden_clan(self, int p) noexcept
    cdef int hidden_tactics(self, int p) noexcept
    @cython.locals(i=cython.int, card=cython.int, bit=u64, clans=u64, tactics=u64)
    cdef bint load_decks(self, bytes clan, bytes tactic) except -1
