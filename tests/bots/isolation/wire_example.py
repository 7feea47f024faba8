"""Write docs/wire-example.jsonl, the conversation of a real game: `python -m tests.bots.isolation.wire_example`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.bots.bot import TimeLeft
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.rules import load_rules
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from tests.bots.isolation.wire_fakes import Message, Recorder, fake_bot

PATH = Path(__file__).parents[3] / "docs" / "wire-example.jsonl"
HELLO = {"name": "example", "auto_claim": True, "ask_forced": False, "events": True}
SHOWN = ("play", "draw", "take", "put", "return")


def choose(message: Message) -> Any:
    """Choose ruses and modes at once; else a move in the middle, once by its number."""
    moves = message["moves"]
    for wanted in ("traitor", "redeploy", "scout", "fog", "take"):
        for move in moves:
            if move.startswith(wanted):
                return move
    place = 7 * message["id"] % len(moves)
    return place if message["id"] == 3 else moves[place]


def conversation() -> list[tuple[str, Message]]:
    """Return all messages of one game, each with its sender."""
    recorder = Recorder(choose, HELLO)
    bot = fake_bot(recorder)
    opponent = Player.of(load_bot(find_bot("other=greedy")))
    settings = GameSettings(load_rules("tactical"), 34, TimeLeft(500, None))
    referee = Referee(settings, [Player("example", make=lambda: bot), opponent])
    task = PairTask(0, 0, "example", "other")
    referee.play(next(iter(task.game_tasks())))
    bot.close()
    return recorder.said


def abridged(said: list[tuple[str, Message]]) -> list[dict[str, Any]]:
    """Keep two decisions of each kind and the last one; count the others."""
    asked = [message for who, message in said if who == "runner" and message["type"] == "act"]
    wanted = {asked[-1]["id"]}
    for phase in SHOWN:
        wanted |= {message["id"] for message in [one for one in asked if one["phase"] == phase][:2]}
    lines: list[dict[str, Any]] = []
    for who, message in said:
        if message.get("id", 0) < asked[0]["id"] or message.get("id", 0) > asked[-1]["id"] or message["id"] in wanted:
            lines.append({"from": who, "message": message})
        elif lines and "left_out" in lines[-1]:
            lines[-1]["left_out"] += 1
        else:
            lines.append({"left_out": 1})
    return lines


def text() -> str:
    """Return the contents of the file."""
    return "".join(json.dumps(line, separators=(", ", ": ")) + "\n" for line in abridged(conversation()))


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
