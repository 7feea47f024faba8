"""Records replay to the same end or say where they are damaged; deals and random numbers are pinned."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.deals import Deal, deal_from_cards, make_deal
from arena.game.engine import State
from arena.game.moves import Move
from arena.game.record import (
    Record,
    RecordError,
    cards_text,
    deal_text,
    parse_record,
    record_text,
    replay,
    replay_steps,
    result_text,
    verify,
)
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules
from tests.game.play import AUTO_CLAIMS, KINDS, choose, dump, whole_deck

#: Rule sets, and how their deals are written.
WRITTEN = [
    *((name, "number") for name in KINDS),
    ("base:hand_size=7", "other starter"),
    ("tactical:hand_size=2,scout_return=top,wild_binding=on_play", "cards"),
    ("battle-line-base:tactics=true,claim_window=turn_start", "cards"),
]


def record_of(
    rules_name: str, seed: int, auto: tuple[bool, bool], form: str = "number", claims: bool = True
) -> tuple[str, State, list[Move]]:
    """A random game as a record, with the deal by number, with the other starter or card by card; and its end."""
    rules = load_rules(rules_name)
    deal = make_deal(rules, seed, 0)
    if form == "other starter":
        deal = Deal(deal.clan_numbers, deal.tactic_numbers, 1 - deal.starter)
    forms = {"number": deal_text(seed, 0), "other starter": deal_text(seed, 0, deal.starter), "cards": cards_text(deal)}
    state, rng, moves = State(rules, deal, auto), Rng(seed), []
    while not state.is_over:
        last = state.legal_moves()[-1]
        waits = not claims and last.kind in ("no claim", "pass")
        moves.append(last if waits else choose(state, rng))
        state.apply(moves[-1])
    return record_text(rules, forms[form], auto, moves, result_text(state)), state, moves


@pytest.mark.parametrize(("rules_name", "form"), WRITTEN)
def test_a_record_replays_to_the_same_end(rules_name: str, form: str) -> None:
    for seed in range(4):
        text, state, moves = record_of(rules_name, seed, AUTO_CLAIMS[seed % 4], form)
        assert "\n" not in text
        again = verify(text)
        assert dump(again) == dump(state) | {"rules": again.rules, "views": dump(again)["views"]}
        record = parse_record(text)
        assert record.moves == tuple(moves)
        assert (record.winner, record.is_forfeit) == (state.winner, False)
        assert str(record) == text
        assert replay(record).owners == state.owners


def test_a_draw() -> None:
    """Nobody ever claims, and in the end each has as many stones."""
    games = (record_of("ps-2004-tactical", seed, (False, False), claims=False) for seed in range(3000))
    text, state, _ = next(game for game in games if game[1].winner is None)
    assert state.outcome
    assert state.outcome.stones[0] == state.outcome.stones[1]
    assert "; draw " in text
    assert text.endswith(" stalemate")
    assert parse_record(text).winner is None
    assert verify(text).winner is None


# ---- damage ----------------------------------------------------------------------------------------------------

GOOD, _END, MOVES_OF_GOOD = record_of("base", 1, (True, True))
HEAD, BODY, RESULT = GOOD.split("; ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "three parts"),
        (f"{HEAD}\n; {BODY}; {RESULT}", "one line"),
        (GOOD.replace("schotten/1", "schotten/2"), "head: it begins with 'schotten/2'"),
        (GOOD.replace("iello-base", "iello-bse"), "rule set: unknown rule set 'iello-bse'; did you mean"),
        (GOOD.replace("1:0", "1:"), "deal: '1:' is not a deal"),
        (GOOD.replace(" iello-base", ""), "head: .* found 3"),
        (GOOD.replace("1:0", "cards:r1"), "deal: after 'cards:', expected"),
        (GOOD.replace("1:0", "cards:r1/:0"), "deal: the clan deck of iello-base has 54 cards: missing"),
        (GOOD.replace(" 11;", " 12;"), "claims: expected 00, 01, 10 or 11, found '12'"),
        (GOOD.replace("; ", "; r7@33,", 1), "move 1: 'r7@33' is not a move; did you mean 'r7@3'"),
        (f"{HEAD}; {BODY}; c 5-2 five stones", "result: .* found 'c 5-2 five stones'"),
    ],
)
def test_damage_is_placed(text: str, place: str) -> None:
    with pytest.raises(RecordError, match=place):
        parse_record(text)


def test_moves_that_do_not_fit_are_placed() -> None:
    """A move left out, repeated, exchanged, one too many: the number of the first that is not legal."""
    first = [move.text for move in MOVES_OF_GOOD]

    def error(moves: list[str], result: str = RESULT) -> str:
        with pytest.raises(RecordError) as caught:
            verify(f"{HEAD}; {','.join(moves)}; {result}")
        return str(caught.value)

    assert error([first[0], *first]).startswith(f"record, move 2 ({first[0]}): {first[0]} is not legal: ")
    assert "the game is over" in error([*first, "r1@1"])
    assert f"move {len(first) + 1} " in error([*first, "r1@1"])
    assert "move 1 " in error([first[1], first[0], *first[2:]])
    assert "the moves lead to '* " in error(first[:-1])
    gone = error(first[1:])
    assert gone.startswith("record, move 1 ")
    record = parse_record(f"{HEAD}; {first[0]},{first[0]}; {RESULT}")
    with pytest.raises(RecordError, match="move 2"):
        list(replay_steps(record))


def test_a_changed_result_is_found() -> None:
    text, state, _ = record_of("tactical", 0, (True, True))
    head, body, result = text.split("; ")
    assert state.outcome
    winner, stones, reason = result.split(" ", 2)
    wrong = [
        f"{'b' if winner == 'a' else 'a'} {stones} {reason}",
        f"draw {stones} {reason}",
        f"{winner} {stones[::-1] if stones != stones[::-1] else '9-0'} {reason}",
        f"{winner} {stones} {'stalemate' if reason != 'stalemate' else 'five stones'}",
        f"* {stones}",
        f"{winner} {stones}",
    ]
    for other in wrong:
        with pytest.raises(RecordError, match=r"result: it says .*, but the moves lead to"):
            verify(f"{head}; {body}; {other}")
    assert verify(text).owners == state.owners


def test_forfeits() -> None:
    """A forfeit ends a game early: the winner is free, the stones must be right."""
    rules = load_rules("base")
    moves = MOVES_OF_GOOD[:-3]
    reached = result_text(replay(Record(rules, make_deal(rules, 1, 0), "1:0", (True, True), tuple(moves), "* 0-0")))
    stones = reached.split(" ")[1]
    for winner in "ab":
        text = record_text(rules, "1:0", (True, True), moves, f"{winner} {stones} forfeit illegal move")
        record = parse_record(text)
        assert record.is_forfeit
        assert record.winner == "ab".index(winner)
        assert not verify(text).is_over
    for wrong in (f"draw {stones} forfeit time", "a 9-9 forfeit time"):
        with pytest.raises(RecordError, match=f"the stones are {stones}"):
            verify(record_text(rules, "1:0", (True, True), moves, wrong))
    # a bot may also fail when it is told the result: then the stones of the end stand there
    end = RESULT.split(" ")[1]
    loser = "b" if RESULT[0] == "a" else "a"
    assert verify(f"{HEAD}; {BODY}; {loser} {end} forfeit exception").is_over
    with pytest.raises(RecordError, match=f"the stones are {end}"):
        verify(f"{HEAD}; {BODY}; {loser} 0-0 forfeit exception")


@settings(max_examples=30, derandomize=True)
@given(st.data())
def test_no_damage_escapes_as_another_error(data: st.DataObject) -> None:
    """A record with one sign changed, taken out or doubled either reads as a record that verifies or says where."""
    text, _, _ = record_of("tactical", data.draw(st.integers(0, 3)), (True, False))
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from([*"abr1 ;:,@=*/9\t", "", "²", "\x00", "r7@1"]))
    broken = text[:at] + sign + text[at + data.draw(st.integers(0, 2)) :]
    with suppress(RecordError):  # any other error fails the test
        verify(broken)


def test_a_truncated_record_never_verifies() -> None:
    for end in range(0, len(GOOD), 3):
        with pytest.raises(RecordError):
            verify(GOOD[:end])


# ---------------------------------------------------------------- deals and random numbers


BASE, TACTICAL = load_rules("base"), load_rules("tactical")
BATTLE_LINE = load_rules("battle-line-tactical")

#: Deal 2 of seed 1. If it changes, every stored result of the world changes its meaning.
PINNED = (
    "p4g9y3g10b9y8b8r7b2y9k4y10b6r1b10r9b7p9y1k5p10g3g2b1g8g7k7y4r10k2k3r2b5p6p7p5k8r8r6b3r5k6r4k9b4y7g4p3g1g6"
    "k10p8y2y5y6k1r3g5p1p2",
    "traitor.*J.mud.*123.deserter.redeploy.fog.*J.scout.*7",
    1,
)


def joined(deal: Deal) -> tuple[str, str, int]:
    """A deal as text."""
    return "".join(deal.clan), ".".join(deal.tactic), deal.starter


def test_a_pinned_deal() -> None:
    assert joined(make_deal(BATTLE_LINE, 1, 2)) == PINNED
    clan, tactic, starter = PINNED
    without_tens = clan
    for colour in "rgbypk":
        without_tens = without_tens.replace(f"{colour}10", "")
    assert joined(make_deal(BASE, 1, 2)) == (without_tens, "", starter)
    assert joined(make_deal(TACTICAL, 1, 2)) == (without_tens, tactic, starter)
    assert joined(make_deal(load_rules("battle-line-base"), 1, 2)) == (clan, "", starter)
    assert make_deal(BASE, 1, 5) == make_deal(BASE, "1", 5)
    assert derive_seed(1, "deal", 0) == 14042186611841119432 == derive_seed("1", "deal", "0")
    assert derive_seed(1, "a", 2) != derive_seed(1, "a2")


@pytest.mark.parametrize("rules_name", KINDS)
def test_a_deal_is_the_whole_deck_and_the_hands_are_dealt_alternately(rules_name: str) -> None:
    rules = load_rules(rules_name)
    for number in range(5):
        deal = make_deal(rules, 9, number)
        spy = f"*{rules.spy_value}"
        tactic = [spy if card == "*7" else card for card in deal.tactic]
        assert Counter([*deal.clan, *tactic]) == whole_deck(rules)
        state = State(rules, deal)
        dealt = 2 * rules.hand_size
        assert sorted(state.hand_of(0)) == sorted(deal.clan[0:dealt:2])
        assert sorted(state.hand_of(1)) == sorted(deal.clan[1:dealt:2])
        assert state.clan_cards_left == deal.clan[dealt:]
        assert state.tactic_cards_left == tuple(tactic)
        assert state.to_move == state.first_seat == deal.starter
        assert deal_from_cards(rules, deal.clan, tactic, deal.starter) == deal


def test_pinned_numbers() -> None:
    """SplitMix64 with the published first outputs of seed 0 and others; the methods built on it."""
    assert Rng(0).next64() == 16294208416658607535 == 0xE220A8397B1DCDAF
    rng = Rng(1)
    assert [rng.next64() for _ in range(3)] == [10451216379200822465, 13757245211066428519, 17911839290282890590]
    assert Rng(-1).next64() == Rng(2**64 - 1).next64() == 16490336266968443936
    rng = Rng(7)
    assert [rng.below(10) for _ in range(12)] == [3, 0, 9, 5, 4, 2, 4, 3, 1, 4, 1, 9]
    assert rng.random() == 0.9180195851461324
    assert (rng.randrange(5, 9), rng.randint(1, 6), rng.choice("abcdef")) == (8, 6, "d")
    assert rng.sample(range(20), 5) == [17, 7, 13, 15, 14]
    items = list(range(8))
    rng.shuffle(items)
    assert items == [1, 5, 7, 3, 4, 6, 2, 0]
