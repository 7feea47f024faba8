"""The global generators of `random` and numpy, seeded for bots that draw from them."""

from __future__ import annotations

import importlib
import random
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _numpy_random() -> Any:
    try:
        return importlib.import_module("numpy.random")
    except ImportError:
        return None


def seed_generators(seed: int, numpy: bool) -> None:
    """Seed the global generators, for bots that draw from them."""
    random.seed(seed)
    generator = _numpy_random() if numpy else None
    if generator is not None:
        generator.seed(seed & 0xFFFFFFFF)
