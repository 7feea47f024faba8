"""A bot as the other side of an environment: told what a referee would tell it, asked for its moves."""

from __future__ import annotations

from collections.abc import Callable

from arena.bots.bot import Actor, GameEnd, Setup, hook_of
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import Deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules


class Opponent:
    """A bot by its spec, or what makes one. What it raises passes through: an opponent must not fail."""

    def __init__(self, bot: str | Callable[[], Actor]) -> None:
        self.name = bot if isinstance(bot, str) else getattr(bot, "__name__", "opponent")
        self.bot = load_bot(find_bot(bot), capture=False).make() if isinstance(bot, str) else bot()
        self.auto_claim = bool(getattr(self.bot, "auto_claim", True))

    def begin(self, seat: int, rules: Rules, deal: Deal, seed: int) -> None:
        """A new game; all its chance comes from `seed`."""
        self.seat = seat
        self.rng = Rng(derive_seed(seed, "opponent"))
        self.told = 0
        hook = hook_of(self.bot, "begin")
        if hook is not None:
            hook(Setup(seat, deal.starter, rules, derive_seed(seed, "setup"), None))

    def move(self, state: State) -> None:
        """Make its decision."""
        moves = state.legal_moves()
        if len(moves) == 1 and not getattr(self.bot, "ask_forced", False):
            state.apply(moves[0])
            return
        self._tell(state)
        state.apply(self.bot.act(state.view(self.seat, self.rng), moves))

    def end(self, state: State) -> None:
        """The game is over."""
        self._tell(state)
        hook = hook_of(self.bot, "end")
        if hook is not None and state.outcome is not None:
            hook(GameEnd(state.winner, state.outcome.stones, state.outcome.reason))

    def _tell(self, state: State) -> None:
        hook = hook_of(self.bot, "observe")
        if hook is not None:
            events = state.events(self.seat, self.told)
            self.told += len(events)
            for event in events:
                hook(event)
