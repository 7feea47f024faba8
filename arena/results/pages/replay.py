"""A stored game as a page of its own."""

from __future__ import annotations

from arena.results.analysis.game import GameAnalysis
from arena.results.pages.game_data import game_data
from arena.results.pages.render import render
from arena.results.pages.words import PAGE
from arena.results.reading.game import StoredGame


def replay_page(game: StoredGame, key: str, judged: GameAnalysis | None = None) -> str:
    """A page with the viewer alone; `key` is how the user named the game, `judged` its analysis (None: by the net).

    RecordError if the game does not replay.
    """
    data = game_data(game, key, judged)
    first = data["starter"]
    title = f"{data['names'][first]} – {data['names'][1 - first]}, {data['rules']}: {data['result']}"
    return render("replay.html", ["viewer.js"], {"games": [data]}, title=title, record=game.record, made=PAGE["made"])
