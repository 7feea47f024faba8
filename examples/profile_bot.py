"""Profile a bot. Any profiler works, because the bot runs in this process."""

import cProfile
import pstats

from arena import play_game

profile = cProfile.Profile()
game = profile.runcall(play_game, "counter", "random", seed=1)
pstats.Stats(profile).sort_stats("cumulative").print_stats("bots/", 8)
print(f"{game.first}: {game.ms[0] / game.decisions[0]:.2f} ms a decision")
