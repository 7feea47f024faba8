"""From pairs to numbers: every figure this project reports, as plain functions of counts and games."""
