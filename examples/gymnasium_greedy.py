"""One seat as a Gymnasium environment; `greedy` plays the other: pip install 'schotten-arena[gymnasium]'."""

import gymnasium

env = gymnasium.make("arena.adapters.gymnasium_env:SchottenTotten-v0", opponent="greedy", rules="base")
env.action_space.seed(1)
won = 0
for game in range(20):
    observation, info = env.reset(seed=game)
    done = False
    while not done:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, done, truncated, info = env.step(action)
    won += float(reward) > 0
print(f"random moves won {won} of 20 games against greedy")
