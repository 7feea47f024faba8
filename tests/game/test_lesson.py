"""What the lesson says about the game is true."""

from __future__ import annotations

import pytest

from arena.game import lesson
from arena.game.explain import CATEGORY_WORDS, Verdict, evaluate, judge_claim, read_side
from arena.game.rules import OPTIONS, load_rules, preset_names

BASE = load_rules("base")
SIDES = [tuple(side.split() for side in sides) for sides in zip(lesson.MINE, lesson.THEIRS)]


def claim(stone: int, mine: str, theirs: str, more: str = "") -> Verdict:
    """Whether a side holds the stone of the lesson's position."""
    seen = [card for number, sides in enumerate(SIDES, 1) for side in sides for card in side if number != stone]
    return judge_claim(
        BASE, read_side(BASE, mine.split()), read_side(BASE, theirs.split()), [*seen, *more.split()], first="theirs"
    )


def test_formations_are_named_by_strength() -> None:
    worth = [evaluate(BASE, read_side(BASE, cards.split())) for _, cards, _ in lesson.FORMATIONS]
    for formation, (name, *_) in zip(worth, lesson.FORMATIONS):
        assert f" {name} " in f"{formation} "
    assert [name for name, *_ in lesson.FORMATIONS] == [*reversed(CATEGORY_WORDS)]


def test_what_is_said_about_the_position_holds() -> None:
    cards = [card for pair in SIDES for side in pair for card in side] + lesson.HAND.split()
    assert len(cards) == len(set(cards))
    assert sum(map(len, (pair[0] for pair in SIDES))) == sum(map(len, (pair[1] for pair in SIDES)))
    assert claim(1, "r7 r8 r9", "b5").holds
    assert claim(2, "p2 p3 p4", "k4 g4 b4").holds
    assert set(claim(7, "r1 g2 b3", "k7").refutation) == {"k5", "k6"}
    assert set(claim(5, "p6 p7 p8", "b8").refutation) == {"b7", "b9"}
    assert claim(5, "p6 p7 p8", "b8", "b7").holds
    assert claim(5, "p6 p7 p8", "b8", "b9").holds


@pytest.mark.parametrize("name", preset_names())
def test_every_edition_is_told_apart_in_words(name: str) -> None:
    told = lesson.sentence(load_rules(name))
    same = {"iello-base": "The basic game, without tactic cards.", "bga-base": "The same as base."}
    assert told == same.get(name, told)
    assert not any(option in told for option in OPTIONS if "_" in option)
    assert "but" in told or name in same
