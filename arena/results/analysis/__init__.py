"""Stored games judged move by move: chances to win, turning points, blunders, losses by bot."""
