"""Fixtures of the tests of matches."""

from tests.match.stored import store

__all__ = ["store"]
