"""Test whether a change helped: play pairs until it is clear whether `greedy` is 50 Elo stronger than `random`."""

from arena import run_tournament

if __name__ == "__main__":  # worker processes may import this file
    run = run_tournament(["greedy", "random"], format="sprt", sprt={"elo0": 0, "elo1": 50}, seed=1)
    test = run.sprt
    print(f"{test.verdict} after {test.units} pairs, log likelihood ratio {test.llr:.2f}")
    print(f"{test.estimate.elo:+.0f} Elo as far as {test.units} pairs can tell" if test.estimate else "no pairs")
