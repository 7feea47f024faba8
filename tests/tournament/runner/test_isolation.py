"""Runs of isolated bots: the results of bots inside, whatever the level, the workers, the format and interruptions."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.bots.processes import children, is_running
from arena.errors import ArenaError
from tests.bots.isolation.inside import need_sandbox
from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import bot, forfeits, games, play, settings

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix"),
]

FIELD = (bot("random", "ann"), bot("greedy", "bob"), bot("first", "cid"), bot("watches", "dot"))


@pytest.mark.parametrize(
    ("levels", "form"),
    [
        (("process",) * 4, {"games": 4}),
        (("process", "none", "sandbox", "process"), {"games": 4}),
        (("process",) * 4, {"format": "series", "series": {"rounds": 4}}),
    ],
)
def test_any_level_gives_the_same_games(tmp_path: Path, levels: tuple[str, ...], form: dict[str, Any]) -> None:
    if "sandbox" in levels:
        need_sandbox()
    data = {"name": "test", "bots": [*FIELD], "seed": 11, **form}
    play(tmp_path / "inside", data, 2)
    apart = [{**one, "isolation": level} for one, level in zip(FIELD, levels)]
    report = play(tmp_path / "apart", {**data, "bots": apart}, 2)
    assert report.done == report.total == 24
    assert games(tmp_path / "apart") == games(tmp_path / "inside")
    assert forfeits(tmp_path / "apart") == {}


PRINTS_ITS_PID = """
import os
def act(view, moves):
    print("process", os.getpid())
    return moves[0]
"""


def test_no_process_plays_both_games_of_a_pair(tmp_path: Path) -> None:
    """In the second game it would know the opponent's cards."""
    (tmp_path / "one.py").write_text(PRINTS_ITS_PID)
    one = {"name": "one", "spec": str(tmp_path / "one.py")}
    data = settings(one, bot("random", "ann"), bot("first", "bob"), games=20, isolation="process")
    play(tmp_path / "run", data, 1)
    log = (tmp_path / "run" / "run.log").read_text()
    found = {game: int(pid) for game, pid in re.findall(r"one \(game (\w+/\w+/[0-9]+)\): process ([0-9]+)\n", log)}
    pairs = [(found[f"one/{foe}/{deal}"], found[f"{foe}/one/{deal}"]) for foe in ("ann", "bob") for deal in range(10)]
    assert len(found) == 2 * len(pairs) == 40
    assert all(first != second for first, second in pairs)
    assert len(set(found.values())) == 2


def test_a_command_that_does_not_say_hello_stops_the_run(tmp_path: Path) -> None:
    """As a file does that cannot be run: it is a mistake in what was asked for, and no games are lost by it."""
    (tmp_path / "gone.py").write_text("raise SystemExit('no tables here')\n")
    wire = {"spec": f"cmd:'{sys.executable}' {tmp_path}/gone.py", "name": "wire"}
    what = r"in hello: it ended itself with exit code 1(.|\n)*no tables here"
    with pytest.raises(ArenaError, match=rf"the bot cmd:.* cannot be loaded: {what}"):
        play(tmp_path / "run", settings(wire, FIELD[0], games=2), 1)
    assert not (tmp_path / "run").exists()  # bots are loaded before a run is made


@pytest.mark.parametrize("foe", ["exit_hard", "loop_c"])
def test_who_survives_a_game_hears_of_its_end_and_at_last_bye(foe: str, tmp_path: Path) -> None:
    code = f"""
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    with open({str(tmp_path)!r} + "/heard", "a") as out:
        print(os.getpid(), message["type"], file=out)
    if "id" in message:
        print(json.dumps({{"id": message["id"], "protocol": 3, "move": 0}}), flush=True)
"""
    (tmp_path / "wire.py").write_text(code)
    wire = {"spec": f"cmd:'{sys.executable}' {tmp_path}/wire.py", "name": "wire"}
    play(tmp_path, settings(wire, bot(foe), games=2, isolation="process"), 1, limits=Limits(decision_s=0.5))
    heard: dict[str, list[str]] = {}
    for line in (tmp_path / "heard").read_text().splitlines():
        pid, kind = line.split()
        heard.setdefault(pid, []).append(kind)
    assert len(heard) >= 2
    for kinds in heard.values():
        assert (kinds[0], kinds[-1]) == ("hello", "bye")
        assert kinds.count("begin") == kinds.count("end")


@pytest.fixture(autouse=True)
def _no_process_stays() -> Iterator[None]:
    before = set(children(os.getpid()))
    yield
    assert wait_for(lambda: not any(is_running(pid) for pid in set(children(os.getpid())) - before))
