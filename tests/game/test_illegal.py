"""Why a move is illegal: one position and its exact sentence for every branch of `why_illegal`."""

from __future__ import annotations

import pickle

import pytest

from arena.game.board import PHASES
from arena.game.engine import IllegalMove, State
from arena.game.explain import ASKS, QUESTION_KINDS
from arena.game.moves import MOVE_COUNT, Move, parse_move
from tests.game.play import dump, go, set_up

#: Seat 0 begins with r1 r2 r3 ..., seat 1 with g1 g2 g3 ...; both draw tactic cards in turn.
MINE, THEIRS = "r1 r2 r3 r4 r5 r6", "g1 g2 g3 g4 g5 g6"


def table(tactic: str = "", rules: str = "iello-tactical", auto: bool = True) -> State:
    """A game in which seat 0 holds red and seat 1 green cards; the tactic deck as given."""
    return set_up(rules, MINE, THEIRS, tactic=tactic, auto=(auto, auto))


def reason(state: State, move: str | Move) -> str:
    """What is said about a move, without its beginning; the state stays as it was."""
    one = parse_move(move) if isinstance(move, str) else move
    before = dump(state)
    with pytest.raises(IllegalMove) as caught:
        state.apply(one)
    assert dump(state) == before
    beginning = f"{one} is not legal: "
    assert str(caught.value).startswith(beginning)
    return str(caught.value).removeprefix(beginning)


def test_every_phase_has_its_words() -> None:
    assert set(ASKS) == set(QUESTION_KINDS) == set(PHASES)


# ---- cards and phases -------------------------------------------------------------------------------------------


def test_a_move_made_by_hand() -> None:
    state = table()
    words = "this Move object was constructed by hand; use a move from legal_moves() or parse_move()"
    assert reason(state, Move(0, "r1@1", "place", "r1", 1, None)) == words
    for index in (0, MOVE_COUNT, 10**6, -1):
        assert reason(state, Move(index, "nonsense", "place", "x", 77, None)) == words
    assert pickle.loads(pickle.dumps(parse_move("r1@1"))) in state.legal_moves()


def test_cards_of_other_editions() -> None:
    assert reason(table(), "r10@1") == "iello-tactical has no r10"
    bga = table("*J", "bga-tactical")
    assert reason(bga, "*J=r10@1") == "bga-tactical has no r10"
    assert reason(table(), "*8@1") == "the spy of iello-tactical is *7"
    assert reason(set_up("battle-line-tactical", "r1"), "*7@1") == "the spy of battle-line-tactical is *8"
    assert reason(table(), "take *8@1") == "the spy of iello-tactical is *7"


@pytest.mark.parametrize("move", ["claim 1", "no claim", "take r1@1", "discard", "draw clan", "return r1"])
def test_a_card_is_to_be_played(move: str) -> None:
    assert reason(table(), move) == "a card must be played now"


def phases() -> dict[str, State]:
    """A state in each phase."""
    drawn = "r1@1,draw tactic,g1@1,draw tactic"
    claims = set_up("iello-tactical", "r7 r8 r9", THEIRS, auto=(False, False))
    go(claims, "r7@1,draw clan,g1@2,draw clan,r8@1,draw clan,g2@2,draw clan,r9@1")
    redeploy = go(table("redeploy fog"), drawn + ",redeploy")
    scout = go(table("scout fog"), drawn + ",scout")
    return {
        "claim": claims,
        "take": redeploy,
        "put": go(redeploy.copy(), "take r1@1"),
        "scout": scout,
        "return": go(scout.copy(), "draw clan,draw clan,draw clan"),
        "draw": go(table(), "r1@1"),
    }


@pytest.mark.parametrize("phase", ["claim", "take", "put", "scout", "return", "draw"])
def test_another_decision_is_asked_for(phase: str) -> None:
    state = phases()[phase]
    assert state.phase == phase
    assert reason(state, "r2@3" if phase != "put" else "take r1@1") == ASKS[phase]
    assert reason(state, "pass") == ASKS[phase]


def test_the_game_is_over() -> None:
    state = set_up("base", "r7 r8 r9 k7 k8 k9", "g1 g2 g3 g4 g5 g6", deck="y7 b1 y8 b2 y9 b3")
    go(state, "r7@1,g1@9,r8@1,g2@9,r9@1,g4@8,k7@2,g5@8,k8@2,b1@8,k9@2,g6@7,y7@3,b2@7,y8@3,b3@6,y9@3")
    assert (state.phase, state.owners[:3]) == ("over", "aaa")
    assert reason(state, "r1@5") == reason(state, "pass") == "the game is over"


# ---- plays ------------------------------------------------------------------------------------------------------


def test_plays_of_clan_cards() -> None:
    state = table()
    assert reason(state, "g1@1") == "g1 is not in the hand"
    assert reason(state, "mud@1") == "mud is not in the hand"
    assert reason(state, "scout") == "scout is not in the hand"
    assert reason(state, "pass") == "passing is only allowed when no clan card can be played"
    go(state, "r1@1,draw clan,g1@1,draw clan,r2@1,draw clan,g2@1,draw clan,r4@1,draw clan,g4@2,draw clan")
    assert state.owners == "........."
    assert reason(state, "r3@1") == "this player's side of stone 1 is full (3 cards)"


def test_a_full_side_under_mud() -> None:
    state = go(table("mud fog"), "r1@1,draw tactic,g1@1,draw clan,mud@1,draw clan,g2@2,draw clan")
    go(state, "r2@1,draw clan,g4@2,draw clan,r3@1,draw clan,g5@3,draw clan,r5@1,draw clan,g6@3,draw clan")
    assert len(state.side(0, 1)) == 4
    assert reason(state, "r6@1") == "this player's side of stone 1 is full (4 cards)"


def test_a_claimed_stone() -> None:
    state = set_up("iello-tactical", "r7 r8 r9", "g1 g2 g3 g4 g5 g6", tactic="fog mud *J")
    go(state, "r7@1,draw tactic,g1@2,draw tactic,r8@1,draw clan,g2@2,draw clan,r9@1,draw clan,g4@3,draw clan")
    assert state.owners == "a........"
    assert reason(state, f"{state.hand_of(0)[0]}@1") == "stone 1 has already been claimed"
    assert reason(state, "fog@1") == "stone 1 has already been claimed"
    go(state, "fog@4,draw clan")
    assert reason(state, "mud@1") == "stone 1 has already been claimed"


def test_the_tactic_limit() -> None:
    state = go(table("fog scout mud"), "r1@1,draw tactic,g1@1,draw tactic,fog@5,draw tactic,g2@1,draw clan")
    assert state.hand_of(0)[-1] == "mud"
    words = "the tactic limit: 1 played, 0 by the opponent; the lead may not exceed one"
    assert reason(state, "mud@3") == words
    go(state, "r2@1,draw clan,scout,draw clan,draw clan,draw clan")
    assert state.phase == "return"


def test_a_second_joker() -> None:
    state = go(table("*J *J fog"), "r1@1,draw tactic,g1@1,draw clan,*J@2,draw tactic,g2@1,draw tactic")
    assert "*J" in state.hand_of(0)
    assert "the tactic limit" in reason(state, "*J@3")
    go(state, "r2@1,draw clan,fog@9,draw clan")
    assert reason(state, "*J@3") == "each player may play only one joker per game"


def test_when_wilds_get_their_values() -> None:
    late = go(table("*J"), "r1@1,draw tactic,g1@1,draw clan")
    assert reason(late, "*J=r7@3") == ("in iello-tactical, a wild card gets its colour and value at the claim: *J@3")
    early = go(table("*J", "bga-tactical"), "r1@1,draw tactic,g1@1,draw clan")
    words = "in bga-tactical, a wild card gets its colour and value when it is played: *J=r1@3"
    assert reason(early, "*J@3") == words
    assert early.copy().apply(parse_move("*J=r1@3")) is None


# ---- ruses ------------------------------------------------------------------------------------------------------


def test_ruses_without_a_target() -> None:
    """Banshee and Strategist before any card lies there."""
    state = set_up("iello-tactical", MINE, THEIRS, tactic="deserter redeploy")
    go(state, "r1@1,draw tactic")
    go(state, "g1@1,draw tactic")
    go(state, "deserter,take g1@1,draw clan")
    assert state.phase == "play"
    assert state.hand_of(1)[-1] == "redeploy"
    assert reason(state, "redeploy") == "there is no card for redeploy to take"


def test_traitor_without_a_target_or_room() -> None:
    state = go(table("traitor fog"), "r1@1,draw tactic,g1@1,draw clan")
    go(state, "r2@1,draw clan,g2@1,draw clan")
    assert parse_move("traitor") in state.legal_moves()
    nothing = set_up("iello-tactical", MINE, THEIRS, tactic="*J traitor", starter=1)
    go(nothing, "g1@1,draw tactic,r1@2,draw tactic")
    go(nothing, "*J@3,draw clan")
    go(nothing, "traitor,take g1@1,g1@1,draw clan")
    assert nothing.side(0, 1) == ("g1",)
    full = until_full()
    assert reason(full, "traitor") == "this player has no room at any unclaimed stone"


def until_full() -> State:
    """Nobody claims, seat 0 keeps the traitor, plays clan cards only and so fills all its sides."""
    state = set_up("iello-tactical", MINE, THEIRS, tactic="traitor", auto=(False, False))
    go(state, "r1@1,draw tactic")
    for _ in range(200):
        moves = state.legal_moves()
        full = state.turn == 0 and all(len(state.side(0, stone)) == 3 for stone in range(1, 10))
        if state.phase == "play" and full:
            return state
        wanted = [move for move in moves if str(move) in ("no claim", "draw clan")]
        clan = [move for move in moves if move.kind == "place" and move.card and move.card[0] != "*"]
        state.apply((wanted or clan or moves)[0])
    raise AssertionError("the sides never got full")


def test_recruiter_without_cards() -> None:
    """Both decks are empty, and the recruiter is still in a hand."""
    for number in range(400):
        state = set_up("iello-tactical:hand_size=12", MINE, THEIRS, tactic="scout", auto=(False, False), starter=0)
        go(state, "r1@1,draw tactic")
        for step in range(200):
            if state.is_over:
                break
            if state.phase == "play" and state.deck_counts == (0, 0) and "scout" in state.hand_of(state.turn):
                words = reason(state, "scout")
                if "tactic limit" not in words:
                    assert words == "both decks are empty"
                    return
            moves = state.legal_moves()
            clan = [move for move in moves if move.kind == "place" and move.card and move.card[0] != "*"]
            waits = [move for move in moves if str(move) in ("no claim", "pass")]
            state.apply((waits or clan or moves)[(number + 7 * step) % len(waits or clan or moves)])
    raise AssertionError("the decks were never empty")


def test_what_a_ruse_may_take() -> None:
    state = go(table("redeploy deserter"), "r1@1,draw tactic,g1@1,draw tactic,r2@2,draw clan,g2@2,draw clan,redeploy")
    assert reason(state, "take r3@1") == "r3 is not on this player's side of stone 1"
    assert reason(state, "take g1@1") == "g1 is not on this player's side of stone 1"
    go(state, "take r1@1,r1@3,draw clan,deserter")
    assert reason(state, "take g2@1") == "g2 is not on the opponent's side of stone 1"
    claimed = set_up("iello-tactical", "r7 r8 r9", THEIRS, tactic="redeploy fog")
    go(claimed, "r7@1,draw tactic,g1@2,draw clan,r8@1,draw clan,g2@2,draw clan,r9@1,draw clan,g4@3,draw clan")
    go(claimed, f"{claimed.hand_of(0)[0]}@5,draw clan,g5@3,draw clan,redeploy")
    assert claimed.owners == "a........"
    assert reason(claimed, "take r7@1") == "stone 1 has already been claimed"


def test_ruses_that_take_clan_cards_only() -> None:
    traitor = go(table("*J traitor"), "r1@1,draw tactic,g1@1,draw tactic,*J@2,draw clan,traitor")
    assert reason(traitor, "take *J@2") == "traitor can take only clan cards"
    bga = go(table("*J deserter", "bga-tactical"), "r1@1,draw tactic,g1@1,draw tactic,*J=r9@2,draw clan,deserter")
    assert bga.side(0, 2) == ("*J=r9",)
    assert reason(bga, "take *J@2") == "deserter can take only clan cards in bga-tactical"


def test_where_the_taken_card_may_go() -> None:
    state = go(table("redeploy fog"), "r1@1,draw tactic,g1@1,draw tactic,r2@2,draw clan,g2@2,draw clan")
    go(state, "redeploy,take r1@1")
    assert reason(state, "r2@3") == "the card to place is r1"
    assert reason(state, "r1@1") == "the card may not return to the stone it came from"
    traitor = go(table("traitor fog"), "r1@1,draw tactic,g1@1,draw clan,traitor,take g1@1")
    assert reason(traitor, "discard") == "a card taken by the traitor must be placed, not discarded"
    assert parse_move("g1@1") in traitor.legal_moves()


def test_the_taken_card_needs_room_and_an_open_stone() -> None:
    state = set_up("iello-tactical", "r7 r8 r9 b1 b2 b4", THEIRS, tactic="redeploy fog")
    go(state, "r7@1,draw tactic,g1@2,draw clan,r8@1,draw clan,g2@2,draw clan,r9@1,draw clan,g4@3,draw clan")
    go(state, "b1@4,draw clan,g5@3,draw clan,b2@4,draw clan,g6@5,draw clan,b4@4,draw clan,g3@6,draw clan")
    card = state.hand_of(0)[0]
    go(state, f"{card}@7,draw clan,{state.hand_of(1)[0]}@6,draw clan,redeploy,take {card}@7")
    assert reason(state, f"{card}@1") == "stone 1 has already been claimed"
    assert reason(state, f"{card}@4") == "this player's side of stone 4 is full (3 cards)"


def test_a_wild_that_is_put_again() -> None:
    """Under on_play the wild gets a new binding when Strategist moves it."""
    rules = "bga-tactical:ruse_targets=clan_and_elite"
    state = table("*7 fog redeploy", rules)
    go(state, "r1@1,draw tactic,g1@1,draw tactic,*7=g7@2,draw tactic,fog@9,draw clan,redeploy,take *7@2")
    assert reason(state, "*7@3") == (f"in {rules}, a wild card gets its colour and value when it is played: *7=r7@3")
    assert parse_move("*7=r7@3") in state.legal_moves()
    go(state, "*7=b7@3,draw clan")
    assert state.side(0, 3) == ("*7=b7",)


# ---- returns and claims -----------------------------------------------------------------------------------------


def test_returns() -> None:
    state = phases()["return"]
    assert reason(state, "return g1") == "g1 is not in the hand"
    assert reason(state, "return *J") == "*J is not in the hand"


def test_claims() -> None:
    state = phases()["claim"]
    assert [str(move) for move in state.legal_moves()] == ["claim 1", "no claim"]
    assert reason(state, "claim 2") == "this player's side of stone 2 is not complete (3 missing)"
    go(state, "claim 1,draw clan")
    assert state.owners == "a........"
    many = set_up("base", "r7 r8 r9 k7 k8 k9", "g1 g2 g3 g4 g5 g6", deck="y7 b1 y8 b2", auto=(False, False))
    go(many, "r7@1,g1@9,r8@1,g2@9,k7@2,g4@8,k8@2,g5@8,y7@2,b1@8,r9@1")
    assert (
        reason(many, "claim 2")
        == "the opponent could still beat this player's side of stone 2 (arena explain shows how)"
    )
    assert reason(many, "claim 3") == "this player's side of stone 3 is not complete (3 missing)"
    go(many, "no claim")
    assert many.phase == "play"


def test_a_claimed_stone_cannot_be_claimed_again() -> None:
    state = set_up("base", "r7 r8 r9 k7 k8 k9", "g1 g2 g3 g4 g5 g6", deck="y7 b1 y8 b2", auto=(False, False))
    go(state, "r7@1,g1@9,r8@1,g2@9,r9@1,no claim,g4@8,k7@2,no claim,g5@8,k8@2,no claim,b1@8,k9@2")
    assert [str(move) for move in state.legal_moves()] == ["claim 1", "claim 2", "no claim"]
    go(state, "claim 1")
    assert reason(state, "claim 1") == "stone 1 has already been claimed"
