"""Fixtures of the tests of matches."""

from tests.tournament.store.stored import store

__all__ = ["store"]
