"""Plays a random legal move: the bot that every other one should beat."""

from __future__ import annotations

from arena import Move, View


def act(view: View, moves: list[Move]) -> Move:
    return view.rng.choice(moves)
