"""The game for OpenSpiel, with chance nodes and information states (needs the extra `openspiel`).

    import pyspiel
    import arena.adapters.openspiel_game  # registers the game
    game = pyspiel.load_game("python_schotten_totten", {"rules": "tactical"})

Player 0 begins. Chance deals the cards of both hands in turn (player 0's first), then each card that is drawn: an
outcome is a card's number (`arena.game.cards`). Actions are numbered by `arena.adapters.spaces.Actions`. Claims are
made by themselves as soon as they can be proved. The winner gets 1, the loser -1; a draw is 0.

The information state of a player is the first hand and everything seen since; the observation is what the player knows
now, also as a tensor (`arena.adapters.spaces.ViewEncoder`).

`OpenSpielBot` is a bot of OpenSpiel as a bot here::

    class Mine(OpenSpielBot):
        def make(self, game, player, seed):
            return ...  # a pyspiel.Bot
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from arena.adapters.spaces import MissingLibrary, Numbers, as_rules, spaces_of
from arena.bots.bot import Bot, Setup
from arena.game.cards import CARD_NUMBERS, CARD_TEXTS, TACTIC_DECK
from arena.game.deals import Deal
from arena.game.engine import State, View
from arena.game.event_log import Event
from arena.game.moves import Move
from arena.game.rng import Rng
from arena.results.board import board_text

try:
    import pyspiel
except ImportError as error:
    raise MissingLibrary("OpenSpiel", "openspiel") from error

NAME = "python_schotten_totten"
LONGEST = 400
"""More decisions than a game can have: 70 plays, as many draws, a pass after each, and the steps of ruses."""

_TYPE = pyspiel.GameType(
    short_name=NAME,
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
    """The game under a rule set: the parameter `rules`, as everywhere in the arena."""

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
            max_game_length=LONGEST,
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> SchottenState:
        """Nothing is dealt yet."""
        return SchottenState(self)

    def state_of(self, view: View, rng: Rng) -> SchottenState:
        """A state that a seat of a game here could be in, for an OpenSpiel bot to decide in: a sample.

        Its decks are drawn by `rng` and lie as they lie: there are no chance nodes in it, and no history but the one
        that the seat's information state shows. It cannot be serialized.
        """
        state = SchottenState(self)
        state.begin_at(view, rng)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> SchottenObserver:
        """What OpenSpiel asks for observations."""
        return SchottenObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class _Shared:
    """What all states of a game share; a clone of a state, which is a deep copy, holds the same."""

    def __init__(self, game: SchottenGame) -> None:
        self.rules = game.rules
        self.actions = game.actions

    def __deepcopy__(self, memo: object) -> _Shared:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _shared, (self.rules.canonical,)


def _shared(rules: str) -> _Shared:
    return _Shared(pyspiel.load_game(NAME, {"rules": rules}))


class _Replayed:
    """The engine's state on given decks after some actions; it travels as these."""

    def __init__(self, shared: _Shared, clan: bytes, tactic: bytes, actions: tuple[int, ...]) -> None:
        self.made = (shared, clan, tactic, actions)
        self.state = State(shared.rules, Deal(clan, tactic, 0))
        for action in actions:
            self.state.apply(shared.actions.move(action))

    def after(self, action: int) -> _Replayed:
        """The state after one more action."""
        shared, clan, tactic, actions = self.made
        next_ = object.__new__(_Replayed)
        next_.made = (shared, clan, tactic, (*actions, action))
        next_.state = self.state.copy()
        next_.state.apply(shared.actions.move(action))
        return next_

    def __deepcopy__(self, memo: object) -> _Replayed:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _Replayed, self.made


class _Sampled:
    """A state whose decks lie as they lie."""

    def __init__(self, shared: _Shared, state: State) -> None:
        self.shared = shared
        self.state = state

    def after(self, action: int) -> _Sampled:
        """The state after one more action."""
        state = self.state.copy()
        state.apply(self.shared.actions.move(action))
        return _Sampled(self.shared, state)

    def __deepcopy__(self, memo: object) -> _Sampled:
        return self  # it never changes


class SchottenState(pyspiel.State):
    """A state of OpenSpiel's: the engine's, replayed on decks of which only the drawn cards are known.

    At a chance node the engine's state is the one before the move that led there.

    A deck is a list of what lies in it, next card first: None for a card that chance has not determined yet, or the
    number of a card that was put back.
    """

    def __init__(self, game: SchottenGame) -> None:
        super().__init__(game)
        rules = game.rules
        self._shared = _Shared(game)
        self._orders = [list(range(6 * rules.values)), list(TACTIC_DECK) if rules.tactics else []]
        self._known = [0, 0]  # how many of each order are determined
        self._hidden: list[list[int | None]] = [[None] * len(order) for order in self._orders]
        self._waiting: list[int] = []  # decks from which chance has to draw, 0 clan and 1 tactic
        self._moves: tuple[int, ...] = ()  # by their action numbers
        self._at: _Replayed | _Sampled | None = None
        self._before = ("", "")  # what was seen before the engine's history began
        self._draw(0, 2 * rules.hand_size)

    def begin_at(self, view: View, rng: Rng) -> None:
        """See `SchottenGame.state_of`."""
        self._at = _Sampled(self._shared, view.sample(rng))
        self._waiting = []
        told = _seen_text(view.seat, first_hand(view), view.history)
        self._before = (told, "") if view.seat == 0 else ("", told)

    # ---- what OpenSpiel asks ------------------------------------------------------------------------------------

    def current_player(self) -> int:
        if self._waiting or self._engine is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._engine.is_over else self._engine.turn

    def _legal_actions(self, player: int) -> list[int]:
        state = self._engine
        asked = state is not None and not self._waiting and player == state.turn
        return self._shared.actions.numbers(state.legal_moves()) if state is not None and asked else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        deck = self._waiting[0]
        left = Counter(self._orders[deck][self._known[deck] :])
        total = left.total()
        return [(card, count / total) for card, count in sorted(left.items())]

    def _apply_action(self, action: int) -> None:
        if self._waiting:
            self._determine(self._waiting.pop(0), action)
            if not self._waiting:
                self._at = _Replayed(self._shared, bytes(self._orders[0]), bytes(self._orders[1]), self._moves)
            return
        assert self._at is not None
        after = self._at.after(action)
        if isinstance(after, _Replayed):
            if self._shared.actions.move(action).kind == "return":
                self._put_back(action)
            for deck, left in enumerate(after.state.deck_counts):
                self._draw(deck, len(self._hidden[deck]) - left)
        self._moves = (*self._moves, action)
        if not self._waiting:
            self._at = after

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {CARD_TEXTS[action]}"
        return str(self._shared.actions.move(action))

    def is_terminal(self) -> bool:
        return self._engine is not None and not self._waiting and self._engine.is_over

    def returns(self) -> list[float]:
        winner = self._engine.winner if self._engine is not None and self.is_terminal() else None
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        if self._engine is None:
            return "dealt: " + " ".join(CARD_TEXTS[card] for card in self._orders[0][: self._known[0]])
        return f"{board_text(self._engine)}\n{self._waiting}"

    # ---- what observers ask -------------------------------------------------------------------------------------

    def view(self, player: int) -> View | None:
        """What a player knows; before the first decision, None. At a chance node: before the move that led to it."""
        return None if self._engine is None else self._engine.view(player)

    def seen(self, player: int) -> str:
        """The information state: the first hand, and what the player has seen since."""
        if self._engine is None:
            return _seen_text(player, [CARD_TEXTS[card] for card in self._orders[0][: self._known[0]][player::2]], ())
        if isinstance(self._at, _Sampled):
            return self._before[player] + "".join(f"; {self._shared.actions.move(action)}" for action in self._moves)
        hand = self._orders[0][: 2 * self._shared.rules.hand_size][player::2]
        return _seen_text(player, [CARD_TEXTS[card] for card in hand], self._engine.events(player))

    # ---- decks --------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> State | None:
        return None if self._at is None else self._at.state

    def _draw(self, deck: int, count: int) -> None:
        """So many cards leave a deck; chance determines those that nobody knows."""
        drawn, self._hidden[deck] = self._hidden[deck][:count], self._hidden[deck][count:]
        self._waiting += [deck for card in drawn if card is None]

    def _put_back(self, action: int) -> None:
        """A card goes back to its deck, as the recruiter's player chose."""
        text = self._shared.actions.move(action).text.removeprefix("return ")
        card = CARD_NUMBERS[text]
        hidden = self._hidden[card >= 60]
        hidden.insert(0 if self._shared.rules.scout_return == "top" else len(hidden), card)

    def _determine(self, deck: int, card: int) -> None:
        """Chance says which card the next one of a deck is: it changes places with the one that stood for it."""
        order, known = self._orders[deck], self._known[deck]
        index = order.index(card, known)
        order[known], order[index] = order[index], order[known]
        self._known[deck] = known + 1


def _seen_text(seat: int, hand: Iterable[str], events: Iterable[Event]) -> str:
    """An information state as a text."""
    return f"{seat}: {_sorted(hand)}" + "".join(f"; {event}" for event in events)


def _sorted(cards: Iterable[str]) -> str:
    return " ".join(sorted(cards, key=CARD_NUMBERS.__getitem__))


def first_hand(view: View) -> list[str]:
    """The cards that a view's seat was dealt: what it holds and has played or put back, without what it has drawn."""
    cards = Counter(view.hand)
    ruse = ""
    for event in view.history:
        if event.seat != view.seat or event.card is None:
            continue
        if event.kind == "draw":
            cards[event.card] -= 1
        elif event.kind == "take":
            ruse += " takes"
        elif event.kind == "place" and ruse in ("redeploy takes", "traitor takes"):
            ruse = ""  # the card that was taken, not one from the hand
        elif event.kind in ("place", "mode", "ruse", "return"):
            cards[event.card] += 1
            ruse = event.card if event.kind == "ruse" else ruse
    return list(cards.elements())


class SchottenObserver:
    """Observations as OpenSpiel wants them: `tensor`, `dict`, and as texts."""

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
        """The observation as a text, or the information state with perfect recall."""
        if self._recall:
            return state.seen(player)
        view = state.view(player)
        if view is None:
            return state.seen(player)
        sides = "/".join(" ".join(cards) for cards in (*view.mine, *view.theirs))
        modes = "/".join(" ".join(view.modes(stone)) for stone in range(1, 10))
        rest = [view.owners, view.phase, *view.row(0), "|", *view.row(1), view.pending or "", *view.known_in_hand]
        counts = [*view.deck_counts, *view.hand_counts(1 - player)]
        return f"{player}: {' '.join(view.hand)}; {sides}; {modes}; {' '.join(rest)}; {' '.join(map(str, counts))}"


pyspiel.register_game(_TYPE, SchottenGame)


class OpenSpielBot(Bot):
    """Override `make`. What the bot sees of a game is a sample: a state that agrees with all that its seat knows.

    The hidden cards are drawn anew for each decision, so a bot that searches the state given (such as OpenSpiel's MCTS)
    searches one possible deal. `samples`: how many are shown for each decision; the move chosen most often is made.
    """

    def __init__(self, samples: int = 1) -> None:
        if samples < 1:
            raise ValueError(f"samples is at least 1, not {samples}")
        self.samples = samples
        self.game: SchottenGame | None = None

    def make(self, game: Any, player: int, seed: int) -> Any:
        """The bot of OpenSpiel for a game as `player` (0 begins). All its chance must come from `seed`, below 2**32."""
        raise NotImplementedError("override make(game, player, seed)")

    def begin(self, setup: Setup) -> None:
        """A new game, a new bot."""
        if self.game is None or self.game.rules != setup.rules:
            self.game = pyspiel.load_game(NAME, {"rules": setup.rules.canonical})
        self.player = setup.seat
        self.bot = self.make(self.game, self.player, setup.seed % (1 << 32))

    def act(self, view: View, moves: list[Move]) -> Move:
        """What the bot chooses, in most of the samples."""
        assert self.game is not None
        votes: Counter[int] = Counter()
        for _ in range(self.samples):
            votes[int(self.bot.step(self.game.state_of(view, view.rng)))] += 1
        return self.game.actions.move(max(sorted(votes), key=votes.__getitem__))
