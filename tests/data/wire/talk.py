"""What the misbehaving bots of this folder share: an honest conversation, of which each of them replaces a part."""

import json
import sys

AT = 3  # the decision, counted from 1 in each game, at which a bot misbehaves


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def line(**answer):
    return json.dumps(answer).encode() + b"\n"


def honest(message):
    answer = {"id": message["id"]}
    if message["type"] == "hello":
        answer["protocol"] = 3
    if message["type"] == "act":
        answer["move"] = 0
    return line(**answer)


def talk(act=None, **others):
    """``act(message)`` is called in the place of the answer to decision ``AT``, others for messages of their type."""
    decisions = 0
    for text in sys.stdin:
        message = json.loads(text)
        if message["type"] == "begin":
            decisions = 0
        decisions += message["type"] == "act"
        if act is not None and message["type"] == "act" and decisions == AT:
            act(message)
        elif message["type"] in others:
            others[message["type"]](message)
        elif "id" in message:
            write(honest(message))
