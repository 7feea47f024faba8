"""What is written of wire bots holds: the example was said, the schema fits real games, the bots on the page play."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena.bots.bot import TimeLeft
from arena.bots.isolation import wire_messages as messages
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.spec import find_bot
from arena.game.rules import load_rules, preset_names
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from tests.bots.isolation import wire_example
from tests.bots.isolation.wire_fakes import Message, Recorder, fake_bot, table
from tests.tournament.referee.games import detail, forfeit

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "wire.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "wire.schema.json").read_text(encoding="utf-8"))
EXAMPLE = [json.loads(line) for line in wire_example.PATH.read_text(encoding="utf-8").splitlines()]


def strict(schema: Any) -> Any:
    """The schema with keys it does not name forbidden."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    if found.get("type") == "object":
        found["additionalProperties"] = False
    return found


def validator(part: str, schema: Any = SCHEMA) -> Any:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})


RUNNER = validator("fromRunner", strict(SCHEMA))
BOT = validator("fromBot", strict(SCHEMA))


def test_the_example_is_what_was_said_in_a_real_game() -> None:
    assert wire_example.PATH.read_text(encoding="utf-8") == wire_example.text(), (
        "write it again with: python -m tests.bots.isolation.wire_example"
    )


def test_the_example_fits_the_schema_and_shows_everything() -> None:
    messages = [line["message"] for line in EXAMPLE if "message" in line]
    for line in EXAMPLE:
        if "message" in line:
            (RUNNER if line["from"] == "runner" else BOT).validate(line["message"])
            jsonschema.Draft202012Validator(SCHEMA).validate(line["message"])
    assert {one["type"] for one in messages if "type" in one} == {"hello", "begin", "act", "end", "bye"}
    assert {type(one["move"]) for one in messages if "move" in one} == {str, int}
    phases = {one["phase"] for one in messages if one.get("type") == "act"}
    assert phases >= {"play", "draw", "take", "put", "return"}


FEW = ("bga-expert", "battle-line-expert")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules", [one if one in FEW else pytest.param(one, marks=pytest.mark.soak) for one in preset_names()]
)
def test_every_message_of_real_games_fits_the_schema_without_an_unknown_key(rules: str) -> None:
    picks = iter(range(10**6))

    def choose(message: Message) -> Any:
        moves = message["moves"]
        return moves[next(picks) * 7 % len(moves)]

    flags = {"auto_claim": False, "ask_forced": True, "events": True}
    recorders = [Recorder(choose, {**flags, "name": name}) for name in "ab"]
    bots = [fake_bot(recorder) for recorder in recorders]
    players = [Player("a", make=lambda: bots[0]), Player("b", make=lambda: bots[1])]
    referee = Referee(GameSettings(load_rules(rules), 5, TimeLeft(1000, 60000.5)), players)
    for row in referee.play_unit(PairTask(0, 1, "a", "b")):
        assert forfeit(row) == (None, None), detail(row)
    for bot in bots:
        bot.close()
    said = recorders[0].said
    assert len(said) > 100
    for who, message in said:
        (RUNNER if who == "runner" else BOT).validate(message)
        assert len(messages.line_of(message)) < messages.LONGEST_LINE


def assert_plays(spec: str) -> None:
    """Play a pair of games with a wire bot, which must not forfeit."""
    bot = RemoteBot(find_bot(spec), load_rules("base"), "process", BotLimits())
    for row in table(bot, "expert").play_unit(PairTask(0, 0, "a", "b")):
        assert forfeit(row) == (None, None), detail(row)
    bot.close()


def test_the_bot_of_the_page_plays(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    ((name, source),) = re.findall(r'```js title="(\S+)"\n(.*?)```', PAGE, re.DOTALL)
    (tmp_path / name).write_text(source)
    assert_plays(f"cmd:node '{tmp_path / name}'")
