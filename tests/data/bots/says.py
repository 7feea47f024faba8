"""Plays the last move and says something with it; or nothing, or something that is no note."""

from __future__ import annotations

from typing import Any


class Says:
    def __init__(self, what: str = "note") -> None:
        self.what = what

    def act(self, view: Any, moves: list[Any]) -> Any:
        if self.what == "note":
            view.note(value=0.7, text="the first is lost")
            view.note(value=1 / 3, depth=2, nodes=view.turns, text="\x1b[31mred; a", spread=view.turns / 7)
        elif self.what == "wrong":
            view.note(value=2)
        return moves[-1]
