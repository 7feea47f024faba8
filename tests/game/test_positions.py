"""The worked positions of RULES.md §9 and those of the lesson, answered by `tools.positions`."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from arena.game import lesson
from arena.game.cards import CARD_TEXTS
from arena.game.explain import PositionError, Verdict, evaluate, judge_claim, read_side, strongest
from arena.game.record import parse_record, replay
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.oracle import PRESETS, best
from tools.positions import answer

DATA = Path(__file__).parents[1] / "data"
POSITIONS = json.loads((DATA / "positions.json").read_text())["positions"]


def without_answer(position: dict[str, Any]) -> dict[str, Any]:
    """A position whose `expect` names the keys that are asked for and nothing more."""
    return position | {"expect": dict.fromkeys(position["expect"])}


@pytest.mark.parametrize("position", POSITIONS, ids=[position["id"] for position in POSITIONS])
def test_worked_position(position: dict[str, Any]) -> None:
    assert answer(without_answer(position)) == position["expect"], position["reason"]


@pytest.mark.parametrize(
    "position", [position for position in POSITIONS if position["kind"] == "claim"], ids=lambda position: position["id"]
)
def test_a_refutation_refutes(position: dict[str, Any]) -> None:
    """The cards that are said to refute a claim complete the other side, are not face up, and beat the claimant."""
    found = answer({key: value for key, value in position.items() if key != "expect"})
    assert found["holds"] == position["expect"]["holds"]
    if found["refutation"]:
        options = PRESETS[position.get("ruleset", "iello-tactical")]
        env = position["env"]
        face_up = {*position["visible_elsewhere"], *position["discards"], *position["a"], *position["b"]}
        assert not face_up & set(found["refutation"])
        category, total = best([*position["b"], *found["refutation"]], env, options)
        own_category, own_total = best(position["a"], env, options)
        order = ["color_run", "kind", "color", "run", "sum"]
        assert (-order.index(category), total) > (-order.index(own_category), own_total)


@pytest.mark.parametrize(
    "case", json.loads((DATA / "refused_positions.json").read_text()), ids=lambda case: case["message"]
)
def test_invalid_positions_are_rejected(case: dict[str, Any]) -> None:
    position = {
        "id": "X1",
        "kind": "claim",
        "ruleset": "iello-tactical",
        "claimant": "a",
        "a": ["r1", "r2", "r3"],
        "b": ["b1"],
        "visible_elsewhere": [],
        "discards": [],
        "env": [],
        "first_complete": None,
    }
    assert answer(position)["holds"] is True
    with pytest.raises(PositionError, match=case["message"]):
        answer(position | case["changed"])


def test_the_order_of_completion_in_events() -> None:
    def first(events: str) -> str | None:
        found = answer({"id": "X", "kind": "tie_order", "events": events.split()})["first_complete"]
        assert found in ("a", "b", None)
        return found  # type: ignore[no-any-return]

    assert first("a+ a+ b+ b+") is None
    assert first("a+ a+ a+ b+ b+") == "a"
    assert first("b+ b+ b+ a+ a+") == "b"
    assert first("a+ a+ a+ b+ b+ b+ a- a+") == "b"
    assert first("a+ a+ a+ fog b+ b+ b+") == "a"
    assert first("a+ a+ a+ b+ b+ b+ mud b+ a+") == "b"


# ---------------------------------------------------------------- the lesson


BASE = load_rules("base")
STATE = replay(parse_record(lesson.EXAMPLE))
SIDES = [(STATE.side(0, stone), STATE.side(1, stone)) for stone in range(1, 10)]


def claim(stone: int, mine: str, theirs: str, more: str = "") -> Verdict:
    """Whether a side holds the stone of the lesson's position."""
    seen = [card for number, sides in enumerate(SIDES, 1) for side in sides for card in side if number != stone]
    return judge_claim(
        BASE, read_side(BASE, mine.split()), read_side(BASE, theirs.split()), [*seen, *more.split()], first="theirs"
    )


def test_what_is_said_about_the_position_holds() -> None:
    assert set(STATE.hand_of(0)) == set(lesson.HAND.split())
    assert STATE.owners == "ab......."
    assert claim(1, "r7 r8 r9", "b5").holds
    assert claim(2, "p2 p3 p4", "k4 g4 b4").holds
    assert set(claim(7, "r1 g2 b3", "k7").refutation) == {"k5", "k6"}
    assert set(claim(5, "p6 p7 p8", "b8").refutation) == {"b7", "b9"}
    assert claim(5, "p6 p7 p8", "b8", "b7").holds
    assert claim(5, "p6 p7 p8", "b8", "b9").holds


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
