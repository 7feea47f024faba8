# What the engine's sources use of Cython, for mypy.
from typing import TypeVar

_T = TypeVar("_T")

compiled: bool

def final(method: _T) -> _T: ...
