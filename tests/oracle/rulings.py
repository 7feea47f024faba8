"""Every ruling and rare event of RULES.md that play can exercise: a key, its meaning, where it can occur.

`Oracle.rulings` counts the keys as they happen. A key that a rule set can never exercise is told apart by
`ruling_applies`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.rulebook import Options

Where = Callable[[Options], bool]


def _anywhere(_: Options) -> bool:
    return True


def _nowhere(_: Options) -> bool:
    return False


def _tactics(options: Options) -> bool:
    return options.tactics


def _base(options: Options) -> bool:
    return not options.tactics


def _on_claim(options: Options) -> bool:
    return options.tactics and options.wild_binding == "on_claim"


def _on_play(options: Options) -> bool:
    return options.tactics and options.wild_binding == "on_play"


def _ruses_take_elite(options: Options) -> bool:
    return options.tactics and options.ruse_targets == "clan_and_elite"


def _start_window(options: Options) -> bool:
    return options.claim_window in ("any_before_draw", "turn_start")


def _after_window(options: Options) -> bool:
    return options.claim_window in ("after_play", "any_before_draw")


def _both(*conditions: Where) -> Where:
    return lambda options: all(condition(options) for condition in conditions)


def _single(options: Options) -> bool:
    return options.tactics and options.scout_source == "single"


def _either(options: Options) -> bool:
    return options.tactics and options.scout_source == "either"


def _nine_values(options: Options) -> bool:
    return options.values == 9


def _top(options: Options) -> bool:
    return options.tactics and options.scout_return == "top"


def _bottom(options: Options) -> bool:
    return options.tactics and options.scout_return == "bottom"


def _ruses_spare_elite(options: Options) -> bool:
    return options.tactics and options.ruse_targets == "clan_only"


_TABLE: list[tuple[str, Where, str]] = [
    # RULES.md §2: formations
    ("no_wrap", _anywhere, "§2 A run does not wrap: a completed side such as 8-9-1 is none."),
    ("mud_not_all_four", _tactics,
     "§2 Under Mud all four cards must make the category: a side of three that make one plus a fourth "
     "that does not is completed."),
    ("tie_by_order", _anywhere,
     "§2 An exact tie of two complete sides goes to the older stamp (claim made)."),
    ("tie_refused", _anywhere, "§2 An exact tie is no claim for the side completed later."),
    ("tie_high_card_ignored", _anywhere,
     "§2 Single high cards never break a tie: the tied sides have other cards."),
    ("stamp_cleared_by_leaving", _tactics, "§2 (R) A card leaves a complete side: its stamp is cleared."),
    ("stamp_cleared_by_mud", _tactics, "§2 (R) Mud arrives on a complete side: its stamp is cleared."),
    ("stamp_set_again", _tactics,
     "§2 (R) A side that was complete before becomes complete again and takes a new stamp."),
    ("tie_after_new_stamp", _tactics,
     "§2 (R) An exact tie is decided where a side had been complete before and was completed again."),
    ("fog_keeps_stamp", _tactics,
     "§2 (R) Combat modes are not formation cards: Fog onto a stone with a complete side leaves the "
     "stamp."),
    # RULES.md §3: claims
    ("early_claim", _anywhere, "§3 A claim against an incomplete side, because no completion beats it."),
    ("early_claim_empty_side", _anywhere, "§3 A claim against an empty side."),
    ("early_claim_against_tie", _anywhere, "§3 An early claim holds although a completion ties."),
    ("own_hand_no_argument", _anywhere,
     "§3 A claim fails because of cards that only the claimant's own hand excludes."),
    ("own_return_no_argument", _tactics,
     "§5 A claim fails because of cards that the claimant put back by Recruiter: they prove nothing."),
    ("unplayed_tactic_no_argument", _tactics,
     "§3 A claim holds although an elite card not yet played would refute it."),
    ("discard_is_face_up", _tactics, "§3 A claim holds only because a clan card lies in a discard row."),
    ("too_few_cards", _both(_tactics, _nine_values),
     "§3 A claim holds because too few face-down clan cards are left to complete the side (needs Mud "
     "or discards; with ten values or without tactics there are always enough)."),
    ("one_card_refutes_two", _anywhere,
     "§3 (R) Proofs are per stone: the one card that refutes two claims refutes both."),
    ("wild_copies_elsewhere", _on_claim,
     "§3 (R) A claim is made where a wild must copy a clan card that lies face up elsewhere."),
    ("wild_copies_same_side", _on_claim,
     "§3 (R) A claim is made where a wild must copy a clan card of its own side."),
    ("wild_takes_none_from_pool", _tactics,
     "§3 (R) A claim fails only because the face-down card that a wild of this stone copies is still in "
     "the pool."),
    ("wilds_on_both_sides", _tactics,
     "§3 A claim at a stone with wilds on both sides: the best reading for each owner."),
    ("frozen_room", _anywhere,
     "§3 A claimed stone is frozen: a play is made while an own side at a claimed stone has room."),
    ("frozen_target", _tactics,
     "§3 A claimed stone is frozen: a ruse takes a card while fitting cards lie at claimed stones."),
    ("auto_claims_past_win", _anywhere,
     "§3 (R) Automatic claims of one window are made together, though the first of them already win."),
    ("win_leaves_claims", _anywhere,
     "§3 Claims as moves: the game ends at the first that wins, others could still be made (needs "
     "auto_claim off)."),
    ("claim_declined", _anywhere,
     "§3 Not claiming is never illegal: a window is closed with provable stones left (needs auto_claim "
     "off)."),
    ("several_claims_one_window", _anywhere, "§3 Several stones are claimed in one window."),
    ("claims_in_both_windows", _both(_start_window, _after_window),
     "§3 any_before_draw: claims in both windows of one turn."),
    ("win_at_start_window", _start_window,
     "§3 A win in the window at the start of a turn ends the game before the play."),
    ("no_draw_after_win", _after_window,
     "§3 No draw follows a winning claim, though the hand is below the limit and a deck has cards."),
    ("win_three_adjacent", _anywhere, "§3 Game end: three adjacent stones, fewer than five."),
    ("win_five_stones", _anywhere, "§3 Game end: five stones, no three adjacent."),
    ("win_both_ways", _anywhere, "§3 Game end: five stones and three adjacent at once."),
    # RULES.md §4: the turn
    ("one_deck_draw_is_no_move", _tactics, "§4 (R) A draw with only one of two decks left is no decision."),
    ("no_cards_to_draw", _anywhere,
     "§4 Nothing is left to draw and play goes on with a hand below the limit."),
    ("pass_sides_full", _anywhere,
     "§4 Pass with clan cards in hand: every own side of an unclaimed stone is full."),
    ("pass_no_clan_card", _tactics, "§4 Pass with a hand of tactic cards only, although there is room."),
    ("pass_empty_hand", _nine_values,
     "§4 (R) Pass with an empty hand (with ten values the hands do not run out)."),
    ("pass_despite_tactic", _tactics, "§4 Pass although a tactic card could be played."),
    ("tactic_instead_of_pass", _tactics, "§4 A player who might pass plays a tactic card."),
    ("elite_instead_of_pass", _tactics, "§4 A player who might pass plays elite troops where they fit."),
    ("held_by_limit_passes", _tactics, "§4 (R) A player held back by the tactic limit may only pass."),
    ("forced_pass_is_a_move", _anywhere, "§4 (R) A pass is a move also when nothing else is legal."),
    ("claim_after_pass", _after_window,
     "§4 (R) Passing does not end the turn's claim window: a claim after a pass."),
    ("draw_after_pass", _nowhere,
     "§4 (R) A draw after a pass: never from a regular deal, only from a set position."),
    ("passes_broken_by_claim", _anywhere,
     "§4 (R) A claim after a pass: the pass no longer counts towards a stalemate."),
    ("passes_broken_by_play", _anywhere,
     "§4 (R) A play after the opponent's pass: the pass no longer counts."),
    ("stalemate", _anywhere, "§4 (R) Two passes in a row end the game."),
    ("stalemate_one_has_formation", _anywhere,
     "§4 (R) At a stalemate one player has three adjacent or five stones and wins."),
    ("stalemate_both_have_formation", _anywhere,
     "§4 (R) At a stalemate both have three adjacent or five: more stones win, or a draw."),
    ("stalemate_more_stones", _tactics,
     "§4 (R) At a stalemate neither has three adjacent or five: more stones win."),
    ("stalemate_draw", _tactics,
     "§4 (R) At a stalemate the stones are equal: a draw (in the base game all nine are owned, never a "
     "draw)."),
    ("stalemate_awards", _anywhere,
     "§4 (R) At a stalemate unclaimed stones with two complete sides go to the better formation."),
    ("stalemate_tie_by_order", _anywhere, "§4 (R) At a stalemate an exact tie goes to the older stamp."),
    ("stalemate_incomplete_stays", _tactics,
     "§4 (R) At a stalemate a stone with an incomplete side stays unclaimed."),
    ("stalemate_provable_stays", _tactics,
     "§4 (R) At a stalemate a stone with an incomplete side stays unclaimed though a claim could be "
     "proven."),
    ("stalemate_all_nine_owned", _base,
     "§4 (R) In the base game all nine stones are owned after a stalemate."),
    # RULES.md §5: tactic cards
    ("opening_hand_clan_only", _tactics, "§5 Opening hand in the tactical game: clan cards only."),
    ("limit_blocks", _tactics, "§5 A tactic card stays in hand because of the limit."),
    ("limit_counts_gone_cards", _ruses_take_elite,
     "§5 The limit blocks a player one of whose elite cards was discarded: the count is of plays."),
    ("second_joker_stays", _tactics,
     "§5 A second joker stays in hand though the limit would let a tactic card be played."),
    ("second_joker_after_discard", _ruses_take_elite,
     "§5 A second joker stays in hand also after the first was discarded."),
    ("both_jokers_once", _tactics, "§5 Both jokers in hand: each move is offered once."),
    ("both_jokers_return_once", _tactics, "§5 Both jokers in hand at a return: offered once."),
    ("mud_on_complete_side", _tactics, "§5 Mud onto a stone with exactly one complete side."),
    ("mud_on_two_complete_sides", _tactics,
     "§5 Mud onto a stone with two complete sides: both become incomplete."),
    ("fog_on_complete_side", _tactics, "§5 Fog onto a stone with a complete side."),
    ("fog_and_mud", _tactics, "§5 Fog and Mud lie on one stone."),
    ("claim_fog", _tactics, "§5 A claim under Fog."),
    ("claim_mud", _tactics, "§5 A claim under Mud."),
    ("claim_fog_and_mud", _tactics, "§5 A claim under Fog and Mud: the sum of four."),
    ("fog_wild_maximum", _on_claim,
     "§5 A claim under Fog with an open wild on the stone: wilds at their maximum."),
    ("fog_bound_value", _on_play,
     "§5 A claim under Fog with a wild bound below its maximum: the bound value counts."),
    ("fog_overrules_category", _tactics, "§5 A claim under Fog that the better formation loses."),
    ("scout_three", _tactics, "§5 Recruiter draws three cards."),
    ("scout_both_decks", _either, "§5 Recruiter draws from both decks."),
    ("scout_fewer_than_three", _tactics,
     "§5 (R) Fewer than three cards are left: Recruiter draws what there is."),
    ("scout_deck_runs_out", _either,
     "§5 (R) One deck runs out under Recruiter, the rest comes from the other by itself."),
    ("scout_single_short", _single,
     "§5 scout_source = single: the chosen deck holds fewer than three and is not changed."),
    ("scout_one_return", _tactics, "§5 (R) Recruiter puts back only down to the hand limit: one card."),
    ("scout_no_return", _tactics, "§5 (R) Recruiter puts back nothing, the hand is not above the limit."),
    ("scout_no_cards", _tactics, "§5 Recruiter in hand cannot be played: both decks are empty."),
    ("return_top_two", _top,
     "§5 (R) Two cards go back onto one deck: the last lies uppermost."),
    ("return_bottom_two", _bottom,
     "§5 (R) Two cards go back under one deck: the last lies lowest."),
    ("return_own_deck", _tactics,
     "§5 Recruiter puts back one clan and one tactic card, each onto its own deck."),
    ("returned_card_drawn", _tactics, "§5 A card that was put back is drawn later."),
    ("window_after_returns", _both(_tactics, _after_window),
     "§5 The claim window after Recruiter opens when the returns are done."),
    ("redeploy_from_complete_side", _tactics, "§5 Strategist takes a card from a complete side."),
    ("redeploy_discards", _tactics, "§5 Strategist discards a clan card."),
    ("redeploy_discards_wild", _ruses_take_elite,
     "§5 Strategist discards an elite card (a discard needs no binding)."),
    ("redeploy_only_discard", _tactics,
     "§5 Strategist finds no other stone with room: only the discard is left."),
    ("redeploy_moves_elite", _ruses_take_elite, "§5 Strategist moves a spy or shield-bearer."),
    ("redeploy_joker_open_again", _both(_on_claim, _ruses_take_elite),
     "§5 A moved joker is not a new play, and its value is open again."),
    ("redeploy_wild_bound_again", _both(_on_play, _ruses_take_elite),
     "§5 wild_binding = on_play: a moved wild is bound again to another card."),
    ("deserter_from_complete_side", _tactics, "§5 Banshee takes a card from a complete side."),
    ("deserter_takes_elite", _ruses_take_elite, "§5 Banshee takes an elite card."),
    ("clan_only_spares_elite", _ruses_spare_elite,
     "§5 ruse_targets = clan_only: Strategist or Banshee is played while elite troops stand where it "
     "looks."),
    ("traitor_same_stone", _tactics, "§5 Traitor puts the card on the own side of the same stone."),
    ("traitor_from_complete_side", _tactics, "§5 Traitor takes a card from a complete side."),
    ("traitor_completes_side", _tactics, "§5 Traitor completes an own side."),
    ("traitor_spares_elite", _tactics,
     "§5 Traitor is played while opposing elite troops stand on an unclaimed stone."),
    ("traitor_no_room", _tactics, "§5 Traitor cannot be played: no own side of an unclaimed stone has room."),
    ("ruse_without_target", _tactics, "§5 A ruse without a legal target cannot be played."),
    ("mode_stays", _tactics,
     "§5 (R) Combat modes never move: a card leaves a stone with Fog or Mud, the mode stays."),
    ("bound_to_face_up_card", _on_play, "§5 on_play: a wild is bound to a clan card that lies face up."),
    ("bound_value_counts", _on_play,
     "§5 on_play: a claim with a wild whose binding is not the best it could be."),
]  # fmt: skip

RULINGS: dict[str, str] = {key: text for key, _, text in _TABLE}
_WHERE: dict[str, Where] = {key: where for key, where, _ in _TABLE}


def ruling_applies(key: str, options: Options) -> bool:
    """Can this ruling be exercised at all in games of these options from a regular deal?"""
    return _WHERE[key](options)
