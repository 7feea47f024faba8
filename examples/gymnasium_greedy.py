"""One seat as a Gymnasium environment; the other is played by `greedy`. Needs: pip install 'schotten-arena[gymnasium]'"""

import gymnasium

import arena.adapters.gymnasium_env  # registers the environment

env = gymnasium.make("SchottenTotten-v0", opponent="greedy", rules="base")
env.action_space.seed(1)
won = 0
for game in range(20):
    observation, info = env.reset(seed=game)
    done = False
    while not done:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, done, truncated, info = env.step(action)
    won += reward > 0
print(f"random moves won {won} of 20 games against greedy")
