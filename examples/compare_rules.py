"""Compare a bot's score under different rules. The same deals are played in every variant."""

from arena import run_tournament

if __name__ == "__main__":  # worker processes may import this file
    for rules in ("base", "base:hand_size=7", "tactical"):
        run = run_tournament(["counter", "greedy"], format="match", rules=rules, games=20, seed=1)
        counter = run.standings.set_index("bot").loc["counter"]
        print(f"{rules:20} {counter['score']:5.0%} of the points, {counter['mean_turns']:.1f} turns a game")
