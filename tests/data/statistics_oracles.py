"""Write statistics_oracles.json beside this file: figures of statsmodels and choix for fixed results.

pip install statsmodels choix
python tests/data/statistics_oracles.py
"""

import json
from pathlib import Path

import choix
import numpy as np
import statsmodels.api as sm
from scipy.stats import chi2

WON = [[0, 30, 45, 12], [20, 0, 31, 40], [15, 29, 0, 33], [38, 10, 17, 0]]
"""Games that the row's bot won against the column's."""


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


figures = {"line": line()}
Path(__file__).with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")
