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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from arena.bots.cores import NO_PINNING, core_held, usable_cores
from arena.bots.forks import tie_to_parent
from arena.bots.output import BotOutput, redirected
from arena.errors import ArenaError, UnfitEngineError
from arena.game.cards import card_name
from arena.game.engine import State, View
from arena.game.moves import Event, Move
from arena.game.record import parse_record
from arena.league import versions
from arena.league.store import open_league
from arena.league.submission import placed_bot
from arena.results.judge import analyse
from arena.results.pages.boards import Flat, flat
from arena.results.positions import deed_words, legend, move_words
from arena.results.records import export_line, game_of
from arena.terminal.input import Left, Person, PersonInterface, Resigned, hint, why
from arena.terminal.scene import News, Scene
from arena.terminal.session import Seating, Session, end_text
from arena.tournament.runner.job import Job

DECISION = "decision"  # the person is to move
WAITS = "waits"  # the bot is to move
OVER = "over"
FAILED = "failed"  # the game cannot continue
_STONES = range(1, 10)
_DEAR, _MOST_DEAR = 0.02, 3  # of the chance to win; moves that are named afterwards
_QUESTIONS = {
    "claim": "Claim stones, or continue.",
    "play": "Your move: choose a card, then a stone.",
    "take": "Take a card from the table.",
    "put": "Choose where to put it.",
    "scout": "Draw from which deck?",
    "return": "Give back a card from your hand.",
    "draw": "Draw from which deck?",
}


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

    def line(self) -> str:
        """Return the order as the first line of stdin."""
        return json.dumps(asdict(self)) + "\n"


class RemotePerson(PersonInterface):
    """The person's side of the table: `questions` are sent, `answers` are received."""

    def __init__(self, answers: TextIO, questions: TextIO) -> None:
        self.person = ""
        self._answers, self._questions = answers, questions
        self._news: News | None = None
        self._table: dict[str, Any] = {}

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """Begin with the cards just dealt."""
        seat = seats.index(self.person)
        bot = seats[1 - seat]
        self._news = News(("You", bot) if seat == 0 else (bot, "You"), seat)
        self._look(state)

    def moved(self, state: State, move: Move) -> None:
        """Show the table after a move."""
        self._look(state)

    def _look(self, state: State) -> None:
        news = self._news
        assert news is not None
        self._table = table_shown(news.scene(state), news, state.events(news.seat), state.is_over)
        if not state.is_over and state.to_move != news.seat:
            self.tell(WAITS)

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Return the person's move. Raise Resigned if the person resigns, and Left if the answers end."""
        answer: Mapping[str, int] = {"hint": False}
        while "hint" in answer:
            text, hinted = "", ""
            if answer["hint"]:
                try:
                    text, best = hint(view, moves)
                    hinted = str(best)
                except UnfitEngineError as error:  # the game continues without a net
                    text = str(error)
            self.tell(DECISION, hint=text, hinted=hinted, **moves_shown(view, moves))
            line = self._answers.readline()
            if not line:
                raise Left
            answer = json.loads(line)
        if "resign" in answer:
            raise Resigned
        assert self._news is not None
        self._news.clear()
        move: Move = moves[answer["move"]]
        return move

    def tell(self, kind: str, **more: Any) -> None:
        """Send the state of the game."""
        self._questions.write(json.dumps({"kind": kind} | self._table | more) + "\n")
        self._questions.flush()


def play_table(order: GameOrder, answers: TextIO, questions: TextIO) -> None:
    """Play the game and send its result."""
    table = RemotePerson(answers, questions)
    try:
        session = Session(_seating(order), table, before=order.before)
        table.person = session.seating.person
        with redirected(BotOutput(session.speaker)):
            session.play(Person(table, order.claims))
    except ArenaError as error:
        table.tell(FAILED, detail=str(error))
        return
    except Left:
        return
    result, detail = session.result, ""
    if result is not None:
        result, detail = replace(result, detail=None), result.detail or ""
    record = session.record() if result is None else export_line(result)
    dear: list[dict[str, Any]] = []
    with suppress(UnfitEngineError):
        dear = dear_moves(record, table.person)
    table.tell(OVER, result=end_text(session, reason=False), detail=detail, record=record, dear=dear)


def _seating(order: GameOrder) -> Seating:
    """Unpack the bot's files and return who plays in which seat."""
    with open_league(Path(order.folder), write=False) as league:
        version, settings = versions.get(league, order.version), league.settings
        files = versions.files_of(league, version.id)
    bot = placed_bot(version.entry, files, Path(order.bot_folder), version.label)
    job = Job(settings.rules, order.seed, (bot,), settings.clock, settings.limits)
    games = job.game_settings
    person = order.person if order.person != bot.name else f"{order.person} (you)"
    players = (None, bot) if order.begins else (bot, None)
    names = (person, bot.name) if order.begins else (bot.name, person)
    return Seating(games.rules, order.seed, players, names, order.claims, order.level, job.bot_limits, games.clock)


# ---------------------------------------------------------------- what is shown


def table_shown(scene: Scene, news: News, events: Sequence[Event], is_open: bool) -> dict[str, Any]:
    """Return the table as the person, who sits below, sees it. Pairs are (the person, the bot).

    `state` is as in `results.pages.boards`, without the bot's hand unless `is_open`. `fresh` has the cards just
    played; `why` explains for stones with cards who can claim them and what the sides can still become.
    """
    position = scene.position
    state = flat(position, scene.rules)
    below, above = "ab"[scene.seat], "ba"[scene.seat]
    if not is_open:
        state.pop(f"h{above}", None)
    fresh = {event.card for event in news.events if event.card is not None and event.stone is not None}
    held = [stone for stone in _STONES if any(side[stone - 1] for side in position.sides)]
    return {
        "turn": position.turn,
        "names": [scene.names[seat] for seat in scene.seats],
        "edition": scene.rules.edition,
        "tactics": bool(scene.rules.tactics),
        "state": state,
        "sides": (below, above),
        "fresh": [card for card in _cards_on(state) if card.partition("=")[0] in fresh],
        "why": {str(stone): why(scene, stone) for stone in held},
        "won": [position.owners.count(sign) for sign in (below, above)],
        "backs": scene.counts(1 - scene.seat),
        "pending": position.pending,
        "to_move": None if scene.to_move is None else scene.seats.index(scene.to_move),
        "legend": legend(scene.rules),
        "news": news.text(lambda event: _words(event, scene.rules.edition)),
        "log": [f"{news.names[event.seat]}: {news.said(event)}" for event in events],
    }


def _cards_on(state: Flat) -> list[str]:
    """Return the cards on the board."""
    return [card for seat in "ab" for stone in _STONES for card in state.get(f"{seat}{stone}", "").split()]


def dear_moves(record: str, person: str) -> list[dict[str, Any]]:
    """Return the moves of the person that cost most by the judge, the dearest first: their numbers and words."""
    game = game_of(record)
    analysis = analyse(game)
    seat, edition = game.seats.index(person), parse_record(record).rules.edition
    lost = [
        (judged.loss, made, judged.best)
        for made, judged in zip(analysis.made, analysis.judged)
        if made.seat == seat and judged.loss >= _DEAR and judged.best is not made.move
    ]
    return [
        {
            "number": made.number,
            "turn": made.turn,
            "said": deed_words(made.move, edition),
            "best": move_words(best, edition),
            "percent": round(100 * loss),
        }
        for loss, made, best in sorted(lost, key=lambda one: -one[0])[:_MOST_DEAR]
    ]


def _words(event: Event, edition: str) -> str:
    """Return a player's action in words, such as `pink 7 to stone 1 (k7@1)` or `claims stone 3`."""
    if event.kind in ("draw", "return"):
        return event.text
    words = deed_words(event, edition)
    return f"{words} ({event.text})" if event.kind in ("place", "mode") else words


def moves_shown(view: View, moves: Sequence[Move]) -> dict[str, Any]:
    """Return the question to the person, and the legal moves in groups, one per card in hand.

    Each move has `at` (its index), `text`, `said` (the move in words), `card` (in hand, or "") and `stone` (or "").
    """
    edition = view.rules.edition
    groups: dict[str, list[dict[str, Any]]] = {}
    for index, move in enumerate(moves):
        card = (move.card or "") if view.phase in ("play", "return") else ""
        shown = {
            "at": index,
            "text": move.text,
            "said": move_words(move, edition),
            "card": card,
            "stone": move.stone or "",
        }
        groups.setdefault(card, []).append(shown)
    listed = [{"card": card, "called": card and card_name(card, edition), "moves": of} for card, of in groups.items()]
    return {"asks": _QUESTIONS[view.phase], "groups": listed}


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
