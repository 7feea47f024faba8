"""The table of a league says who forfeited, its history how often a new bot did; the web does not say why."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.cli.league.work import tell_result
from arena.league import fixtures, views
from arena.league.player import open_session
from arena.results.run_standings import standings
from arena.results.sources import league_run
from arena.results.standings_report import public_json
from tests.cli.conftest import Arena, content
from tests.league.leagues import LAST, enter, league, row, settled, skip_check, submission

FOLDER = Path("leagues", "open")


def test_the_table_says_who_forfeited(arena: Arena) -> None:
    with league(FOLDER) as found:
        a, b = enter(found, "a", "b")
        tasks = fixtures.deal_units(found, [fixtures.Fixture(a, b, 12)])
        rows = [
            row(task, game, 2 * (game == 0), 2 * lost, 2 * lost) for task in tasks for game, lost in ((0, 1), (1, 0))
        ]
        found.insert_games(rows)
        public = content(public_json(standings(league_run(found))))["forfeits"]
        assert [line["reason"] for line in public] == [""]
    line = "b v1 forfeited 12 of 24 games by exception: why; arena replay "
    for command in (
        ("standings", FOLDER),
        ("standings", "open"),
        ("rate", FOLDER),
        ("standings", FOLDER, "--all"),
    ):
        out = arena(*command).out
        assert line in out, command
        (said,) = content(arena(*command, "--json").out)["forfeits"]
        assert said == {"bot": "b v1", "kind": "exception", "games": 12, "reason": "why", "game": "a v1/b v1/0"}
        look = re.search(r"arena (replay .*)", out)
        assert look is not None
        assert "there is no" not in arena(*shlex.split(look[1]), code=None).err
    (shown,) = content(arena("standings", "open", "b", "--json").out)["forfeits"]
    assert shown.items() >= said.items()


@pytest.mark.process
def test_a_placement_says_what_was_forfeited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skip_check(monkeypatch)
    begin = "def act(view, moves):\n    if view.turns < 2 and view.rng.random() < 0.1:\n        raise ValueError\n"
    with league(tmp_path / "league") as found:
        enter(found, "last", source=LAST)
        with open_session(found, "submit", 1) as session:
            result = settled(session, submission("bad", begin + "    return moves[0]\n"))
        assert result.standings
        note = views.events(found)[-1]["note"]
        assert re.fullmatch(r"forfeited (\d+) \(\1 exception\) of its games", note)
        tell_result(found, result)
        look = f"arena standings {shlex.quote(str(found.folder))} bad"
        assert look in capsys.readouterr().err
