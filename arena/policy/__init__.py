"""What strong bots are made of, at the engine's speed: chances to win, nets, search, self-play.

    from arena.policy import Evaluator, Searcher, load_net

An `Evaluator` says how likely a seat wins each stone and the game (`stone_odds`, `value`, `explain`), what each move
is worth (`values`) and which is best (`choose`). A `Net` is an evaluator with learned weights; `load_net` has those
packaged with it. A `Playout` plays a position on by evaluators, a `Searcher` tries an evaluator's best moves in samples
of the hidden cards. `features` gives positions as arrays for nets of your own, `self_play` whole games of them.

Positions are views or states. Whatever is asked about one is judged by what its seat knows, the view's or the one to
decide: hidden cards of a state play no part. All of it gives the same numbers on every machine, compiled or not.
"""

import arena.game  # noqa: F401  (refuses compiled files that do not fit, these here among them)
from arena.policy.evaluator import Evaluator, StoneOdds
from arena.policy.inputs import features
from arena.policy.net import Net
from arena.policy.search import Playout, Searcher
from arena.policy.selfplay import Games, self_play
from arena.policy.weights import load_net

__all__ = ["Evaluator", "Games", "Net", "Playout", "Searcher", "StoneOdds", "features", "load_net", "self_play"]
