"""`arena sprt BOT`: is it better than what was committed? And which commit made it weaker?"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.paths import data_folder
from tests.cli.conftest import Arena
from tests.repository import Repository

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]
PLAY = ("--elo1", 300, "--workers", 1)
GREEDY = (data_folder("bots") / "greedy.py").read_text(encoding="utf-8")
WEAK = "def act(view, moves):\n    return moves[0]\n"


@pytest.fixture
def repository(arena: Arena) -> Repository:
    made = Repository()
    made.commit("first", bots__mybot=WEAK, **{".gitignore": "results\n"})
    return made


def test_a_change_is_tested_against_the_last_commit_then_the_commit_against_the_one_before(
    arena: Arena, repository: Repository
) -> None:
    alone = arena("sprt", "bots/mybot.py", code=2)
    assert "is as committed in" in alone.err
    assert "there is no version before it" in alone.err
    Path("bots/mybot.py").write_text(GREEDY)
    changed = arena("sprt", "bots/mybot.py", *PLAY)
    first = repository.git("rev-parse", "--short=7", "HEAD")
    assert f"mybot, changed since {first} 'first', against mybot@{first}: the first version tested" in changed.err
    assert "Verdict: H1" in changed.out
    again = arena("sprt", "bots/mybot.py", *PLAY)
    assert again.out == changed.out
    assert "were played before" in again.err
    second = repository.commit("second")[:7]
    repository.commit("docs", README="x = 1\n")
    for text in ("bots/mybot.py", "bots/mybot.py@HEAD", f"bots/mybot.py@{second}"):
        committed = arena("sprt", text, *PLAY)
        assert f"mybot@{second} 'second', against mybot@{first} 'first'" in committed.err
        assert committed.out == changed.out
    assert len([*Path("results").iterdir()]) == 1
    assert "no version before it" in arena("sprt", f"bots/mybot.py@{first}", code=2).err


def test_versions_tested_against_one_commit_are_counted(arena: Arena, repository: Repository) -> None:
    seeds = set()
    for number in range(3):
        Path("bots/mybot.py").write_text(f"{WEAK}\n# {number}\n")
        said = arena("sprt", "bots/mybot.py", *PLAY, "--max-pairs", 2, code=4)
        seeds.update(re.findall(r"seed (\d+)", said.out))
    assert len(seeds) == 3
    assert "3 versions tested against it so far; one of 3 equal ones passes with a chance of 14%" in said.err


def test_both_versions_take_the_parameters(arena: Arena, repository: Repository) -> None:
    bot = "class Mybot:\n    def __init__(self, number: int = 0):\n        self.number = number\n"
    repository.commit("one", bots__mybot=f"{bot}    def act(self, view, moves):\n        return moves[self.number]\n")
    Path("bots/mybot.py").write_text(f"{bot}    def act(self, view, moves):\n        return moves[-self.number]\n")
    said = arena("sprt", "bots/mybot.py:number=0", *PLAY, "--max-pairs", 1, code=4).out
    assert said.count(":number=0") >= 2


def test_bots_without_versions_are_refused(arena: Arena, repository: Repository) -> None:
    Path("bots/new.py").write_text(WEAK)
    assert "is in no commit yet" in arena("sprt", "bots/new.py", code=2).err
    assert "greedy has no versions; name two bots" in arena("sprt", "greedy", code=2).err
    assert "nothing changed" in arena("sprt", "bots/mybot.py", "bots/mybot.py@HEAD", code=2).err


@pytest.mark.slow
def test_git_bisect_finds_the_commit_that_made_it_weaker(arena: Arena, repository: Repository, tmp_path: Path) -> None:
    """As the page says, with the command that stands there."""
    page = (ROOT / "docs" / "howto" / "bisect.md").read_text(encoding="utf-8")
    script = re.findall(r"```bash\n(.*?)git bisect reset", page, re.DOTALL)[0]
    repository.commit("strong", bots__mybot=GREEDY)
    repository.git("tag", "v1")
    changes = [(GREEDY if number < 10 else WEAK) + f"# {number}\n" for number in range(16)]
    commits = [repository.commit(f"change {number}", bots__mybot=text) for number, text in enumerate(changes)]
    program = tmp_path.parent / f"{tmp_path.name}-bin" / "arena"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m arena.cli.main "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    said = subprocess.run(["sh", "-ec", script], env=env, capture_output=True, text=True, check=True, timeout=300)
    assert f"{commits[10]} is the first bad commit" in said.stdout
