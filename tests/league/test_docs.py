"""docs/league.md: its commands work in their order, and what it shows of them is what comes out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.cli.league import LEAGUE_COMMANDS
from arena.cli.main import main
from arena.league import placement
from arena.league.match_runner import MatchRunner
from arena.league.versions import Version
from tests.league.leagues import LAST, written

DOC = Path(__file__).parents[2] / "docs" / "league.md"
TEXT = DOC.read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def steps() -> list[tuple[list[str], list[str]]]:
    """The commands of the page, each with the lines that it shows."""
    found: list[tuple[list[str], list[str]]] = []
    for block in blocks("console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((shlex.split(line[2:]), []))
            else:
                found[-1][1].append(line)
    return found


def shape(line: str) -> str:
    """A line without its numbers and the widths of its columns.

    The page plays in the sandbox, the test without, which takes a tenth of the time. And every league plays deals of
    its own: some placements stop only at the limit, and say so.
    """
    plain = re.sub(r" \(wider than .*\)$", "", line.replace("bots in the sandbox", "bots not isolated"))
    plain = re.sub(r"[+-]?\d+(?:,\d{3})*[\d.]*", "#", plain)
    return " ".join(re.sub(r"-{3,}", "", plain).split())


def fixed(lines: list[str]) -> list[str]:
    """The lines that do not depend on who won: all but the rows of tables."""
    kept = []
    in_table = False
    for line in lines:
        if re.fullmatch(r"[- ]*---[- ]*", line):
            in_table = True
        elif not line.strip():
            in_table = False
        elif not in_table:
            kept.append(shape(line))
    return kept


@pytest.mark.slow
@pytest.mark.usefixtures("real_check")
def test_the_walk_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the bot that does not work is checked, for what the check says of others is not on the page."""
    check = placement.check_version

    def check_typo(runner: MatchRunner, one: Version) -> placement.Admission | None:
        return check(runner, one) if one.name == "typo" else placement.Admission(True)

    monkeypatch.setattr(placement, "check_version", check_typo)
    monkeypatch.chdir(tmp_path)
    (toml,) = blocks("toml")
    Path("open.toml").write_text(toml.replace('"sandbox"', '"none"'))
    written(Path("bots"), mine="def act(view, moves):\n    return moves[len(moves) // 2]\n")
    written(Path("bots"), typo="def act(view, moves):\n    return moves[0\n")
    told = steps()
    assert len(told) >= 6
    for command, lines in told:
        assert command[0] == "arena"
        if command[1:4] == ["league", "play", "open"]:  # the page says that the file was changed before this
            written(Path("bots"), mine=LAST)
            assert main(["submit", "bots/mine.py", "--league", "open", "--author", "Ann"]) == 0
        capsys.readouterr()
        code = main(command[1:])
        captured = capsys.readouterr()
        assert code == (1 if any("is refused" in line for line in lines) else 0), captured.err
        came = {shape(line) for line in (captured.out + captured.err).splitlines()}
        for line in fixed(lines):
            assert line in came, f"{shlex.join(command)}: {line}\n{captured.out}{captured.err}"


def test_all_commands_are_named() -> None:
    assert set(re.findall(r"`arena league ([a-z]+)", TEXT)) == set(LEAGUE_COMMANDS)
