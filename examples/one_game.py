"""Play one game and look at it: the moves, the board at the end, and the bots' thinking times."""

from arena import play_game

game = play_game("counter", "greedy", rules="tactical", seed=1, deal=3)
for state, move in game.steps():
    print(f"{state.turns:3} {game.seats[state.to_move]:10} {move}")
print(game)
for name, times in zip((game.first, game.second), game.decision_ms):
    print(f"{name}: {len(times)} decisions, the longest {max(times):.1f} ms")
