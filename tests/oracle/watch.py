"""Counts which rulings of RULES.md a game exercises. Nothing here changes a game or decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from tests.oracle.rulebook import (
    LETTERS,
    MODES,
    RUSES,
    SEATS,
    STONES,
    Claim,
    beats,
    best,
    can_be,
    capacity,
    claim_holds,
    clan_cards,
    forced_copies,
    is_clan,
    is_elite,
    may_play_tactic,
    strongest_completion,
    token,
    value_of,
    win_reason,
)

if TYPE_CHECKING:
    from tests.oracle.position import Position


def before_move(game: Position, move: str, legal: Sequence[str]) -> None:
    """Called with a legal move before it is made."""
    if game.phase == "claim":
        game.note("claim_declined", move == "no claim")
    elif game.phase == "play":
        _what_the_hand_could_not_do(game, legal)
        if move == "pass":
            _pass(game, legal)
        else:
            _play(game, move, legal)
    elif game.phase == "take":
        _take(game, move)
    elif game.phase == "put":
        _put(game, move, legal)
    elif game.phase == "return":
        game.note("both_jokers_return_once", game.hands[game.turn].count("*J") == 2)


def _claimed(game: Position) -> list[int]:
    return [stone for stone in STONES if game.owner[stone] != "."]


def _what_the_hand_could_not_do(game: Position, legal: Sequence[str]) -> None:
    me = game.turn
    tactics = [card for card in game.hands[me] if not is_clan(card)]
    if not tactics:
        return
    if not may_play_tactic(game.played_tactics[me], game.played_tactics[1 - me]):
        game.note("limit_blocks")
        game.note("limit_counts_gone_cards", any(is_elite(card) for card in game.discards[me]))
        return
    if "*J" in tactics and game.joker_played[me]:
        game.note("second_joker_stays")
        game.note("second_joker_after_discard", "*J" in game.discards[me])
    game.note("both_jokers_once", tactics.count("*J") == 2 and any(move.startswith("*J") for move in legal))
    for ruse in set(tactics) & set(RUSES) - set(legal):
        if ruse == "scout":
            game.note("scout_no_cards")
        elif ruse == "traitor" and game.targets(ruse):
            game.note("traitor_no_room")
        else:
            game.note("ruse_without_target")


def _pass(game: Position, legal: Sequence[str]) -> None:
    hand = game.hands[game.turn]
    game.note("pass_empty_hand", not hand)
    game.note("pass_sides_full", any(is_clan(card) for card in hand))
    game.note(
        "pass_no_clan_card",
        bool(hand) and not any(is_clan(card) for card in hand) and bool(game.room(game.turn)),
    )
    game.note("pass_despite_tactic", len(legal) > 1)
    if len(legal) == 1:
        game.note("forced_pass_is_a_move")
        unlimited = game.copy()
        unlimited.played_tactics = [0, 0]
        game.note("held_by_limit_passes", bool(unlimited.tactic_plays()))


def _play(game: Position, move: str, legal: Sequence[str]) -> None:
    me = game.turn
    form, _, number = move.partition("@")
    card = token(form)
    if "pass" in legal:
        game.note("tactic_instead_of_pass")
        game.note("elite_instead_of_pass", is_elite(card))
    game.note("frozen_room", any(not game.is_complete(me, stone) for stone in _claimed(game)))
    _binding(game, form)
    if card in MODES:
        stone = int(number) - 1
        complete = sum(game.is_complete(seat, stone) for seat in SEATS)
        game.note("mud_on_complete_side", card == "mud" and complete == 1)
        game.note("mud_on_two_complete_sides", card == "mud" and complete == 2)
        game.note("fog_on_complete_side", card == "fog" and complete > 0)
        game.note("fog_keeps_stamp", card == "fog" and complete > 0)
        game.note("fog_and_mud", bool(game.modes[stone]))
    elif card in ("redeploy", "deserter", "traitor"):
        seat = me if card == "redeploy" else 1 - me
        elite = any(is_elite(each) for stone in game.open_stones() for each in game.sides[seat][stone])
        if card == "traitor":
            game.note("traitor_spares_elite", elite)
        else:
            game.note("clan_only_spares_elite", elite and game.options.ruse_targets == "clan_only")


def _binding(game: Position, form: str) -> None:
    if "=" in form:
        game.note("bound_to_face_up_card", form.split("=")[1] in game.face_up())


def _take(game: Position, move: str) -> None:
    card, _, number = move.removeprefix("take ").partition("@")
    stone = int(number) - 1
    seat = game.turn if game.ruse == "redeploy" else 1 - game.turn
    elite_too = game.ruse != "traitor" and game.options.ruse_targets == "clan_and_elite"
    frozen = [each for claimed in _claimed(game) for each in game.sides[seat][claimed]]
    game.note("frozen_target", any(is_clan(each) or elite_too for each in frozen))
    game.note(f"{game.ruse}_from_complete_side", game.is_complete(seat, stone))
    game.note("mode_stays", bool(game.modes[stone]))
    game.note("deserter_takes_elite", game.ruse == "deserter" and is_elite(card))


def _put(game: Position, move: str, legal: Sequence[str]) -> None:
    assert game.pending is not None
    elite = is_elite(game.pending)
    if move == "discard":
        game.note("redeploy_discards_wild" if elite else "redeploy_discards")
        game.note("redeploy_only_discard", len(legal) == 1)
        return
    form, _, number = move.partition("@")
    stone = int(number) - 1
    _binding(game, form)
    if game.ruse == "traitor":
        game.note("traitor_same_stone", stone == game.taken_from)
        lying = len(game.sides[game.turn][stone])
        game.note("traitor_completes_side", lying + 1 == capacity(game.modes[stone]))
    elif elite:
        game.note("redeploy_moves_elite", game.pending != "*J")
        game.note("redeploy_joker_open_again", form == "*J")
        game.note("redeploy_wild_bound_again", "=" in form and form != game.taken_as)


# ---------------------------------------------------------------------------------------------------------
# Sides and claims


def side_completed(game: Position, seat: int, stone: int) -> None:
    side, env, options = game.sides[seat][stone], game.modes[stone], game.options
    game.note("stamp_set_again", (seat, stone) in game.was_complete)
    if len(side) == 4:
        whole = best(side, {"mud"}, options)
        parts = [best(part, (), options) for part in combinations(side, 3)]
        better = [part for part in parts if part[0] != whole[0] and beats(part, whole)]
        game.note("mud_not_all_four", "fog" not in env and bool(better))
    if all(is_clan(card) for card in side):
        values = {value_of(card) for card in side}
        in_ring = {
            frozenset((at + step) % options.values + 1 for step in range(len(side))) for at in range(options.values)
        }
        straight = max(values) - min(values) == len(side) - 1
        game.note("no_wrap", frozenset(values) in in_ring and not straight)


def window_opens(game: Position) -> None:
    """Looks at the claims that fail in this window, and why."""
    me = game.turn
    game.note("window_after_returns", game.scouted and game.window == "after")
    sole_refuters: list[set[str]] = []
    for stone in game.open_stones():
        if not game.is_complete(me, stone):
            continue
        verdict = game.verdict(me, stone)
        if verdict.holds:
            continue
        mine, theirs, env = game.sides[me][stone], game.sides[1 - me][stone], game.modes[stone]
        if game.is_complete(1 - me, stone):
            game.note("tie_refused", best(mine, env, game.options) == best(theirs, env, game.options))
            continue
        _why_refuted(game, stone, verdict)
        if len(theirs) + 1 == capacity(env):
            own = best(mine, env, game.options)
            sole_refuters.append(
                {card for card in _unseen(game) if beats(best([*theirs, card], env, game.options), own)}
            )
    game.note(
        "one_card_refutes_two",
        any(len(one) == 1 and one == other for one, other in combinations(sole_refuters, 2)),
    )


def _unseen(game: Position) -> frozenset[str]:
    return frozenset(clan_cards(game.options)) - game.face_up()


def _why_refuted(game: Position, stone: int, verdict: Claim) -> None:
    me = game.turn
    mine, theirs = game.sides[me][stone], game.sides[1 - me][stone]
    used = set(verdict.refutation or ())

    def would_hold_without(cards: Sequence[str]) -> bool:
        if not used.intersection(cards):
            return False  # this refutation stands without them
        seen = game.face_up() | set(cards)
        return claim_holds(mine, theirs, seen, game.modes[stone], None, game.options).holds

    game.note("own_hand_no_argument", would_hold_without(game.hands[me]))
    game.note("own_return_no_argument", would_hold_without(game.known_returns[me]))
    env = frozenset(game.modes[stone])
    copied = forced_copies(tuple(mine), env, game.options)
    copied |= {card.split("=")[1] for card in theirs if "=" in card}
    game.note("wild_takes_none_from_pool", would_hold_without(sorted(copied)))


def automatic_claims(game: Position, numbers: Sequence[int]) -> None:
    owners = game.owner[:]
    for number in numbers[:-1]:
        owners[number - 1] = LETTERS[game.turn]
        if win_reason("".join(owners), LETTERS[game.turn]):
            game.note("auto_claims_past_win")
            break


def claim_made(game: Position, stone: int) -> None:
    """Called with a claim that holds, before the stone changes hands."""
    me = game.turn
    assert game.window is not None
    game.note("several_claims_one_window", game.window in game.claims_this_turn)
    game.note("claims_in_both_windows", game.window == "after" and "start" in game.claims_this_turn)
    game.claims_this_turn.append(game.window)
    game.note("claim_after_pass", game.passed and game.window == "after")
    game.note("passes_broken_by_claim", game.quiet_passes > 0)
    if game.is_complete(1 - me, stone):
        _claim_against_complete(game, stone)
    else:
        _early_claim(game, stone)
    _claim_with_tactics(game, stone)


def _claim_against_complete(game: Position, stone: int) -> None:
    me, env = game.turn, game.modes[stone]
    mine, theirs = game.sides[me][stone], game.sides[1 - me][stone]
    if best(mine, env, game.options) == best(theirs, env, game.options):
        game.note("tie_by_order")
        game.note("tie_after_new_stamp", any((seat, stone) in game.was_complete for seat in SEATS))
        if all(is_clan(card) for card in mine + theirs):
            values = [sorted(map(value_of, side)) for side in (mine, theirs)]
            game.note("tie_high_card_ignored", values[0][-1] != values[1][-1])
    if "fog" in env:
        clear = env - {"fog"}
        stronger = beats(best(theirs, clear, game.options), best(mine, clear, game.options))
        game.note("fog_overrules_category", stronger)


def _early_claim(game: Position, stone: int) -> None:
    me, env, options = game.turn, frozenset(game.modes[stone]), game.options
    mine, theirs = game.sides[me][stone], game.sides[1 - me][stone]
    own, unseen = best(mine, env, options), _unseen(game)
    game.note("early_claim")
    game.note("early_claim_empty_side", not theirs)
    reply = strongest_completion(tuple(theirs), unseen, env, options)
    game.note("too_few_cards", reply is None)
    game.note("early_claim_against_tie", reply == own)
    unplayed = {card for card in (*game.hands[0], *game.hands[1], *game.tactic_deck) if is_elite(card)}
    for card in sorted(unplayed - set(map(token, theirs))):
        reply = strongest_completion((*theirs, card), unseen, env, options)
        if reply is not None and beats(reply, own):
            game.note("unplayed_tactic_no_argument")
            break
    thrown = {card for row in game.discards for card in row if is_clan(card)}
    if thrown:
        seen = game.face_up() - thrown
        game.note("discard_is_face_up", not claim_holds(mine, theirs, seen, env, None, options).holds)


def _claim_with_tactics(game: Position, stone: int) -> None:
    me, env, options = game.turn, frozenset(game.modes[stone]), game.options
    mine, theirs = game.sides[me][stone], game.sides[1 - me][stone]
    game.note("claim_fog", "fog" in env)
    game.note("claim_mud", "mud" in env)
    game.note("claim_fog_and_mud", {"fog", "mud"} <= env)
    wilds = [card for card in mine + theirs if is_elite(card)]
    if not wilds:
        return
    game.note("wilds_on_both_sides", any(map(is_elite, mine)) and any(map(is_elite, theirs)))
    if options.wild_binding == "on_claim":
        game.note("fog_wild_maximum", "fog" in env)
        copied = forced_copies(tuple(mine), env, options)
        game.note("wild_copies_same_side", bool(copied & set(mine)))
        game.note("wild_copies_elsewhere", bool(copied & (game.face_up() - set(mine))))
        return
    for card in wilds:
        highest = max(value_of(as_) for as_ in can_be(token(card), options.values))
        game.note("fog_bound_value", "fog" in env and value_of(card.split("=")[1]) < highest)
    for side in (mine, theirs):
        if len(side) == capacity(env):
            open_again = best([token(card) for card in side], env, options)
            game.note("bound_value_counts", beats(open_again, best(side, env, options)))


# ---------------------------------------------------------------------------------------------------------
# Ends


def game_won(game: Position) -> None:
    me = game.turn
    letter = LETTERS[me]
    five, three = game.owner.count(letter) >= 5, letter * 3 in game.owners
    game.note("win_both_ways", five and three)
    game.note("win_five_stones", five and not three)
    game.note("win_three_adjacent", three and not five)
    game.note("win_at_start_window", game.window == "start")
    below = len(game.hands[me]) < game.options.hand_size and bool(game.clan_deck or game.tactic_deck)
    game.note("no_draw_after_win", game.window == "after" and below)
    game.note("win_leaves_claims", bool(game.claimable(me)))


def stalemate(game: Position, awarded: dict[int, str]) -> None:
    game.note("stalemate")
    game.note("stalemate_awards", bool(awarded))
    for stone in awarded:
        a, b = (best(game.sides[seat][stone], game.modes[stone], game.options) for seat in SEATS)
        game.note("stalemate_tie_by_order", a == b)
    left = {stone + 1 for stone in game.open_stones()} - {stone + 1 for stone in awarded}
    game.note("stalemate_incomplete_stays", bool(left))
    game.note("stalemate_provable_stays", bool(left & (game.claimable(0) | game.claimable(1))))


def stalemate_decided(game: Position, formed: Sequence[int], winner: int | None) -> None:
    game.note("stalemate_one_has_formation", len(formed) == 1)
    game.note("stalemate_both_have_formation", len(formed) == 2)
    game.note("stalemate_more_stones", not formed and winner is not None)
    game.note("stalemate_draw", winner is None)
    game.note("stalemate_all_nine_owned", not game.options.tactics and "." not in game.owner)


# ---------------------------------------------------------------------------------------------------------
# Recruiter


def scout_has_drawn(game: Position) -> None:
    drawn = game.scout_drawn
    other_left = bool(game.clan_deck or game.tactic_deck)
    game.note("scout_three", len(drawn) == 3)
    game.note("scout_both_decks", len(set(drawn)) == 2)
    game.note("scout_fewer_than_three", len(drawn) < 3 and not other_left)
    game.note("scout_single_short", len(drawn) < 3 and other_left)
    ran_out = [name for name in set(drawn) if not game.deck(name) and drawn[-1] != name]
    game.note("scout_deck_runs_out", bool(ran_out))


def scout_has_returned(game: Position) -> None:
    back = game.scout_returned
    game.note("scout_no_return", not back)
    game.note("scout_one_return", len(back) == 1)
    if len(back) == 2:
        onto_one = is_clan(back[0]) == is_clan(back[1])
        game.note(f"return_{game.options.scout_return}_two", onto_one)
        game.note("return_own_deck", not onto_one)
