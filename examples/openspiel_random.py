"""The game in OpenSpiel, and a bot of OpenSpiel's in a game here: pip install 'schotten-arena[openspiel]'"""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from arena import play_game
from arena.adapters.openspiel_game import OpenSpielBot

game = pyspiel.load_game("python_schotten_totten", {"rules": "base"})
state = game.new_initial_state()
random = np.random.RandomState(1)
while not state.is_terminal():
    outcomes = state.chance_outcomes() if state.is_chance_node() else [(one, 1) for one in state.legal_actions()]
    state.apply_action(outcomes[random.randint(len(outcomes))][0])
print(f"at random: {state.returns()} after {state.move_number()} actions and deals")


class Searching(OpenSpielBot):
    """Its Monte Carlo tree search, in one sample of the hidden cards a decision."""

    def make(self, game: Any, player: int, seed: int) -> Any:
        chance = np.random.RandomState(seed)
        return mcts.MCTSBot(game, 1.4, 20, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)


print(repr(play_game(Searching, "random", seed=1)))
