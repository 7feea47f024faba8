"""Read a stored run into pandas frames, and plot its ratings."""

import sys

import arena

run = arena.load(sys.argv[1] if len(sys.argv) > 1 else "results/quick")
assert isinstance(run, arena.Run), "a comparison holds several runs; name one of them"
print(run.standings[["bot", "elo", "elo_error95"]].to_string(index=False))
print(run.crosstable.pivot(index="bot", columns="opponent", values="score").round(2).to_string())
run.plot("standings").save(f"{run.name}.svg")
