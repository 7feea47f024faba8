"""`arena submit`, as authors call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Arena
from tests.cli.league.conftest import ONE, values
from tests.league.leagues import LAST, written


def test_submit(open_: Arena) -> None:
    found = open_("submit", "bots/first.py", "--league", "open", *ONE)
    assert "first v1 is accepted" in found.err
    assert "open: rules base, bots not isolated, no clock; 1 bot, 0 games" in found.out
    found = open_("submit", "bots/last.py", "--league", "open", "--json", *ONE)
    result = values(found.out)
    assert (result["bot"], result["version"], result["outcome"], result["games"]) == ("last", 1, "active", 16)
    assert {line["bot"]: line["new"] for line in result["standings"]} == {"first": False, "last": True}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "reason"), [("raises", "ValueError: no idea")])
@pytest.mark.usefixtures("real_check")
def test_refused(open_: Arena, name: str, reason: str) -> None:
    found = open_("submit", f"bots/{name}.py", "--league", "open", *ONE, code=1)
    assert f"{name} v1 is refused" in found.err
    assert reason in found.err
    assert "Traceback" not in found.err.split("is refused")[0]
    assert "No bot is in the table yet" in found.out
    again = open_("submit", f"bots/{name}.py", "--league", "open", *ONE, code=1)
    assert f"{name} v1 was refused" in again.err
    assert "--again" in again.err
    assert "is refused" in open_("submit", f"bots/{name}.py", "--league", "open", "--again", *ONE, code=1).err
    shown = open_("league", "show", "open", name).out
    assert reason in shown


def test_a_bot_of_many_files(open_: Arena) -> None:
    source = "from helper import act as chosen\n\ndef act(view, moves):\n    return chosen(view, moves)\n"
    written(Path("bots/mine"), bot=source, helper=LAST)
    assert "helper" in open_("submit", "bots/mine/bot.py", "--league", "open", *ONE, code=1).err
    open_("submit", "bot.py", "--folder", "bots/mine", "--league", "open", "--name", "two", *ONE)
    files = values(open_("league", "show", "open", "two", "--json").out)["versions"][0]["files"]
    assert [file["path"] for file in files] == ["bot.py", "helper.py"]
    open_("league", "show", "open", "two", "--files", "back")
    assert Path("back/helper.py").read_text() == LAST
    Path("back/helper.py").write_text("other")
    err = open_("league", "show", "open", "two", "--files", "back", code=2).err
    assert "already exists with different content" in err


@pytest.mark.usefixtures("real_check")
def test_a_bot_whose_file_was_not_submitted(open_: Arena) -> None:
    source = f"from pathlib import Path\nPath(__file__).with_name('weights.txt').read_text()\n{LAST}"
    written(Path("bots"), heavy=source)
    Path("bots/weights.txt").write_text("1 2")
    err = open_("submit", "bots/heavy.py", "--league", "open", code=1).err
    assert "weights.txt is in the same folder" in err
    assert "arena submit heavy.py --folder bots ..." in err
