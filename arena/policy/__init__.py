"""What strong bots are made of, in the engine's speed: chances to win, nets, search.

    from arena.policy import Evaluator, Net, Searcher, load_net

An `Evaluator` says how likely a seat wins each stone and the game (`stone_odds`, `value`), what each move is worth
(`values`) and which is best (`choose`). A `Net` is an evaluator with learned weights. A `Searcher` tries an evaluator's
best moves in samples of the hidden cards.
"""

import arena.game  # noqa: F401  (refuses compiled files that do not fit, these here among them)
from arena.policy.evaluator import Evaluator
from arena.policy.net import Net
from arena.policy.search import Searcher
from arena.policy.weights import load_net

__all__ = ["Evaluator", "Net", "Searcher", "load_net"]
