"""Play a round robin from Python, the same as `arena tournament counter greedy random --games 20 --seed 1`."""

from arena import run_tournament

if __name__ == "__main__":  # worker processes may import this file
    run = run_tournament(["counter", "greedy", "random"], games=20, seed=1)
    print(run)
    print(run.standings[["rank", "bot", "elo", "elo_error95", "wins", "draws", "losses"]].to_string(index=False))
    print(f"stored in {run.folder}")
