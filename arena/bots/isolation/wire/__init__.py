"""Bots in any language: one JSON object a line."""
