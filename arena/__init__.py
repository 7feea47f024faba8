"""Schotten-Totten arena: bots, tournaments and statistics for the card game Schotten-Totten."""
