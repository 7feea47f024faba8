"""What bots are made of: chances to win stones and games, in the engine's speed."""

import arena.game  # noqa: F401  (refuses compiled files that do not fit, these here among them)
from arena.policy.evaluator import Evaluator

__all__ = ["Evaluator"]
