"""A bot that asks a language model for its moves.

Any server with the common chat interface will do, on this machine or elsewhere:

    export BOT_LLM_URL=http://127.0.0.1:11434/v1 BOT_LLM_MODEL=llama3.2 BOT_LLM_KEY=...
    arena match "cmd:python3 examples/wire/llm.py" random --games 10 --isolation process --move-ms 150000

The model sees the board as text and the legal moves by number. If its answer names none of them, it is asked once
more; then the bot plays a random move, and the table says how many games had such moves. After each game the log gets
the tokens used and the seconds waited. Without a server there is no game. The key is not written anywhere.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
from typing import Any

URL = os.environ.get("BOT_LLM_URL", "http://127.0.0.1:11434/v1").rstrip("/")
MODEL = os.environ.get("BOT_LLM_MODEL", "llama3.2")
KEY = os.environ.get("BOT_LLM_KEY", "")
SECONDS = float(os.environ.get("BOT_LLM_SECONDS", "60"))

RULES = """\
You play Schotten-Totten, a card game for two players. Nine stones lie between the players. In a turn you
place one card of your hand on your side of a stone, then draw a card. Cards have a colour (r g b y p k)
and a value: r7 is the red 7. A side is complete with three cards (four if the stone says so). The better
formation wins the stone: colour run (r4 r5 r6), then three of a kind (7 7 7), then colour (three reds),
then run (4 5 6 in any colours), then anything else; within a kind the higher sum wins. You win the game
with five stones, or with three stones side by side. Keep colours and values together on a stone, do not
complete a stone with a weak formation early, and count which cards are still unseen."""


def describe(act: dict[str, Any]) -> str:
    """Return the position and the numbered moves as text."""
    lines = ["The stones (mine | theirs):"]
    for number, stone in enumerate(act["stones"], 1):
        remark = "".join(f" {mode}" for mode in stone["modes"])
        if stone["owner"]:
            remark += f" won by {'you' if stone['owner'] == 'me' else 'your opponent'}"
        if stone["capacity"] != 3:
            remark += f" (complete with {stone['capacity']} cards)"
        lines.append(f"{number}: {' '.join(stone['mine']) or '-'} | {' '.join(stone['theirs']) or '-'}{remark}")
    lines += [
        f"Your hand: {' '.join(act['hand'])}",
        f"Unseen cards: {' '.join(act['unseen'])}",
        f"Decision: {act['phase']}. The legal moves (CARD@STONE places a card):",
        *(f"{number}: {move}" for number, move in enumerate(act["moves"])),
        "Think briefly. End your answer with a line that holds only the number of your move.",
    ]
    return "\n".join(lines)


def chosen(reply: str, moves: list[str]) -> int | None:
    """Return the index of the move that a reply ends with, as a number or as text; None if it names no legal move."""
    lines = [line.strip(" .*`") for line in reply.strip().splitlines() if line.strip()]
    if not lines:
        return None
    if lines[-1] in moves:
        return moves.index(lines[-1])
    numbers = re.findall(r"\d+", lines[-1])
    if not numbers or len(numbers[-1]) > 4 or int(numbers[-1]) >= len(moves):  # int() refuses thousands of digits
        return None
    return int(numbers[-1])


def ask(messages: list[dict[str, str]]) -> tuple[str, int]:
    """Return the model's reply and the tokens it used; raise an exception if the server has no answer."""
    body = json.dumps({"model": MODEL, "messages": messages, "temperature": 0}).encode()
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {KEY}"} if KEY else {})
    request = urllib.request.Request(f"{URL}/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        answer = json.load(response)
    try:
        return str(answer["choices"][0]["message"]["content"]), int(answer.get("usage", {}).get("total_tokens", 0))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"not an answer of a chat server: {error!r}") from None


def unreachable() -> str | None:
    """Say why no server can be reached, None if one answers anything at all."""
    try:
        urllib.request.urlopen(f"{URL}/models", timeout=min(SECONDS, 10)).close()
    except urllib.error.HTTPError:
        return None
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"no chat server can be reached at {URL} ({error}); start it, or set BOT_LLM_URL"
    return None


def own_move(act: dict[str, Any], rng: random.Random) -> int:
    """Choose a move without the model: any move, but not a pass if there is another."""
    return rng.choice([number for number, move in enumerate(act["moves"]) if move != "pass"] or [0])


def decide(act: dict[str, Any], rng: random.Random) -> tuple[int, dict[str, Any]]:
    """Return the index of the move, and a note for it."""
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": describe(act)}]
    began, tokens, move = time.monotonic(), 0, None
    for _ in range(2):
        try:
            reply, used = ask(messages)
        except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
            print(f"no answer from the server: {error}", file=sys.stderr)
            break
        tokens += used
        move = chosen(reply, act["moves"])
        if move is not None:
            break
        again = (
            f"That is none of the legal moves. Answer with a number from 0 to {len(act['moves']) - 1} and nothing else."
        )
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": again}]
    note = {"tokens": tokens, "seconds": round(time.monotonic() - began, 3), "fallback": int(move is None)}
    return own_move(act, rng) if move is None else move, note


def main() -> None:
    """Answer each line that has an id."""
    rng = random.Random(0)
    notes: list[dict[str, Any]] = []
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        answer: dict[str, Any] = {"id": message["id"]}
        if message["type"] == "hello":
            answer |= {"protocol": 3, "name": MODEL, "error": unreachable()}
        elif message["type"] == "begin":
            rng, notes = random.Random(message["seed"]), []
        elif message["type"] == "act":
            answer["move"], answer["note"] = decide(message, rng)
            notes.append(answer["note"])
        elif message["type"] == "end":
            tokens, seconds, own = (sum(note[key] for note in notes) for key in ("tokens", "seconds", "fallback"))
            print(f"{tokens} tokens, {seconds:.1f} s", file=sys.stderr)
            if own:
                answer["error"] = f"{own} of {len(notes)} moves were random, not the model's"
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
