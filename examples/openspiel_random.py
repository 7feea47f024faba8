"""Play a game in OpenSpiel at random: pip install 'schotten-arena[openspiel]'."""

import numpy as np
import pyspiel

import arena.adapters.openspiel_game  # noqa: F401  (registers the game)

game = pyspiel.load_game("python_schotten_totten", {"rules": "base"})
state = game.new_initial_state()
random = np.random.RandomState(1)
while not state.is_terminal():
    outcomes = state.chance_outcomes() if state.is_chance_node() else [(one, 1) for one in state.legal_actions()]
    state.apply_action(outcomes[random.randint(len(outcomes))][0])
print(f"at random: {state.returns()} after {state.move_number()} actions and deals")
