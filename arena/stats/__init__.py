"""From pairs to numbers: every figure this project reports, as plain functions of counts and games."""

DEFAULT_PRIOR, LEAST_PRIOR, MOST_PRIOR = 1.0, 0.001, 1_000_000
"""Virtual draws per bot in ratings. They stand here, since options and settings need them without numpy."""
