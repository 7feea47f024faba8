"""What a seat is told of the game: its events."""

from __future__ import annotations

import pytest

from arena.game.cards import CARD_TEXTS
from tests.game.play import go, random_game, scouted


@pytest.mark.parametrize("rules_name", ["tactical"])
def test_events_are_censored_for_a_seat(rules_name: str) -> None:
    """Both seats saw the same events; of the other's draws and returns only the deck."""
    hidden = 0
    for seed in range(10):
        end = [state for state, _ in random_game(rules_name, seed, tactic=5)][-1]
        for seat in (0, 1):
            own, other = end.events(seat), end.events(1 - seat)
            assert len(own) == len(other)
            assert [event.seat for event in own] == [event.seat for event in other]
            for mine, theirs in zip(own, other, strict=True):
                if mine.kind not in ("draw", "return"):
                    assert mine == theirs
                elif mine.seat == seat:
                    assert mine.card
                    assert mine.deck == theirs.deck == ("clan" if mine.card in CARD_TEXTS[:60] else "tactic")
                else:
                    hidden += 1
                    assert mine.card is None
                    assert mine.text in (f"{'draws' if mine.kind == 'draw' else 'returns'} a {mine.deck} card",)
    assert hidden > 100


def test_events_in_words() -> None:
    state = go(scouted("top"), "return *J,return b8")
    assert [str(event) for event in state.events(0)] == [
        "a r1@1",
        "a draws scout",
        "b g1@1",
        "b draws a clan card",
        "a scout",
        "a draws *J",
        "a draws b8",
        "a draws p8",
        "a return *J",
        "a return b8",
    ]
    assert [str(event) for event in state.events(1, 5)] == [
        "a draws a tactic card",
        "a draws a clan card",
        "a draws a clan card",
        "a returns a tactic card",
        "a returns a clan card",
    ]
    assert [str(event) for event in state.view(1).history[-2:]] == ["a returns a tactic card", "a returns a clan card"]
