"""`arena replay --watch`: a game as a timeline, on the screen and in a pipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.bots.spec import find_bot
from arena.lab.single_game import play_game
from arena.terminal.session import Seating, Session
from arena.terminal.timeline import Timeline
from tests.cli.conftest import Arena, arena, played  # noqa: F401
from tests.terminal.terminals import LEFT, RIGHT, Terminal


def timeline(rules: str = "tactical") -> Timeline:
    return Timeline.of(play_game("greedy", "random", rules=rules, seed=2))


def test_a_timeline_of_a_game_that_is_played_is_that_of_the_stored_one() -> None:
    bots = (find_bot("greedy"), find_bot("random"))
    rules = play_game("greedy", "random", rules="tactical", seed=2).state.rules
    live = Timeline(rules)
    session = Session(Seating(rules, 2, bots, ("greedy", "random"), level="none"), live)
    session.play()
    assert session.result is not None
    stored = Timeline.of(session.result)
    assert live.moments == stored.moments == timeline().moments
    claims = [at for at, moment in enumerate(live.moments) if moment.claims]
    assert (live.claim(0, 1), live.claim(claims[1], -1), live.claim(0, -1)) == (claims[0], claims[0], 0)
    assert live.claim(claims[-1], 1) == len(live.moments) - 1


def test_without_a_terminal_the_whole_game_is_printed(arena: Arena, played: Path) -> None:  # noqa: F811
    assert arena("replay", played, 3, "--watch").out == arena("replay", played, 3).out
    live = arena("play", "first", "random", "--seed", 2, "--isolation", "none").out
    assert live.endswith("\n")
    assert "Move 5 of" in live
    assert "first - random, rules base, seed 2." in live
    assert "first - first2, rules base" in arena("play", "first", "first", "--seed", 2, "--isolation", "none").out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("play", "greedy", "first", "--out", "x"), "drop BOT2"),
        (("play", "greedy", "--pace", "2"), "two bots"),
        (("replay", "RUN", "999", "--watch"), "no game"),
        (("replay", "RUN", "1", "--watch", "--judge"), "choose one"),
        (("replay", "RUN", "1", "--pace", "2"), "--pace belongs to --watch"),
    ],
)
def test_wrong_use_is_told(arena: Arena, played: Path, args: tuple[str, ...], said: str) -> None:  # noqa: F811
    assert said in arena(*(played if word == "RUN" else word for word in args), code=2).err


@pytest.mark.slow
@pytest.mark.process
def test_on_the_screen_back_and_forth(played: Path) -> None:  # noqa: F811
    with Terminal("replay", played, "1", "--watch", "--pace", "0.4", cwd=played) as screen:
        screen.wait_until(lambda text: bool(re.search(r"Move [3-9]\d* of", text)), "the third move or a later shown")
        screen.type(" ")
        screen.wait("(paused)")
        screen.type("\x1b[H" + RIGHT * 12)
        screen.wait("Move 12 of")
        screen.type(LEFT)
        screen.wait("Move 11 of")
        screen.type("h")
        screen.wait("hand 6 clan")
        screen.type("c")
        screen.wait("claim")
        screen.resize(120, 40)
        screen.wait("f turn  q quit")
        screen.type("\x1b[F")
        screen.wait("beat")
        screen.type("\x1b[H")
        screen.wait("Move 0 of", "Cards dealt. ")
        screen.type("q")
        assert screen.end() == 0


@pytest.mark.slow
@pytest.mark.process
def test_a_bot_that_cannot_be_loaded_ends_the_screen(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError('no')\n")
    with Terminal("play", "bad.py", "random", cwd=tmp_path) as screen:
        screen.wait("raises an exception when it is loaded", "ValueError: no")
        assert screen.end() == 2


def test_cards_alone_are_coloured_and_none_is_faint() -> None:
    """Blanks between cards had the colour of the card before, cards in the hand were dim."""
    from rich.console import Console
    from rich.style import Style

    from arena.terminal.drawing import draw_board

    shown = timeline()
    console = Console(width=80, force_terminal=True, color_system="truecolor", _environ={})
    seen = 0
    for line in draw_board(shown.scene(40, 0, (True, True)), 80).split("\n"):
        for part in line.render(console):
            style = part.style or Style()
            if part.text.strip() and style.bgcolor is not None:
                seen += 1
                assert part.text == f" {part.text.strip()} "
                assert not style.dim
            assert part.text.strip() or style.bgcolor is None
    assert seen > 20
