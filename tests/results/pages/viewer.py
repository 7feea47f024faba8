"""The states of a game as the viewer of a page computes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def states(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The state after each step."""
    state: dict[str, Any] = {}
    for step in data["steps"]:
        state = {key: value for key, value in (state | step["set"]).items() if value is not None}
        yield state
