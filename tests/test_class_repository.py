"""The repository for a class: the steps of its workflows run one by one, as GitHub runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli.main import main
from tests.bots.isolation.inside import need_sandbox

yaml = pytest.importorskip("yaml")
SOURCE = Path(__file__).parents[1] / "examples" / "class_repository"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in (SOURCE / "workflows").glob("*.yml")}
SEED = "123456789012345678"
OURS = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE.parents[1])}
Step = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with the workspace on main, and a small field."""
    folder = tmp_path / "cup"
    assert main(["new", "--workspace", str(folder), "--repository"]) == 0
    cup = folder / "cup.toml"
    cup.write_text(cup.read_text().replace("games = 20", "games = 4"))
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, "the cup")
    return folder


@pytest.fixture
def step(repository: Path, tmp_path: Path) -> Step:
    """Run a step of a workflow, with the variables that the steps before it have set."""
    exported = tmp_path / "env.txt"

    def run(workflow: str, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        found = [one for job in WORKFLOWS[workflow]["jobs"].values() for one in job["steps"] if one.get("name") == name]
        before = dict(line.split("=", 1) for line in exported.read_text().splitlines()) if exported.exists() else {}
        files = {"GITHUB_ENV": str(exported), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        environment = {**os.environ, **OURS, **files, **before, **more}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found[0]["run"]]
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, timeout=300)

    return run


def git(folder: Path, *words: str) -> None:
    names = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, subject: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)


def bring(folder: Path, files: dict[str, str]) -> None:
    """Merge a branch with these files, as GitHub does to try a pull request."""
    git(folder, "switch", "--quiet", "--create", "ann")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commit(folder, "ann: a bot")
    git(folder, "switch", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-ff", "ann", "--message", "merge")


BOT = "def act(view, moves):\n    return moves[0]\n"


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_pull_request_gets_a_table(repository: Path, step: Step, tmp_path: Path) -> None:
    need_sandbox()
    bring(repository, {"bots/ann/ann.py": BOT})
    for name in ("Find the bot", "Check it", "Play it against the field", "Show the result"):
        done = step("bot", name)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    summary = (tmp_path / "summary.md").read_text()
    assert re.search(r"^ +\d +ann ", summary, re.MULTILINE)
    assert "Forfeits: none" in summary


@pytest.mark.process
def test_a_file_may_have_a_name_of_any_letters(repository: Path, step: Step) -> None:
    bring(repository, {"bots/ann/ann.py": BOT, "bots/ann/wört.txt": ""})
    assert step("bot", "Find the bot").returncode == 0


@pytest.mark.process
@pytest.mark.parametrize(
    "files",
    [
        {"cup.toml": "games = 2\n"},
        {"bots/ann/ann.py": BOT, "bots/ben/ben.py": BOT},
        {"bots/ann/ann.py": BOT, ".github/workflows/cup.yml": "on: push\n"},
        {"bots/ann/bot.py": BOT},
        {"bots/$(touch hacked)/ann.py": BOT},
    ],
)
def test_a_pull_request_brings_one_bot(repository: Path, step: Step, tmp_path: Path, files: dict[str, str]) -> None:
    bring(repository, files)
    assert step("bot", "Find the bot").returncode == 1
    assert "changes nothing outside" in (tmp_path / "summary.md").read_text()
    assert not list(repository.rglob("hacked"))


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_cup_is_brought_up_to_date(repository: Path, step: Step) -> None:
    need_sandbox()
    steps = ("Take up the stored games", "Play what is missing", "Store the games", "Make the page")

    def publish(**more: str) -> str:
        done = [step("cup", name, ARENA_SEED=SEED, **more) for name in steps]
        assert [one.returncode for one in done] == [0, 0, 0, 0], done
        return done[1].stdout + done[1].stderr

    publish()
    page = (repository / "site" / "index.html").read_text()
    assert "mybot" in page
    assert SEED not in page
    assert (repository / "cup.enc").read_bytes().startswith(b"Salted__")
    bring(repository, {"bots/ann/ann.py": BOT})
    subprocess.run(["rm", "-r", "results", "site"], cwd=repository, check=True)  # the next machine has cup.enc only
    assert "ann is new: 12 games. 12 games stay." in publish()
    publish(FINAL="true")
    assert SEED in (repository / "site" / "index.html").read_text()
    assert main(["verify", str(repository / "site" / "games.txt.gz")]) == 0


@pytest.mark.process
def test_a_seed_that_can_be_guessed_is_refused(step: Step) -> None:
    assert "must have 15 to 18 digits" in step("cup", "Take up the stored games", ARENA_SEED="7").stdout
