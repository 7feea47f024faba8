"""A bot that is a command: the first of the legal moves."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"id": message["id"]}
    if message["type"] == "hello":
        answer["protocol"] = 3
    if message["type"] == "act":
        answer["move"] = message["moves"][0]
    print(json.dumps(answer), flush=True)
