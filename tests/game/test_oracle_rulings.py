"""Set positions for the oracle, one ruling of RULES.md each."""

from __future__ import annotations

import random

import pytest

from tests.game.test_oracle import deal
from tests.oracle import PRESETS, Options, Oracle, beats, best


def table(
    rules: str | Options,
    hand: str = "",
    other_hand: str = "",
    a: dict[int, str] | None = None,
    b: dict[int, str] | None = None,
    order: str = "ab",
    owners: str = ".........",
    clan_deck: str = "",
    tactic_deck: str = "",
    auto: tuple[bool, bool] = (True, True),
) -> Oracle:
    """Seat 0 (a) to play. Sides by stone number; the sides of the seat first in `order` are older."""
    options = PRESETS[rules] if isinstance(rules, str) else rules
    game = deal(options, random.Random(0), auto)
    game.turn, game.owner = 0, list(owners)
    game.hands = [hand.split(), other_hand.split()]
    game.clan_deck, game.tactic_deck = clan_deck.split(), tactic_deck.split()
    for letter in order:
        for number, cards in ((a if letter == "a" else b) or {}).items():
            for card in cards.split():
                game.place("ab".index(letter), number - 1, card)
    return game


def run(game: Oracle, *moves: str) -> Oracle:
    for move in moves:
        game.apply(move)
    return game


def test_stamp_is_cleared_by_banshee_and_by_mud() -> None:
    game = table("tactical", "deserter k1", "r3 k2", a={1: "y1 y2 y3"}, b={1: "r1 r2 *J"}, order="ba")
    assert game.claimable(0) == set()
    run(game, "deserter", "take *J@1")
    assert game.discards == [["deserter"], ["*J"]]
    assert game.owners == "a........"  # r1 r2 r3 would only tie, and complete second
    mud = table("tactical", "mud k1", "k2", a={1: "y1 y2 y3"}, b={1: "r1 r2 r3"}, order="ba")
    run(mud, "mud@1")
    assert mud.first_complete(0, 0) is None
    assert mud.owners == "........."


PROVABLE = {1: "r7 r8 r9", 2: "g7 g8 g9", 3: "b7 b8 b9", 4: "y7 y8 y9"}


def test_automatic_claims_are_made_together() -> None:
    game = run(table("base", "k1 k2", "k3", a=PROVABLE), "k1@9")
    assert (game.owners, game.reason, game.points) == ("aaaa.....", "three adjacent", (5, 0))
    assert game.hands[0] == ["k2"]


def test_claims_as_moves_end_at_the_first_that_wins() -> None:
    game = table("base", "k1 k2", "k3", a=PROVABLE, clan_deck="k4", auto=(False, True))
    run(game, "k1@9", "claim 1", "claim 3")
    assert game.legal_moves() == ["claim 2", "claim 4", "no claim"]
    assert run(game, "claim 2").is_over
    assert (game.owners, game.winner) == ("aaa......", 0)
    assert game.hands[0] == ["k2"]  # no draw follows


def test_win_at_the_start_of_a_turn() -> None:
    game = table("expert", "k1", "k3", b=PROVABLE)
    run(game, "k1@9")
    assert (game.winner, game.hands[1]) == (1, ["k3"])


FULL = {
    1: "r1 g2 b4",
    2: "r2 g3 b5",
    3: "r4 g5 b1",
    4: "y1 p2 k4",
    5: "y2 p3 k5",
    6: "y4 p5 k1",
    7: "r5 p1 y3",
    8: "k2 b3 g1",
    9: "p4 r3 g4",
}


def test_stalemate_of_two_full_rows() -> None:
    mirrored = str.maketrans("12345", "54321")
    others = {number: cards.translate(mirrored) for number, cards in FULL.items()}
    game = table("base", "b9", "r9", a=FULL, b=others, auto=(False, False))
    assert game.legal_moves() == ["pass"]
    while not game.is_over:
        run(game, "no claim" if game.phase == "claim" else "pass")
    assert game.reason == "stalemate"
    assert "." not in game.owners
    for stone in range(9):
        mine, theirs = (best(game.sides[seat][stone], (), game.options) for seat in (0, 1))
        assert game.owners[stone] == ("a" if mine == theirs or beats(mine, theirs) else "b")
    assert game.winner == (0 if game.owners.count("a") >= 5 else 1)


def test_a_claim_breaks_a_row_of_passes() -> None:
    game = table("tactical", a={1: "r7 r8 r9"}, b={1: "b1 b2"})
    run(game, "pass")
    assert (game.owners, game.quiet_passes) == ("a........", 0)
    run(game, "pass")
    assert not game.is_over
    assert run(game, "pass").winner == 0  # one stone to none


@pytest.mark.parametrize(("where", "deck"), [("top", ["k1", "r1", "k4"]), ("bottom", ["k4", "r1", "k1"])])
def test_recruiter_returns_in_order(where: str, deck: list[str]) -> None:
    options = Options("", True, 9, 2, scout_return=where)
    game = table(options, "scout r1", "k9 k8", clan_deck="k1 k2 k3 k4")
    run(game, "scout")  # one deck only: no draw is a move
    assert game.legal_moves() == ["return r1", "return k1", "return k2", "return k3"]
    run(game, "return r1", "return k1")
    assert (game.clan_deck, game.turn) == (deck, 1)


def test_recruiter_chooses_decks() -> None:
    either, single = (Options("", True, 9, 2, scout_source=source) for source in ("either", "single"))
    game = table(either, "scout r1", "k9", clan_deck="k1 k2 k3", tactic_deck="fog")
    run(game, "scout", "draw clan", "draw tactic")  # the tactic deck has run out: k2 comes by itself
    assert (game.phase, game.hands[0], game.clan_deck) == ("return", ["r1", "k1", "fog", "k2"], ["k3"])
    run(game, "return fog", "return r1")
    assert (game.clan_deck, game.tactic_deck, game.turn) == (["k3", "r1"], ["fog"], 1)
    game = table(single, "scout r1", "k9", clan_deck="k1 k2 k3", tactic_deck="fog")
    run(game, "scout", "draw tactic")
    assert (game.hands[0], game.turn) == (["r1", "fog"], 1)


def test_strategist() -> None:
    game = table("tactical", "redeploy k1", "k9", a={1: "r1 *J b3", 2: "y1 y2 y3"}, b={1: "p9 p8 p7"})
    run(game, "redeploy")
    targets = "r1@1 *J@1 b3@1 y1@2 y2@2 y3@2"
    assert game.legal_moves() == [f"take {target}" for target in targets.split()]
    moved = run(game.copy(), "take *J@1")
    assert moved.legal_moves() == [f"*J@{number}" for number in range(3, 10)] + ["discard"]
    assert run(moved.copy(), "*J@5").sides[0][4] == ["*J"]
    assert run(moved, "discard").discards == [["redeploy", "*J"], []]
    assert game.phase == "take"


def test_traitor() -> None:
    game = table("tactical", "traitor k1", "k9", a={1: "r1 r2"}, b={1: "r3 *7", 2: "b1"}, owners=".......a.")
    run(game, "traitor")
    assert game.legal_moves() == ["take r3@1", "take b1@2"]
    run(game, "take r3@1")
    assert "r3" in game.face_up()
    assert game.legal_moves() == [f"r3@{number}" for number in (1, 2, 3, 4, 5, 6, 7, 9)]
    run(game, "r3@1")
    assert (game.sides[0][0], game.sides[1][0], game.discards) == (["r1", "r2", "r3"], ["*7"], [["traitor"], []])
    full = table("tactical", "traitor k1", a=FULL, b={1: "b9"})
    assert full.legal_moves() == ["pass"]
    assert run(full, "pass").hands[0] == ["traitor", "k1"]


def test_three_adjacent_go_before_more_stones_at_a_stalemate() -> None:
    a, b, manual = {3: "r7 r8 r9"}, {3: "b1 b2 k9"}, (False, False)
    game = table("tactical", a=a, b=b, owners="aa.bb.bb.", auto=manual)
    run(game, "pass", "no claim", "pass")
    assert (game.owners, game.winner, game.reason) == ("aaabb.bb.", 0, "stalemate")
    assert game.points == (5, 4)
    more = table("tactical", a=a, b=b, owners="a..bb.bb.", auto=manual)
    run(more, "pass", "no claim", "pass")
    assert (more.owners, more.winner, more.points) == ("a.abb.bb.", 1, (2, 5))


@pytest.mark.parametrize(
    ("window", "after_play", "at_start"),
    [("after_play", True, False), ("any_before_draw", True, True), ("turn_start", False, True)],
)
def test_claim_windows(window: str, after_play: bool, at_start: bool) -> None:
    options = Options("", claim_window=window)
    game = table(options, "r9 k1 k2", "p1 p2", a={1: "r7 r8"}, b={3: "g7 g8 g9"})
    run(game, "r9@1")
    assert (game.owners[0] == "a") == after_play
    assert (game.owners[2] == "b") == at_start  # before the other player's play
    run(game, "p1@9")
    assert game.owners == "a.b......"
