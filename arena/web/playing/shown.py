"""What a person may see of a game, as plain values for the page: made from a view, which holds no secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.game.cards import card_name
from arena.game.engine import View
from arena.game.event_log import Event
from arena.game.moves import Move
from arena.results.board import legend
from arena.terminal.advice import why
from arena.terminal.news import News
from arena.terminal.scene import Scene

_STONES = range(1, 10)
_ASKS = {
    "claim": "Claim stones, or go on.",
    "play": "Your move: a card, and then a stone.",
    "take": "Take a card from the table.",
    "put": "Put it where it shall lie.",
    "scout": "Draw from which deck?",
    "return": "Give back a card of your hand.",
    "draw": "Draw from which deck?",
}
_FROM_HAND = ("play", "return")


def table_shown(scene: Scene, news: News, events: Sequence[Event]) -> dict[str, Any]:
    """The table as it is for the person, who sits below. Pairs are (the person, the bot).

    Of each stone there are `owner` (0, 1, None), `modes`, `sides`, `fresh` (cards that are news) and `why`: what can be
    said about a claim, "" where no side is complete.
    """
    fresh = {(event.seat == news.seat, event.stone, event.card) for event in news.events if event.card is not None}
    stones = []
    for at, owner, older in zip(_STONES, scene.owners, scene.older):
        sides = [side[at - 1] for side in scene.sides]
        played = [(card, (which == 0, at, card.partition("=")[0])) for which in (0, 1) for card in sides[which]]
        stones.append(
            {
                "number": at,
                "owner": owner,
                "modes": scene.modes[at - 1],
                "sides": sides,
                "fresh": [card for card, event in played if event in fresh],
                "why": why(scene, at) if owner is not None or older is not None else "",
            }
        )
    cards = {card for row in (scene.hands[0] or (), *scene.sides[0], *scene.sides[1], *scene.beside) for card in row}
    return {
        "turn": scene.turn,
        "names": scene.names,
        "rules": scene.rules.name,
        "tactics": bool(scene.rules.tactics),
        "stones": stones,
        "won": [scene.stones_of(side) for side in (0, 1)],
        "hand": scene.hands[0] or (),
        "backs": scene.counts[1],
        "beside": scene.beside,
        "decks": scene.decks,
        "pending": scene.pending,
        "to_move": scene.to_move,
        "legend": legend(scene.rules),
        "news": news.text(),
        "log": [f"{news.names[event.seat]}: {event.text}" for event in events],
        "called": {card: _called(card, scene.rules.edition) for card in sorted(cards)},
    }


def _called(card: str, edition: str) -> str:
    """A card in words; of a wild that is bound, also what it is bound to."""
    wild, _, bound = card.partition("=")
    return card_name(wild, edition) + (f" as {card_name(bound, edition)}" if bound else "")


def moves_shown(view: View, moves: Sequence[Move]) -> dict[str, Any]:
    """What is asked for, and the legal moves in groups: those of a card in hand together.

    Of each move there are `at` (its place among the moves), `text`, `said` (in words), `card` (in hand, "" for none)
    and `stone` ("" for none).
    """
    edition = view.rules.edition
    groups: dict[str, list[dict[str, Any]]] = {}
    for at, move in enumerate(moves):
        card = (move.card or "") if view.phase in _FROM_HAND else ""
        one = {"at": at, "text": move.text, "said": _said(move, edition), "card": card, "stone": move.stone or ""}
        groups.setdefault(card, []).append(one)
    found = [{"card": card, "called": card and card_name(card, edition), "moves": of} for card, of in groups.items()]
    return {"asks": _ASKS[view.phase], "groups": found}


def _said(move: Move, edition: str) -> str:
    """A move in words."""
    card = move.card and card_name(move.card, edition)
    if move.kind in ("place", "mode"):
        bound = f" as {card_name(move.binding, edition)}" if move.binding else ""
        return f"{card}{bound} to stone {move.stone}"
    words = {
        "ruse": f"Play {card}",
        "take": f"Take {card} from stone {move.stone}",
        "discard": "Discard it",
        "claim": f"Claim stone {move.stone}",
        "no claim": "Claim nothing more",
        "draw": f"Draw a {move.text.removeprefix('draw ')} card",
        "return": f"Give back {card}",
        "pass": "Pass",
    }
    return words[move.kind]
