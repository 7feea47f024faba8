"""The game for OpenSpiel, with chance nodes and information states (needs the extra `openspiel`).

    import pyspiel
    import arena.adapters.openspiel_game  # registers the game
    game = pyspiel.load_game("python_schotten_totten", {"rules": "tactical"})

Player 0 begins. Chance deals the cards of both hands in turn (player 0's first), then each card that is drawn: an
outcome is a card's number (`arena.game.cards`). Actions are numbered by `arena.adapters.spaces.Actions`. Stones are
claimed automatically as soon as they can be proved. The winner gets 1, the loser -1; a draw is 0.

The information state of a player is the first hand and everything seen since; the observation is what the player knows
now, also as a tensor (`arena.adapters.spaces.ViewEncoder`).
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.adapters.spaces import MissingLibrary, Numbers, as_rules, spaces_of
from arena.game.cards import CARD_NUMBERS, CARD_TEXTS, TACTIC_DECK
from arena.game.deals import Deal
from arena.game.engine import State, View
from arena.game.rules import Rules
from arena.terminal.drawing import board_text

try:
    import pyspiel
except ImportError as error:
    raise MissingLibrary("OpenSpiel", "openspiel") from error

GAME_NAME = "python_schotten_totten"
LONGEST_GAME = 400
"""More decisions than a game can have: 70 plays, as many draws, a pass after each, and the steps of ruses."""

_TYPE = pyspiel.GameType(
    short_name=GAME_NAME,
    long_name="Python Schotten-Totten",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={"rules": "base"},
)


class SchottenGame(pyspiel.Game):
    """The game under a rule set, which is the parameter `rules`, named as everywhere in the arena."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.rules = as_rules((params or {}).get("rules", "base"))
        self.actions, self.observer = spaces_of(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.actions),
            max_chance_outcomes=len(CARD_TEXTS),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=LONGEST_GAME,
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> SchottenState:
        """Return a state in which nothing is dealt yet."""
        return SchottenState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> SchottenObserver:
        """Return an observer, which OpenSpiel asks for observations."""
        return SchottenObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class _Position:
    """The engine's state on given decks after some actions, None before the hands are dealt.

    It is pickled as the decks and the actions.
    """

    def __init__(self, rules: Rules, clan: bytes = b"", tactic: bytes = b"", actions: tuple[int, ...] = ()) -> None:
        self.made = (rules, clan, tactic, actions)
        self.rules = rules
        self.actions, _ = spaces_of(rules)
        self.state = State(rules, Deal(clan, tactic, 0)) if clan else None
        for action in actions:
            self._apply(action)

    def _apply(self, action: int) -> None:
        assert self.state is not None
        self.state.apply(self.actions.move(action))

    def after(self, action: int) -> _Position:
        """Return the position after one more action."""
        rules, clan, tactic, actions = self.made
        after = copy.copy(self)
        after.made = (rules, clan, tactic, (*actions, action))
        assert self.state is not None
        after.state = self.state.copy()
        after._apply(action)
        return after

    def __deepcopy__(self, memo: object) -> _Position:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _Position, self.made


class SchottenState(pyspiel.State):
    """A state of OpenSpiel: the engine's state, replayed on decks in which only the drawn cards are known.

    At a chance node the engine's state is the one before the move that led there.

    A deck is a list of its cards, next card first: None for a card that chance has not determined yet, or the number of
    a card that was put back.
    """

    def __init__(self, game: SchottenGame) -> None:
        super().__init__(game)
        rules = game.rules
        self._at = _Position(rules)
        self._orders = [list(range(6 * rules.values)), list(TACTIC_DECK) if rules.tactics else []]
        self._known = [0, 0]  # how many of each order are determined
        self._hidden: list[list[int | None]] = [[None] * len(order) for order in self._orders]
        self._waiting: list[int] = []  # decks from which chance has to draw, 0 clan and 1 tactic
        self._moves: tuple[int, ...] = ()  # by their action numbers
        self._draw(0, 2 * rules.hand_size)

    # ---- called by OpenSpiel ------------------------------------------------------------------------------------

    def current_player(self) -> int:
        """Return the player to decide, or OpenSpiel's number for chance or for the end of the game."""
        if self._waiting or self._engine is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._engine.is_over else self._engine.to_move

    def _legal_actions(self, player: int) -> list[int]:
        state = self._engine
        asked = state is not None and not self._waiting and player == state.to_move
        return self._at.actions.numbers(state.legal_moves()) if state is not None and asked else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may be dealt or drawn next, each with its chance."""
        deck = self._waiting[0]
        left = Counter(self._orders[deck][self._known[deck] :])
        total = left.total()
        return [(card, count / total) for card, count in sorted(left.items())]

    def _apply_action(self, action: int) -> None:
        if self._waiting:
            self._determine(self._waiting.pop(0), action)
            if not self._waiting:
                self._at = _Position(self._at.rules, bytes(self._orders[0]), bytes(self._orders[1]), self._moves)
            return
        after = self._at.after(action)
        assert after.state is not None
        if after.actions.move(action).kind == "return":
            self._put_back(action)
        for deck, left in enumerate(after.state.deck_counts):
            self._draw(deck, len(self._hidden[deck]) - left)
        self._moves = (*self._moves, action)
        if not self._waiting:
            self._at = after

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {CARD_TEXTS[action]}"
        return str(self._at.actions.move(action))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._engine is not None and not self._waiting and self._engine.is_over

    def returns(self) -> list[float]:
        """Return the points of both players: 0 during the game and for a draw, else 1 and -1."""
        winner = self._engine.winner if self._engine is not None and self.is_terminal() else None
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        if self._engine is None:
            return "dealt: " + " ".join(CARD_TEXTS[card] for card in self._orders[0][: self._known[0]])
        return f"{board_text(self._engine)}\n{self._waiting}"

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> SchottenState:
        """Return a state that looks the same to a player at a decision: the cards it does not know change places."""
        if self._engine is None or self._waiting:
            raise ValueError("a state is sampled at a decision, not while cards are dealt or drawn")
        view = self._engine.view(player_id)
        back = [card for hidden in self._hidden for card in hidden if card is not None]
        known = [*view.known_in_hand, *(card for card, _, _ in view.known_in_decks)]
        unknown = Counter(map(CARD_NUMBERS.__getitem__, self._engine.view(1 - player_id).hand)) + Counter(back)
        unknown -= Counter(map(CARD_NUMBERS.__getitem__, known))
        while True:  # of two equal jokers, the wrong one may change its place
            orders, swapped = [], dict[int, int]()
            for order, determined in zip(self._orders, self._known):
                left = unknown.copy()
                places = [*range(determined, len(order))]
                for place in sorted(range(determined), key=lambda _: probability_sampler()):
                    if left[order[place]] > 0:
                        left[order[place]] -= 1
                        places.append(place)
                cards = sorted((order[place] for place in places), key=lambda _: probability_sampler())
                orders.append(dict(enumerate(order)) | dict(zip(places, cards)))
                swapped |= {order[place]: card for place, card in zip(places, cards)}
            state = self._replayed(orders, swapped)
            if state is not None and state.seen(player_id) == self.seen(player_id):
                return state

    def _replayed(self, orders: list[dict[int, int]], swapped: dict[int, int]) -> SchottenState | None:
        """Return the state after the same actions with other cards, None if one cannot be made."""
        state: SchottenState = self.get_game().new_initial_state()
        for action in self.history():
            if state.is_chance_node():
                deck = state._waiting[0]
                action = orders[deck][state._known[deck]]
            elif (move := self._at.actions.move(action)).kind == "return":
                card = CARD_NUMBERS[move.text.removeprefix("return ")]
                texts = {state.action_to_string(one): one for one in state.legal_actions()}
                action = texts.get(f"return {CARD_TEXTS[swapped.get(card, card)]}", action)
            if action not in state.legal_actions():
                return None
            state.apply_action(action)
        return state

    # ---- called by observers ------------------------------------------------------------------------------------

    def view(self, player: int) -> View | None:
        """Return what a player knows; None before the first decision.

        At a chance node it is what the player knew before the move that led there.
        """
        return None if self._engine is None else self._engine.view(player)

    def seen(self, player: int) -> str:
        """Return the information state: the first hand, and what the player has seen since."""
        dealt = self._orders[0][: min(self._known[0], 2 * self._at.rules.hand_size)][player::2]
        events = () if self._engine is None else self._engine.events(player)
        return "; ".join([f"{player}: {' '.join(CARD_TEXTS[card] for card in sorted(dealt))}", *map(str, events)])

    # ---- decks --------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> State | None:
        return self._at.state

    def _draw(self, deck: int, count: int) -> None:
        """Take `count` cards off a deck, and let chance determine those that nobody knows."""
        drawn, self._hidden[deck] = self._hidden[deck][:count], self._hidden[deck][count:]
        self._waiting += [deck for card in drawn if card is None]

    def _put_back(self, action: int) -> None:
        """Put a card back on its deck, as the recruiter's player chose."""
        text = self._at.actions.move(action).text.removeprefix("return ")
        card = CARD_NUMBERS[text]
        hidden = self._hidden[card >= 60]
        hidden.insert(0 if self._at.rules.scout_return == "top" else len(hidden), card)

    def _determine(self, deck: int, card: int) -> None:
        """Set the next card of a deck, chosen by chance; it changes places with the card that stood for it."""
        order, known = self._orders[deck], self._known[deck]
        index = order.index(card, known)
        order[known], order[index] = order[index], order[known]
        self._known[deck] = known + 1


class SchottenObserver:
    """Observations in OpenSpiel's form: `tensor`, `dict`, and as text."""

    def __init__(self, game: SchottenGame, iig_obs_type: Any, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observations have no parameters here, not {params}")
        self._observer = game.observer
        self._recall = iig_obs_type.perfect_recall
        self.tensor: Numbers = np.zeros(0 if self._recall else game.observer.size, np.float32)
        self.dict = {} if self._recall else {name: self.tensor[part] for name, part in game.observer.parts.items()}

    def set_from(self, state: SchottenState, player: int) -> None:
        """Fill `tensor` with what a player knows."""
        view = state.view(player)
        self.tensor[:] = 0 if view is None or self._recall else self._observer.observe(view)

    def string_from(self, state: SchottenState, player: int) -> str:
        """Return the observation as text, or the information state with perfect recall."""
        view = None if self._recall else state.view(player)
        if view is None:
            return state.seen(player)
        sides = "/".join(" ".join(cards) for cards in (*view.mine, *view.theirs))
        modes = "/".join(" ".join(view.modes(stone)) for stone in range(1, 10))
        rest = [view.owners, view.phase, *view.row(0), "|", *view.row(1), view.pending or "", *view.known_in_hand]
        counts = [*view.deck_counts, *view.hand_counts(1 - player)]
        return f"{player}: {' '.join(view.hand)}; {sides}; {modes}; {' '.join(rest)}; {' '.join(map(str, counts))}"


pyspiel.register_game(_TYPE, SchottenGame)
