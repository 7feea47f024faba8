"""A function as Kaggle's competitions have them, in a game here. `arena new NAME --kaggle` writes such a bot."""

from typing import Any

from arena import play_game
from arena.adapters.kaggle import kaggle_bot


def agent(observation: Any, configuration: Any) -> str:
    """Plays high cards at the first stones."""
    ranked = sorted(observation.moves, key=lambda move: (move.partition("@")[0][1:], move), reverse=True)
    return str(ranked[0])


print(repr(play_game(kaggle_bot(agent), "random", seed=1, names=("agent", "random"))))
