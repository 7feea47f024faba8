"""Play the game as a PettingZoo environment at random: pip install 'schotten-arena[pettingzoo]'."""

from arena.adapters import pettingzoo_env

env = pettingzoo_env.env(rules="tactical")
env.reset(seed=1)
for number, agent in enumerate(env.agents):
    env.action_space(agent).seed(number)
for agent in env.agent_iter():
    observation, reward, termination, truncation, _ = env.last()
    if termination or truncation:
        env.step(None)
        print(f"{agent} gets {reward:+d}")
    else:
        env.step(env.action_space(agent).sample(observation["action_mask"]))
