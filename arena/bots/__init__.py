"""Bots: their protocol, and how they are found and loaded."""
