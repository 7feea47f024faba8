"""Building blocks of strong bots, at the engine's speed: chances to win, nets, search, self-play.

    from arena.policy import Evaluator, Searcher, load_net

An `Evaluator` estimates a seat's chance to win each stone and the game (`stone_odds`, `value`, `explain`) and its
chance after each move (`values`), and chooses the best move (`choose`). A `Net` is an evaluator with learned weights;
`load_net` loads those packaged with the program. A `Playout` plays a position on with evaluators, a `Searcher` tries an
evaluator's best moves in samples of the hidden cards. `features` returns positions as arrays for other nets,
`self_play` the positions of whole games.

Positions are views or states. Every question about a position is answered from what one seat knows, the view's or the
one to decide: the hidden cards of a state play no part. All numbers are the same on every machine.

The modules run only compiled: without compiled files, and with `ARENA_PURE=1`, importing them raises an ArenaError.
"""

import arena.game  # noqa: F401  (refuses compiled files that do not fit, including the ones imported below)
from arena.policy.evaluator import Evaluator, StoneOdds
from arena.policy.inputs import features
from arena.policy.net import Net
from arena.policy.search import Playout, Searcher
from arena.policy.selfplay import Games, self_play
from arena.policy.weights import load_net

__all__ = ["Evaluator", "Games", "Net", "Playout", "Searcher", "StoneOdds", "features", "load_net", "self_play"]
