"""The process of one game: it unpacks the bot, starts it in the sandbox and plays it against a person far away.

The first line of stdin says what is played, each later one is the person's answer. Every line of stdout is what the
person may see now (`shown`). All is JSON. The process ends with the game, or when stdin does.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from arena.bots.output import BotOutput, redirected
from arena.bots.processes.tree import tie_to_parent
from arena.errors import ArenaError
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.league import versions
from arena.league.store import open_league
from arena.league.submission import find_entry
from arena.results.records import record_line
from arena.terminal.desk import Ask, Left, Person, Resigned
from arena.terminal.news import News
from arena.terminal.session import Seating, Session, end_text
from arena.tournament.runner.job import Job
from arena.web.playing.shown import moves_shown, table_shown

DECISION, WAITS, OVER, FAILED = "decision", "waits", "over", "failed"
"""What a line is: the person is to decide; the bot is; the game has ended; it cannot go on."""
_YOU = "You"


@dataclass(frozen=True)
class Order:
    """What is to be played.

    folder, version   the league, and which of its versions plays
    place             a folder for the bot's files
    level             where the bot runs
    seed              decides cards and chance; the person must not learn it
    person            the person's name
    begins, claims    does the person make the first move, and claim stones?
    """

    folder: str
    version: int
    place: str
    level: str
    seed: int
    person: str
    begins: bool
    claims: bool

    def line(self) -> str:
        """As the first line of stdin."""
        return json.dumps(asdict(self)) + "\n"


class Table(Ask):
    """The person's side of the table: `questions` go out, `answers` come in."""

    def __init__(self, answers: TextIO, questions: TextIO) -> None:
        self.person = ""
        self._answers, self._questions = answers, questions
        self._news: News | None = None
        self._table: dict[str, Any] = {}

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """The cards are dealt."""
        seat = seats.index(self.person)
        bot = seats[1 - seat]
        self._news = News((_YOU, bot) if seat == 0 else (bot, _YOU), seat)
        self._look(state)

    def moved(self, state: State, move: Move) -> None:
        """A move was made."""
        self._look(state)

    def _look(self, state: State) -> None:
        news = self._news
        assert news is not None
        self._table = table_shown(news.scene(state), news, state.events(news.seat))
        if not state.is_over and state.turn != news.seat:
            self.tell(WAITS)

    def ask(self, view: View, moves: list[Move]) -> Move:
        """The move that the person makes."""
        self.tell(DECISION, **moves_shown(view, moves))
        line = self._answers.readline()
        if not line:
            raise Left
        answer: Mapping[str, int] = json.loads(line)
        if "resign" in answer:
            raise Resigned
        assert self._news is not None
        self._news.clear()
        move: Move = moves[answer["move"]]
        return move

    def tell(self, kind: str, **more: Any) -> None:
        """Send how things stand."""
        self._questions.write(json.dumps({"kind": kind} | self._table | more) + "\n")
        self._questions.flush()


def play(order: Order, answers: TextIO, questions: TextIO) -> None:
    """Play the game, and tell how it has ended."""
    table = Table(answers, questions)
    home = str(Path(order.place).resolve())

    def plain(text: str) -> str:
        return re.sub(rf"{re.escape(home)}(/|\b)", lambda found: "" if found[1] else "its folder", text)

    try:
        session = Session(_seating(order), table)
        table.person = session.seating.person
        with redirected(BotOutput(session.speaker)):
            session.play(Person(table, order.claims))
    except ArenaError as error:
        table.tell(FAILED, detail=plain(str(error)))
        return
    except Left:
        return
    result, detail = session.result, ""
    if result is not None:
        result, detail = replace(result, detail=None), plain(result.detail or "")
    table.tell(
        OVER,
        result=end_text(session, reason=False),
        detail=detail,
        record=session.record() if result is None else record_line(result),
    )


def _seating(order: Order) -> Seating:
    """Who plays what; the bot's files are unpacked."""
    with open_league(Path(order.folder), write=False) as league:
        one, settings = versions.get(league, order.version), league.settings
        files = versions.files_of(league, one.id)
    home = Path(order.place)
    versions.write_files(files, home)
    bot = find_entry(one.entry, [file.path for file in files], home, one.label)
    job = Job(settings.rules, order.seed, (bot,), settings.clock, settings.limits)
    games = job.game_settings
    person = order.person if order.person != bot.name else f"{order.person} (you)"
    one_by_one = (None, bot) if order.begins else (bot, None)
    names = (person, bot.name) if order.begins else (bot.name, person)
    return Seating(games.rules, order.seed, one_by_one, names, order.claims, order.level, job.bot_limits, games.clock)


def main() -> None:
    """Play what the first line of stdin asks for."""
    tie_to_parent(int(sys.argv[1]))()  # here: code in the fork would have the server wait for SQLite
    questions = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints tells nothing
    logging.getLogger("arena").addHandler(logging.NullHandler())  # nor is what a bot prints for the server's log
    logging.getLogger("arena").propagate = False
    order = Order(**json.loads(sys.stdin.readline()))
    play(order, sys.stdin, questions)


if __name__ == "__main__":
    main()
