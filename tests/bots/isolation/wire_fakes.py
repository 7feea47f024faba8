"""Helpers for tests of wire bots: a fake process, and a recorder of conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.isolation.process import DeadlinePassed, ProcessEnded
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits, Launch
from arena.bots.loading import load_bot
from arena.bots.spec import BotSpec, command_hash, find_bot
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

Message = dict[str, Any]
Special = Callable[[Message], Iterable[bytes]]
SPEC = BotSpec("fake", "cmd:fake", "cmd:fake", "/nowhere/fake", command_hash("cmd:fake", ()), (), ("/nowhere/fake",))
RULES = load_rules("base")
SETUP = Setup(1, 0, RULES, (1 << 64) - 1, None)
END = GameEnd(1, (2, 5), "five stones")


class FakeProcess:
    """Answers each line at once with the pieces that `answer` returns for it; an empty piece ends the process.

    When nothing is left to receive, the deadline passes at once.
    """

    suspended = False
    ends = 0, 0

    def __init__(self, answer: Callable[[bytes], Iterable[bytes]]) -> None:
        self._answer = answer
        self._pieces: list[bytes] = []
        self.closed = False

    def send(self, data: bytes, deadline: float) -> None:
        assert not self.closed
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        if b"" in self._pieces:
            raise ProcessEnded("it has ended")
        self._pieces += self._answer(data)

    def receive(self, deadline: float) -> bytes:
        assert not self.closed
        if not self._pieces:
            raise DeadlinePassed
        if not self._pieces[0]:
            raise ProcessEnded("it has ended")
        return self._pieces.pop(0)

    def pending(self, wait_s: float = 0.0) -> bool:
        return bool(self._pieces)

    def hear(self) -> None:
        """Do nothing."""

    def cpu_seconds(self) -> float:
        return 0.0

    def new_game(self) -> None:
        """Do nothing."""

    def wake(self) -> None:
        self.suspended = False

    def rest(self) -> None:
        """Do nothing."""

    def suspend(self) -> None:
        self.suspended = True

    def close(self, grace_s: float = 0.0) -> str:
        self.closed = True
        return "it was stopped"


def fake_bot(answer: Callable[[bytes], Iterable[bytes]]) -> RemoteBot:
    """Return a wire bot with a fake process."""

    def start(launch: Launch, hear: Callable[[bytes], object]) -> FakeProcess:
        return FakeProcess(answer)

    return RemoteBot(SPEC, RULES, "process", BotLimits(), start=start)


class Recorder:
    """Answers by `choose(message)` (the value of "move") and records both sides of the conversation."""

    def __init__(self, choose: Callable[[Message], Any], hello: Message | None = None) -> None:
        self._choose = choose
        self._hello = {"protocol": 3, **(hello or {})}
        self.said: list[tuple[str, Message]] = []

    def __call__(self, line: bytes) -> list[bytes]:
        message = json.loads(line)
        self.said.append(("runner", message))
        if "id" not in message:
            return []
        answer = {"id": message["id"]}
        if message["type"] == "hello":
            answer |= self._hello
        if message["type"] == "act":
            answer["move"] = self._choose(message)
        self.said.append(("bot", answer))
        return [json.dumps(answer).encode() + b"\n"]


def position(
    rules: str = "base", seed: int = 1, plies: int = 0, clock: TimeLeft | None = None
) -> tuple[View, list[Move]]:
    state = State(load_rules(rules), make_deal(load_rules(rules), seed, 0))
    rng = Rng(seed)
    for _ in range(plies):
        if moves := state.legal_moves():
            state.apply(rng.choice(moves))
    return state.view(state.to_move, clock=clock), state.legal_moves()


def line(**answer: Any) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def honest(message: Message, **more: Any) -> list[bytes]:
    if "id" not in message:
        return []
    needed = {"hello": {"protocol": 3}, "act": {"move": 0}}.get(message["type"], {})
    return [line(id=message["id"], **needed, **more)]


def special_bot(**special: Special) -> RemoteBot:
    """Return a bot that is honest except for the named types of messages."""

    def answer(data: bytes) -> Iterable[bytes]:
        message = json.loads(data)
        return special.get(message["type"], honest)(message)

    return fake_bot(answer)


def table(bot: RemoteBot, rules: str = "base", clock: TimeLeft | None = None) -> Referee:
    """Return a referee for this bot, which is called a, and two others inside: b, random, and c, first."""
    others = [Player.of(load_bot(find_bot(text))) for text in ("b=random", "c=first")]
    return Referee(GameSettings(load_rules(rules), 1, clock), [Player("a", make=lambda: bot), *others])


def fault(do: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(BotFault) as caught:
        do()
    return caught.value.kind, caught.value.detail
