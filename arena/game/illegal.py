"""Why a move is not legal, in words."""
from __future__ import annotations
from typing import Any
def why_illegal(state: Any, move: Any) -> str:
    return f"{move} is not legal"
