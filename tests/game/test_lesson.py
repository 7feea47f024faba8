"""What the lesson says about the game is true."""

from __future__ import annotations

from itertools import combinations

import pytest

from arena.game import lesson
from arena.game.cards import CARD_TEXTS
from arena.game.explain import CATEGORY_WORDS, Verdict, evaluate, judge_claim, read_side, strongest
from arena.game.rng import Rng
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


def test_the_strongest_side_is_that_of_all_that_can_be_made() -> None:
    rules, rng = load_rules("tactical"), Rng(4)
    for _ in range(60):
        cards = list(CARD_TEXTS[:54])
        rng.shuffle(cards)
        held, free = cards[: 1 + rng.randrange(2)], cards[2:9]
        modes = rng.choice([(), ("fog",), ("mud",)])
        missing = (4 if modes == ("mud",) else 3) - len(held)
        made = [evaluate(rules, read_side(rules, [*held, *more]), modes) for more in combinations(free, missing)]
        word = sum(1 << CARD_TEXTS.index(card) for card in free)
        found = strongest(rules, read_side(rules, held), word, modes)
        assert found is not None
        assert found[1].strength == max(one.strength for one in made)
        assert set(found[0]) <= set(free)


def test_each_exercise_has_one_right_answer() -> None:
    for exercise in lesson.EXERCISES:
        verdicts = [exercise.verdict(answer) for answer in range(len(exercise.answers))]
        assert [verdict.startswith("Right") for verdict in verdicts].count(True) == 1
        if exercise.cards:  # only one of the cards makes a claim that holds
            rules = load_rules("tactical")
            sides = [read_side(rules, [*exercise.mine.split(), card]) for card in exercise.answers]
            theirs = read_side(rules, exercise.theirs.split())
            holds = [judge_claim(rules, side, theirs, (), exercise.modes, exercise.older).holds for side in sides]
            assert holds.index(True) == exercise.right
            assert holds.count(True) == 1
        else:
            mine, theirs = (
                read_side(load_rules("tactical"), side.split()) for side in (exercise.mine, exercise.theirs)
            )
            claim_of_mine = judge_claim(load_rules("tactical"), mine, theirs, (), exercise.modes, exercise.older)
            assert (exercise.right == 0) == claim_of_mine.holds
