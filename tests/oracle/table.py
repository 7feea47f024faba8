"""The course of a game: RULES.md §3 (claim windows), §4 (the turn), §5 (what tactic cards do).

Every decision is one text out of `legal_moves`: `claim 3`, `no claim`, `r7@3`, `*J=r7@3`, `fog@3`, `scout`,
`pass`, `take r7@3`, `discard`, `draw clan`, `return r7`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracle.position import Position
from tests.oracle.rulebook import LETTERS, MODES, SEATS, Options, is_clan, is_elite, token, win_reason


class Oracle(Position):
    """One game, dealt and played move by move.

    `clan_deck` and `tactic_deck` are the whole decks, the front first; `auto_claim` says for each seat
    whether everything provable is claimed by itself, or by moves.
    """

    def __init__(
        self,
        options: Options,
        clan_deck: Sequence[str],
        tactic_deck: Sequence[str],
        starter: int,
        auto_claim: tuple[bool, bool] = (True, True),
    ) -> None:
        super().__init__(options, clan_deck, tactic_deck, starter, auto_claim)
        self._start_turn()

    # ------------------------------------------------------------------------------------------- the moves

    def apply(self, move: str) -> None:
        """Play one legal move and whatever follows by itself. ValueError if it is not legal."""
        legal = self.legal_moves()
        if move not in legal:
            raise ValueError(f"{move!r} is not legal in phase {self.phase!r}; legal: {', '.join(legal)}")
        if self.phase == "claim":
            self._claim_move(move)
        elif self.phase == "play":
            self._play_move(move)
        elif self.phase == "take":
            self._take_move(move)
        elif self.phase == "put":
            self._put_move(move)
        elif self.phase == "scout":
            self._draw_card(move.removeprefix("draw "))
            self.scout_drawn.append(move.removeprefix("draw "))
            self._scout_on()
        elif self.phase == "return":
            self._return_move(move.removeprefix("return "))
        else:
            self._draw_card(move.removeprefix("draw "))
            self._end_turn()

    # RULES.md §4: claim (if the window is open) -> play or pass -> claim (if the window is open) -> draw

    def _start_turn(self) -> None:
        if self.options.claim_window in ("any_before_draw", "turn_start"):
            self._open_window("start")
        else:
            self.phase = "play"

    def _after_play(self) -> None:
        self.pending = self.ruse = self.taken_from = None
        if self.options.claim_window in ("after_play", "any_before_draw"):
            self._open_window("after")
        else:
            self._draw_step()

    # RULES.md §3: claims

    def _open_window(self, window: str) -> None:
        self.window = window
        provable = sorted(self.claimable(self.turn))
        if not provable:  # §4: "a claim window with nothing to claim" is no decision
            self._close_window()
        elif self.auto_claim[self.turn]:  # "everything provable is claimed, then the win is looked at"
            for number in provable:
                self._claim(number - 1)
            if not self._look_at_win():
                self._close_window()
        else:
            self.phase = "claim"

    def _claim_move(self, move: str) -> None:
        if move == "no claim":
            self._close_window()
            return
        self._claim(int(move.removeprefix("claim ")) - 1)
        if self._look_at_win():  # "one after the other; the game ends at the first that wins"
            return
        if not self.claimable(self.turn):
            self._close_window()

    def _claim(self, stone: int) -> None:
        self.owner[stone] = LETTERS[self.turn]
        self.quiet_passes = 0

    def _look_at_win(self) -> bool:
        reason = win_reason(self.owners, LETTERS[self.turn])
        if reason is None:
            return False
        self._finish(self.turn, reason)
        return True

    def _finish(self, winner: int | None, reason: str) -> None:
        self.phase, self.winner, self.reason = "over", winner, reason

    def _close_window(self) -> None:
        window, self.window = self.window, None
        if window == "start":
            self.phase = "play"
        else:
            self._draw_step()

    # RULES.md §4 and §5: the play

    def _play_move(self, move: str) -> None:
        me = self.turn
        if move == "pass":
            self.quiet_passes += 1
            self._after_play()
            return
        self.quiet_passes = 0
        form, _, number = move.partition("@")
        card = token(form)
        self.hands[me].remove(card)
        if not is_clan(card):
            self.played_tactics[me] += 1
        if is_clan(card) or is_elite(card):
            if card == "*J":
                self.joker_played[me] = True
            self.place(me, int(number) - 1, form)
        elif card in MODES:
            self.play_mode(card, int(number) - 1)
        else:
            self.discards[me].append(card)  # "a ruse in its player's row"
            self.ruse = card
            if card == "scout":
                self.scout_drawn = []
                self._scout_on()
            else:
                self.phase = "take"
            return
        self._after_play()

    def play_mode(self, mode: str, stone: int) -> None:
        self.modes[stone].add(mode)
        if mode == "mud":  # "both sides become incomplete under Mud": their stamps are cleared (§2)
            for seat in SEATS:
                self.stamps[seat][stone] = None

    def place(self, seat: int, stone: int, card: str) -> None:
        self.sides[seat][stone].append(card)
        if self.is_complete(seat, stone):  # §2: "a stamp is set on a side at the moment it becomes complete"
            self.stamps[seat][stone] = self.clock
            self.clock += 1

    def remove(self, seat: int, stone: int, card: str) -> None:
        """Take a card, named without its binding, from a side: it is complete no longer."""
        lying = next(each for each in self.sides[seat][stone] if token(each) == card)
        self.sides[seat][stone].remove(lying)
        self.stamps[seat][stone] = None

    # RULES.md §5: Strategist, Banshee, Traitor

    def _take_move(self, move: str) -> None:
        card, _, number = move.removeprefix("take ").partition("@")
        stone = int(number) - 1
        owner = self.turn if self.ruse == "redeploy" else 1 - self.turn
        self.remove(owner, stone, card)
        if self.ruse == "deserter":  # "a discarded card in the row of the player whose side it left"
            self.discards[owner].append(card)
            self._after_play()
        else:
            self.pending, self.taken_from = card, stone
            self.phase = "put"

    def _put_move(self, move: str) -> None:
        assert self.pending is not None
        if move == "discard":
            self.discards[self.turn].append(self.pending)
        else:
            form, _, number = move.partition("@")
            self.place(self.turn, int(number) - 1, form)
        self._after_play()

    # RULES.md §5: Recruiter

    def _scout_on(self) -> None:
        """Draw on until three are drawn: "draw 3 cards in all from one or both decks, one after the other,
        seeing each"; a choice only where two decks can be drawn from."""
        while len(self.scout_drawn) < 3:
            decks = [name for name in ("clan", "tactic") if self.deck(name)]
            if self.options.scout_source == "single" and self.scout_drawn:
                # "the deck is chosen once, may hold fewer than 3, and is not changed"
                decks = [name for name in decks if name == self.scout_drawn[0]]
            if not decks:
                break
            if len(decks) == 2:
                self.phase = "scout"
                return
            self._draw_card(decks[0])
            self.scout_drawn.append(decks[0])
        self._return_on()

    def _return_on(self) -> None:
        """ "then put back cards, own choice, [...] until the hand is at the limit" """
        if len(self.hands[self.turn]) > self.options.hand_size:
            self.phase = "return"
        else:
            self._after_play()

    def _return_move(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        deck = self.deck("clan" if is_clan(card) else "tactic")  # "each face down on its own deck"
        if self.options.scout_return == "top":
            deck.insert(0, card)
        else:
            deck.append(card)
        self._return_on()

    # RULES.md §4: the draw and the end of the turn

    def _draw_card(self, name: str) -> None:
        card = self.deck(name).pop(0)
        self.hands[self.turn].append(card)
        self.quiet_passes = 0

    def _draw_step(self) -> None:
        """ "Draw one card if the hand is below the hand limit and a deck has cards" """
        decks = [name for name in ("clan", "tactic") if self.deck(name)]
        if len(self.hands[self.turn]) < self.options.hand_size:
            if len(decks) == 2:  # "the player chooses the deck"
                self.phase = "draw"
                return
            if decks:  # "if one deck is empty the other must be used"
                self._draw_card(decks[0])
        self._end_turn()

    def _end_turn(self) -> None:
        if self.quiet_passes >= 2:
            self._stalemate()
            return
        self.turn = 1 - self.turn
        self._start_turn()

    def _stalemate(self) -> None:
        """RULES.md §4: "every unclaimed stone with two complete sides goes to the better formation, all at
        once [...]; three adjacent or five stones win; if both or neither have that, more stones win; equal is
        a draw"."""
        awarded = {
            stone: LETTERS[self.better_side(stone)]
            for stone in self.open_stones()
            if self.is_complete(0, stone) and self.is_complete(1, stone)
        }
        for stone, letter in awarded.items():
            self.owner[stone] = letter
        formed = [seat for seat in SEATS if win_reason(self.owners, LETTERS[seat])]
        stones = [self.owners.count(letter) for letter in LETTERS]
        winner: int | None
        if len(formed) == 1:
            winner = formed[0]
        elif stones[0] != stones[1]:
            winner = 0 if stones[0] > stones[1] else 1
        else:
            winner = None
        self._finish(winner, "stalemate")

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length; a game that ends sooner counts as no sequence."""
        if depth == 0:
            return 1
        moves = self.legal_moves()
        if depth == 1:
            return len(moves)
        count = 0
        for move in moves:
            after = self.copy()
            after.apply(move)
            count += after.perft(depth - 1)
        return count
