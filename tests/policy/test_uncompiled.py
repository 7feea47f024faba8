"""Without compiled files, the rules run; evaluators, nets and search say in a sentence that they do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main

ROOT = Path(__file__).parents[2]
SENTENCE = "evaluators, nets and search run only compiled; unset ARENA_PURE"
#: Runs command lines, and prints the exit code and what each wrote on both streams.
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from arena.cli.main import main
found = []
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        found.append(main(words))
    found.append(out.getvalue())
    found.append(err.getvalue())
print(json.dumps(found))
"""


def uncompiled(folder: Path, code: str, *words: str) -> str:
    """Return the output of Python code with `ARENA_PURE=1`; it must not write to standard error."""
    environment = os.environ | {"ARENA_PURE": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "module", ["arena.policy", "arena.policy.stones", "arena.policy.weights", "arena.adapters.spaces"]
)
def test_importing_says_that_it_runs_only_compiled(module: str, tmp_path: Path) -> None:
    """Also a second time."""
    code = f"""
from arena.errors import ArenaError
import arena.game.engine
for _ in range(2):
    try:
        import {module}
    except ArenaError as error:
        print(error)
"""
    assert uncompiled(tmp_path, code).splitlines() == [SENTENCE] * 2


def test_commands_that_need_a_net_say_so_and_others_work(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    assert main(["match", "greedy", "random", "--games", "2", "--seed", "1", "--workers", "1", "--out", run]) == 0
    refused = [
        *(["match", bot, "random", "--games", "2"] for bot in ("odds", "net", "champion", "tactician", "ismcts")),
        ["judge", run, "1"],
        ["replay", run, "1", "-o", "game.html"],
        ["standings", run, "--adjusted"],
        ["sprt", "greedy", "random", "--adjusted", "--seed", "1"],
        ["report", run],
    ]
    others = [["replay", run, "1"], ["standings", run], ["runs"], ["report", run, "--replays", "0"], ["doctor"]]
    outputs = json.loads(uncompiled(tmp_path, COMMANDS, json.dumps([*refused, *others])))
    answers = [outputs[at : at + 3] for at in range(0, len(outputs), 3)]
    for words, (code, out, err) in zip(refused, answers):
        assert (code, out, err.count("\n")) == (2, "", 1), (words, out, err)
        assert SENTENCE in err, words
    for words, (code, _, err) in zip(others, answers[len(refused) :]):
        assert code == 0, (words, err)
        assert SENTENCE not in err, words
    assert not [*(tmp_path / "results").glob("*")]
