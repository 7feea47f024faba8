"""Make the row of a game that was played or cut off, with its record, and check that the two agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, TypeAlias

from arena.bots.bot import TimeLeft
from arena.endings import ENDING_CODES, FORFEIT_CODES, FORFEITS
from arena.errors import ArenaError
from arena.game.deals import Deal, make_deal
from arena.game.engine import State
from arena.game.moves import MOVES
from arena.game.notes import notes_part
from arena.game.record import cards_text, deal_text, parse_deal, parse_record, record_head, record_line, verify
from arena.game.rules import Rules, load_rules
from arena.tournament import move_log
from arena.tournament.games import (
    FAILED_AFTER,
    GameId,
    GameResult,
    GameTask,
    Row,
    SeriesTask,
    Task,
    deal_seed,
    stored_deal_seed,
)
from arena.tournament.run_settings import Clock


@dataclass(frozen=True)
class GameSettings:
    """The settings that all games of a run share.

    `clock` is the time for each decision and the bank for each game, `notes` says whether notes are kept, `own_deals`
    whether every two bots have deals of their own. `deals` are the deals of some numbers, as records write them; the
    others follow from the seed.
    """

    rules: Rules
    seed: int
    clock: TimeLeft | None = None
    notes: bool = True
    own_deals: bool = False
    deals: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: str, seed: int, clock: Clock, **more: Any) -> Self:
        """Return them for a rule set by its name and a clock as a file gives it, which may limit nothing."""
        time = None if clock == Clock() else TimeLeft(clock.move_ms, clock.bank_ms)
        return cls(load_rules(rules), seed, time, **more)

    def seed_of(self, task: GameTask) -> int:
        """Return the seed of a game's deal, from which the seeds of its bots derive as well."""
        return deal_seed(self.seed, self.own_deals, task.first, task.second)

    def deal(self, seed: int, number: int) -> Deal:
        """Return the deal of a number, for bots whose deals have this seed."""
        return parse_deal(self.rules, self.deals[number]) if self.deals else make_deal(self.rules, seed, number)

    def deal_text(self, seed: int, number: int) -> str:
        """Return the text of `deal` in a record."""
        return self.deals[number] if self.deals else deal_text(seed, number)


def full_deals(rules: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return deals of a list with all cards written out, as the records of a run have them.

    >>> [text[:18] for text in full_deals("base", ["1:0"])]
    ['cards:r5k7r6k5y8r1']
    """
    loaded = load_rules(rules)
    return tuple(cards_text(parse_deal(loaded, text)) for text in texts)


class Forfeit(NamedTuple):
    """The forfeit of a `seat`: its `kind` (one of `arena.endings.FORFEITS`) and a `detail` for the author."""

    seat: int
    kind: str
    detail: str


Clocked: TypeAlias = tuple[int, int, int, int, bytes, bytes, int]  # the columns of a row that a clock measures
UNCLOCKED: Clocked = (0, 0, 0, 0, b"", b"", 0)


class RecordText(NamedTuple):
    """The text that the records of a run share: the head, with %s for the deal, and all moves."""

    head: str
    moves: tuple[str, ...]

    @classmethod
    def of(cls, settings: GameSettings, auto_claim: tuple[bool, bool]) -> RecordText:
        """Return the text for games with these claims, by seat."""
        texts = tuple(move.text for move in MOVES[settings.rules.spy_value])
        return cls(record_head(settings.rules, "%s", auto_claim), texts)


def make_row(
    text: RecordText,
    deal: str,
    task: GameTask,
    state: State,
    moves: Sequence[int],
    forfeit: Forfeit | None,
    asked: tuple[int, int],
    clocked: Clocked,
    after: Sequence[Forfeit] = (),
    notes: Sequence[tuple[int, int, str]] = (),
) -> Row:
    """Return the row of a game; `deal` is its deal as records write it.

    `asked` and `clocked` (measured by a clock) begin with the bot that moved first. `moves` are numbers. `after` lists
    failures after the game, which are noted and leave its result unchanged. `notes` are the remarks of the bots: number
    of the move, seat, text.
    """
    starter = state.first_seat
    if forfeit is None:
        outcome = state.outcome
        assert outcome is not None  # moves have run out
        winner, stones, reason = outcome.winner, outcome.stones, outcome.reason
        score = 1 if winner is None else 2 if winner == starter else 0
        ending, fault, by, detail = ENDING_CODES[reason], 0, 0, None
        if after:
            names = {starter: task.first, 1 - starter: task.second}
            by = sum({1 if failure.seat == starter else 2 for failure in after})
            detail = "\n".join(
                f"{names[failure.seat]} {FAILED_AFTER} {failure.kind}: {failure.detail}" for failure in after
            )
    else:
        loser, kind, detail = forfeit
        winner, stones, reason = 1 - loser, (state.stones_of(0), state.stones_of(1)), f"forfeit {kind}"
        score = 0 if loser == starter else 2
        ending, fault, by = ENDING_CODES["forfeit"], FORFEIT_CODES[kind], 1 if loser == starter else 2
    result = f"{'draw' if winner is None else 'ab'[winner]} {stones[0]}-{stones[1]} {reason}"
    texts = text.moves
    record = record_line(text.head % deal, [texts[index] for index in moves], result)
    if notes:
        record += f"; {notes_part(notes)}"
    own, other = stones[starter], stones[1 - starter]
    game = (task.key, score, ending, fault, by, own, other, state.turns, len(moves))
    return Row._make(game + asked + clocked + (record, detail))


# ---------------------------------------------------------------- games that were cut off


def cut_row(
    settings: GameSettings, task: GameTask, snapshot: move_log.LogSnapshot, kind: str, detail: str
) -> Row | None:
    """Return the row of a game whose worker hung (`timeout`) or died (`crash`), from its move log.

    The bot to move, or whose hook was running, forfeits; if the hook was `end`, the game keeps its result. None if no
    bot was running: then the cause is elsewhere, and the game can be played again. Times are 0: not known.
    """
    if snapshot.key != task.key or not (role := role_at_work(settings, task, snapshot)):
        return None
    state, auto = _state_of(settings, task, snapshot)
    starter, written = state.first_seat, settings.deal_text(settings.seed_of(task), task.deal)
    seat = starter if role == 1 else 1 - starter
    fault = Forfeit(seat, kind, f"in {snapshot.hook}: {detail}")
    forfeit, after = (None, (fault,)) if state.is_over else (fault, ())
    if snapshot.forfeit:
        loser = starter if snapshot.loser == 1 else 1 - starter
        lost = "(what it had done is not known any more: the process has ended in the other bot's end)"
        forfeit = Forfeit(loser, FORFEITS[snapshot.forfeit - 1], lost)
    text, asked = RecordText.of(settings, auto), (0, 0)
    return make_row(text, written, task, state, snapshot.moves, forfeit, asked, UNCLOCKED, after)


def role_at_work(settings: GameSettings, task: GameTask, snapshot: move_log.LogSnapshot) -> int:
    """Return whose call is running in a game: 1 for the bot that began it, 2 for the other, 0 for none."""
    if snapshot.hook is None or snapshot.role:
        return snapshot.role
    state, _ = _state_of(settings, task, snapshot)
    return 0 if state.is_over else 1 if state.to_move == state.first_seat else 2


def _state_of(
    settings: GameSettings, task: GameTask, snapshot: move_log.LogSnapshot
) -> tuple[State, tuple[bool, bool]]:
    """Return the position in a game, and which seats claim automatically."""
    auto = snapshot.auto_claim if snapshot.hook in ("act", "end") else (True, True)
    state = State(settings.rules, settings.deal(settings.seed_of(task), task.deal), auto)
    for index in snapshot.moves:
        state.apply(MOVES[settings.rules.spy_value][index])
    return state, auto


def find_game(task: Task, key: int) -> GameTask | None:
    """Return the game with a key among those of a unit of work, None if it is not there."""
    pairing, deal, game = GameId.from_key(key)
    if pairing != task.pairing:
        return None
    if isinstance(task, SeriesTask):
        number = deal - task.deal
        return task.game_task(number, game) if 0 <= number < task.rule.stride else None
    return next((game_task for game_task in task.game_tasks() if game_task.key == key), None)


def game_faults(games: Iterable[GameResult], config: Mapping[str, Any]) -> Iterator[tuple[GameResult, str | None]]:
    """Yield each game of a run or a league with what is wrong with it, or None; `config` has rules, seed and deals."""
    listed = full_deals(config["rules"], config.get("deals", ()))
    for game in games:
        seed, number = stored_deal_seed(config, game.first, game.second), game.id.deal
        yield game, game_fault(game, config["rules"], listed[number] if listed else deal_text(seed, number))


def game_fault(result: GameResult, rules: str, deal: str) -> str | None:
    """Replay the record of a stored game, and compare it with the settings, its `deal` in text, and the row.

    Return a sentence that says what differs, or None if everything agrees.
    """
    try:
        record = parse_record(result.record)
        state = verify(result.record)
    except ArenaError as error:
        return str(error)
    first = record.deal.starter
    stones = (state.stones_of(first), state.stones_of(1 - first))
    score = 0.5 if record.winner is None else float(record.winner == first)
    ending = result.ending if result.forfeit is None else f"forfeit {result.forfeit}"
    replayed = {
        "rules": (record.rules.canonical, load_rules(rules).canonical),
        "deal": (record.deal_text, deal),
        "score": (score, result.score),
        "stones": (stones, result.stones),
        "turns": (state.turns, result.turns),
        "plies": (len(record.moves), result.plies),
        "ending": (record.result.split(" ", 2)[2], ending),
    }
    for name, (found, stored) in replayed.items():
        if found != stored:
            return f"{name}: {stored} is stored, the record gives {found}"
    return None
