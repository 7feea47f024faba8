"""The reference values of independent programs, and the games behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

DATA = Path(__file__).parent.parent / "data" / "statistics.json"


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(DATA.read_text())
    return loaded


@pytest.fixture(scope="session")
def eight(reference: dict[str, Any]) -> pd.DataFrame:
    """Return the 5,040 games of the eight reference players, one row each, without deals."""
    rows = []
    for pairing, (won, drawn, lost) in reference["ratings_8_players_no_draws"]["counts"].items():
        first, second = pairing.split(" vs ")
        for count, score in ((won, 1.0), (drawn, 0.5), (lost, 0.0)):
            rows += [(first, second, score)] * count
    return pd.DataFrame(rows, columns=["first", "second", "score"])
