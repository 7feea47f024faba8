"""The process of one game: it unpacks the bot, starts it in the sandbox and plays it against a person.

The first line of stdin says what is played; each later one is an answer from the person. Each line of stdout is what
the person may see now, made from a view, which holds no secret. All lines are JSON. The process ends with the game, or
when stdin does.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from arena.bots.cores import NO_PINNING, core_held, usable_cores
from arena.bots.output import BotOutput, redirected
from arena.bots.processes import tie_to_parent
from arena.errors import ArenaError, UnfitEngineError
from arena.game.cards import card_name
from arena.game.engine import State, View
from arena.game.moves import DECKS, Event, Move
from arena.game.record import parse_record
from arena.game.rng import Rng
from arena.league import versions
from arena.league.store import open_league
from arena.league.submission import placed_bot
from arena.results.judge import analyse
from arena.results.pages.game_data import flat
from arena.results.positions import STONES, deed_words, move_words
from arena.results.records import export_line, game_of
from arena.terminal.input import Left, News, PersonInterface, Resigned, hint, why
from arena.terminal.session import Seating, Session, end_text
from arena.tournament.rows import GameSettings
from arena.tournament.runner.job import bot_limits

DECISION = "decision"  # the person is to move
WAITS = "waits"  # the bot is to move
OVER = "over"
FAILED = "failed"  # the game cannot continue
_MIN_LOSS, _MOST_COSTLY = 0.02, 3  # of the chance to win; moves that are named afterwards
_GOES_ON = {"ruse": ("take", "scout"), "take": ("put",), "return": ("return",)}
"""Kinds of moves, and the decisions that may follow them before anything hidden is shown."""
Choices: TypeAlias = dict[str, Any]
"""What can be clicked, then what can be clicked next, and so on; at the end the number of a line of moves."""
MoveLine: TypeAlias = list[Move]


@dataclass(frozen=True)
class GameOrder:
    """The game to play.

    folder, version   the league, and the version that plays
    bot_folder        a folder for the bot's files
    level             the isolation level of the bot
    seed              decides cards and chance; the person must not learn it
    person            the person's name
    begins, claims    whether the person makes the first move, and claims stones
    before            moves that are made again first, by number
    """

    folder: str
    version: int
    bot_folder: str
    level: str
    seed: int
    person: str
    begins: bool
    claims: bool
    before: tuple[int, ...] = ()


class RemotePerson(PersonInterface):
    """The person's side of the table: `questions` are sent, `answers` are received.

    The first `repeated` moves come from an earlier game and are not shown one by one.
    """

    def __init__(self, answers: TextIO, questions: TextIO, repeated: int = 0) -> None:
        self.person = ""
        self._answers, self._questions = answers, questions
        self._repeated = repeated
        self._news: News | None = None
        self._table: dict[str, Any] = {}
        self._rest: MoveLine = []  # moves that the person has already chosen

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """Begin with the cards just dealt."""
        seat = seats.index(self.person)
        bot = seats[1 - seat]
        self._news = News(("You", bot) if seat == 0 else (bot, "You"), seat)
        self._look(state)

    def moved(self, state: State, move: Move) -> None:
        """Show the table after a move."""
        self._repeated -= 1
        self._look(state)

    def _look(self, state: State) -> None:
        news = self._news
        assert news is not None
        view = news.look(state)
        if self._repeated > 0:
            news.clear()
            return
        self._table = table_shown(state, view, news)
        if not state.is_over and state.to_move != news.seat:
            self.tell(WAITS)

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Return the person's move. Raise Resigned if the person resigns, and Left if the answers end."""
        if not self._rest:
            choices, lines = choices_shown(view, moves)
            self.tell(DECISION, choices=choices, lines=len(lines), hint=hint_shown(view, moves))
            text = self._answers.readline()
            if not text:
                raise Left
            answer = json.loads(text)
            if "resign" in answer:
                raise Resigned
            self._rest = lines[answer["move"]]
        move, *self._rest = self._rest
        return move

    def tell(self, kind: str, **more: Any) -> None:
        """Send the state of the game."""
        self._questions.write(json.dumps({"kind": kind} | self._table | more) + "\n")
        self._questions.flush()
        if self._news is not None:
            self._news.clear()


def play_table(order: GameOrder, answers: TextIO, questions: TextIO) -> None:
    """Play the game and send its result."""
    table = RemotePerson(answers, questions, len(order.before))
    try:
        session = Session(_seating(order), table, before=order.before)
        table.person = session.seating.person
        with redirected(BotOutput(session.speaker)):
            session.play()
    except ArenaError as error:
        table.tell(FAILED, detail=str(error))
        return
    except Left:
        return
    result, detail = session.result, ""
    if result is not None:
        result, detail = replace(result, detail=None), result.detail or ""
    record = session.record() if result is None else export_line(result)
    costly: list[dict[str, Any]] = []
    with suppress(UnfitEngineError):
        costly = costly_moves(record, table.person)
    table.tell(OVER, result=end_text(session, reason=False), detail=detail, record=record, costly=costly)


def _seating(order: GameOrder) -> Seating:
    """Unpack the bot's files and return who plays in which seat."""
    with open_league(Path(order.folder), write=False) as league:
        version, settings = versions.get(league, order.version), league.settings
        files = versions.files_of(league, version.id)
    bot = placed_bot(version.entry, files, Path(order.bot_folder), version.label)
    games = GameSettings.of(settings.rules, order.seed, settings.clock)
    person = order.person if order.person != bot.name else f"{order.person} (you)"
    players = (None, bot) if order.begins else (bot, None)
    names = (person, bot.name) if order.begins else (bot.name, person)
    limits = bot_limits(settings.limits)
    return Seating(games.rules, order.seed, players, names, order.claims, order.level, limits, games.clock)


# ---------------------------------------------------------------- what is shown


def table_shown(state: State, view: View, news: News) -> dict[str, Any]:
    """Return the table as the person, who sits below, sees it. `by` is 0 for the person and 1 for the bot.

    `state` is as in `results.pages.game_data`, without the bot's hand before the end; `backs` counts its cards.
    `fresh` is what has happened since the last look, `log` all of it in words; `why` explains for stones with cards who
    can claim them and what the sides can still become.
    """
    seat, edition = news.seat, state.rules.edition
    shown = flat(state, seat)
    if not state.is_over:
        shown.pop("hb", None)
    held = [stone for stone in STONES if state.side(0, stone) or state.side(1, stone)]
    return {
        "edition": edition,
        "tactics": bool(state.rules.tactics),
        "state": shown,
        "backs": dict(zip(DECKS, state.hand_counts(1 - seat))),
        "why": {str(stone): why(view, news.names, stone, brief=True) for stone in held},
        "fresh": [
            {
                "by": event.seat ^ seat,
                "kind": event.kind,
                "card": event.card,
                "stone": event.stone,
                "deck": event.deck,
            }
            for event in news.events
        ],
        "log": [
            [event.seat ^ seat, news.said(event, lambda one: _words(one, edition)), event.kind]
            for event in state.events(seat)
        ],
    }


def costly_moves(record: str, person: str) -> list[dict[str, Any]]:
    """Return the moves of the person that cost most by the judge, the dearest first: their numbers and words."""
    game = game_of(record)
    analysis = analyse(game)
    seat, edition = game.seats.index(person), parse_record(record).rules.edition
    lost = [
        (judged.loss, judged.made, judged.best)
        for judged in analysis.judged
        if judged.made.seat == seat and judged.loss >= _MIN_LOSS and judged.is_lost
    ]
    return [
        {
            "number": made.number,
            "turn": made.turn,
            "said": deed_words(made.move, edition),
            "best": move_words(best, edition),
            "percent": round(100 * loss),
        }
        for loss, made, best in sorted(lost, key=lambda one: -one[0])[:_MOST_COSTLY]
    ]


def _words(event: Event, edition: str) -> str:
    """Return a player's action in words, such as `pink 7 to stone 1`, `draws green 6` or `claims stone 3`."""
    if event.kind == "draw" and event.card is not None:
        return f"draws {card_name(event.card, edition)}"
    return event.text if event.card is None and event.kind in ("draw", "return") else deed_words(event, edition)


# ---------------------------------------------------------------- what can be chosen


def choices_shown(view: View, moves: Sequence[Move]) -> tuple[Choices, list[MoveLine]]:
    """Return what the person can click, step by step, and the lines of moves that this leads to.

    `{"hand:r4": {"side:8": 0}}`: a click on red 4 and then on the own side of stone 8 is the first line. A ruse is a
    line of several moves, as nothing hidden is shown before its end. Keys are `hand:CARD`, `side:STONE`, `stone:STONE`,
    `card:CARD@STONE` (on the table), `deck:DECK`, `as:COLOUR` and `as:CARD` (what a wild becomes), `discard`, `done`
    and `pass`.
    """
    choices: Choices = {}
    lines: list[MoveLine] = []
    for keys, line in _lines(view.sample(Rng(0)), moves):
        place = choices
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place[keys[-1]] = len(lines)
        lines.append(line)
    return choices, lines


def hint_shown(view: View, moves: Sequence[Move]) -> list[str]:
    """Return the clicks that the packaged net would choose; none without a net."""
    state, keys = view.sample(Rng(0)), []
    try:
        while True:
            _, move = hint(view, list(moves))
            keys += _keys(state, move)
            after = _goes_on(state, move)
            if after is None:
                return keys
            state, view, moves = after, after.view(view.seat), after.legal_moves()
    except UnfitEngineError:
        return []


def _lines(state: State, moves: Sequence[Move]) -> Iterator[tuple[list[str], MoveLine]]:
    """Yield clicks and their moves, each until something hidden is shown or the decision is complete."""
    for move in moves:
        keys = _keys(state, move)
        after = _goes_on(state, move)
        if after is None:
            yield keys, [move]
        else:
            following = after.legal_moves()
            forced = len(following) == 1  # then the referee makes it without asking, though there is a click for it
            for more, line in _lines(after, following):
                yield keys + more, [move, *(line[1:] if forced else line)]


def _goes_on(state: State, move: Move) -> State | None:
    """Return the state after a move if its next decision belongs to the same choice."""
    if move.kind not in _GOES_ON:
        return None
    after = state.copy()
    after.apply(move)
    return after if after.phase in _GOES_ON[move.kind] else None


def _keys(state: State, move: Move) -> list[str]:
    """Return the clicks that make a move in a state."""
    held = [f"hand:{move.card}"] if state.phase in ("play", "return") and move.card else []
    if move.kind == "place":
        bound = move.binding or ""
        colours = [f"as:{bound[0]}"] if bound and move.card in ("*J", "*123") else []
        return [*held, f"side:{move.stone}", *colours, *([f"as:{bound}"] if bound else [])]
    if move.kind in ("mode", "claim"):
        return [*held, f"stone:{move.stone}"]
    if move.kind == "take":
        return [f"card:{move.card}@{move.stone}"]
    if move.kind == "draw":
        return [f"deck:{move.text.removeprefix('draw ')}"]
    last = _goes_on(state, move) is None
    if move.kind == "ruse" and last:  # the recruiter with one deck
        return [*held, "deck:clan" if state.deck_counts[0] else "deck:tactic"]
    if move.kind == "return" and last:
        return [*held, "done"]
    return held or [{"no claim": "done"}.get(move.kind, move.kind)]


def avoid_held_cores() -> None:
    """Leave the cores of workers, whose bots are on the clock, to them, if there are others."""
    free = [core for core in usable_cores() if not core_held(core)]
    if free and NO_PINNING not in os.environ:
        os.sched_setaffinity(0, free)


def _main() -> None:
    """Play the game that the first line of stdin describes."""
    tie_to_parent(int(sys.argv[1]))()  # not in the fork: code there would make the server wait for SQLite
    avoid_held_cores()
    questions = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the bot prints must not reach the server
    logging.getLogger("arena").addHandler(logging.NullHandler())  # nor its log
    logging.getLogger("arena").propagate = False
    order = GameOrder(**json.loads(sys.stdin.readline()))
    play_table(order, sys.stdin, questions)


if __name__ == "__main__":
    _main()
