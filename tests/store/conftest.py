"""Fixtures of the tests of matches."""

from tests.store.stored import store

__all__ = ["store"]
