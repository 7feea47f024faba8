"""A bot in the form of Kaggle's competitions: a function agent(observation, configuration).

Copy it to bots/ and play it: arena match bots/kaggle_agent.py random. Or run this file to play one game.
"""

from typing import Any

from arena import play_game
from arena.adapters.kaggle import kaggle_bot


def agent(observation: Any, configuration: Any) -> str:
    """Return one of observation.moves, or its place in them. Every choice in the game is made here, one at a time.

    observation.hand                            your cards, such as ["r7", "b2", "*J"]
    observation.mine[s], observation.theirs[s]  the cards of both sides of stone s + 1, for s in 0..8
    observation.owners[s]                       "mine", "theirs" or None
    observation.phase, observation.step         the kind of decision (play, draw, take, ...), turns before this one
    configuration.rules, configuration.hand_size, ...
    """

    def worth(move: str) -> int:
        card, _, stone = move.partition("@")
        if not stone.isdigit():
            return 0
        return sum((other[0] == card[0]) + (other[1:] == card[1:]) for other in observation.mine[int(stone) - 1])

    return str(max(observation.moves, key=worth))


act = kaggle_bot(agent)

if __name__ == "__main__":
    print(repr(play_game(act, "random", seed=1, names=("agent", "random"))))
