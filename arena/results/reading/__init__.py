"""Stored runs, games and comparisons as the plain values that every view starts from."""
