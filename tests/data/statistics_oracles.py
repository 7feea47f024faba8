"""Write statistics_oracles.json beside this file: figures of statsmodels, choix and OpenSpiel for fixed results.

pip install statsmodels choix open_spiel
python tests/data/statistics_oracles.py
"""

import json
from pathlib import Path

import choix
import numpy as np
import statsmodels.api as sm
from open_spiel.python.voting import base, schulze
from scipy.stats import chi2

WON = [[0, 30, 45, 12], [20, 0, 31, 40], [15, 29, 0, 33], [38, 10, 17, 0]]
"""Games that the row's bot won against the column's."""
BALLOTS = {
    "winner": [["a", "b", "c", "d"], ["a", "c", "b", "d"], ["b", "a", "d", "c"]],
    "wikipedia": [["a", "c", "b", "e", "d"]] * 5
    + [["a", "d", "e", "c", "b"]] * 5
    + [["b", "e", "d", "a", "c"]] * 8
    + [["c", "a", "b", "e", "d"]] * 3
    + [["c", "a", "e", "b", "d"]] * 7
    + [["c", "b", "a", "d", "e"]] * 2
    + [["d", "c", "e", "b", "a"]] * 7
    + [["e", "b", "a", "d", "c"]] * 8,
}


def line() -> dict[str, object]:
    """The Bradley-Terry model as a binomial regression: the p value of Pearson's sum, strengths."""
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    design = np.zeros((len(pairs), 4))
    for row, (i, j) in enumerate(pairs):
        design[row, i], design[row, j] = 1, -1
    counts = np.array([[WON[i][j], WON[j][i]] for i, j in pairs])
    fit = sm.GLM(counts, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    games = [(i, j) for i in range(4) for j in range(4) for _ in range(WON[i][j])]
    return {
        "won": WON,
        "p_value": float(chi2.sf(fit.pearson_chi2, len(pairs) - 3)),
        "strengths": [0.0, *fit.params],
        "choix": list(choix.ilsr_pairwise(4, games)),
    }


def votes() -> dict[str, object]:
    found = {}
    for name, ballots in BALLOTS.items():
        profile = base.PreferenceProfile(votes=[base.WeightedVote(1, ballot) for ballot in ballots])
        found[name] = {"ballots": ballots, "schulze": schulze.SchulzeVoting().run_election(profile).ranking}
    return found


figures = {"line": line(), "votes": votes()}
Path(__file__).with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")
