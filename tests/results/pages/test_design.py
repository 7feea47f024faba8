"""The style sheets keep to the design: contrast in light and dark, no value that nobody has defined; names of cards."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from arena.game.cards import EDITION_NAMES, TACTIC_TEXTS

PAGE = files("arena.results.pages").joinpath("static", "page.css").read_text(encoding="utf-8")
BOARD = files("arena.results.pages").joinpath("static", "board.css").read_text(encoding="utf-8")
WEB, TABLE = (
    files("arena.web").joinpath("static", name).read_text(encoding="utf-8") for name in ("web.css", "table.css")
)
SCRIPT = files("arena.results.pages").joinpath("static", "board.js").read_text(encoding="utf-8")
LIGHT, DARK = (
    {"white": "#fff"} | dict(re.findall(r"--([\w-]+): (#\w+);", one + two))
    for one, two in zip(PAGE.split("\n* {")[0].split("@media"), BOARD.split("\n.felt")[0].split("@media"))
)
PAIRS = [(text, back) for text in ("fore", "soft", "accent") for back in ("back", "panel")]
PAIRS += [("on-accent", "accent"), ("good", "good-back"), ("bad", "bad-back"), ("fore", "rule")]
PAIRS += [(f"l{line}", "back") for line in range(6)]
PAIRS += [("on-felt", "felt-1"), ("on-felt", "felt-2"), ("white", "south"), ("white", "north")]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    """How much two colours differ, by WCAG 2."""
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, LIGHT | DARK], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(colours: dict[str, str]) -> None:
    assert [pair for pair in PAIRS if contrast(*(colours[name] for name in pair)) < 4.5] == []


@pytest.mark.parametrize("colours", [LIGHT, LIGHT | DARK], ids=["light", "dark"])
def test_figures_stand_out_in_a_crosstable(colours: dict[str, str]) -> None:
    """The colour of a cell is laid over the page, which axe does not see."""
    tints = dict(re.findall(r"--(blue|orange): ([\d, ]+);", PAGE))
    back = [int(colours["back"][place : place + 2], 16) for place in (1, 3, 5)]
    text = re.search(r"\.cross small {[^}]*}", PAGE)
    assert text
    assert "color:" not in text[0]
    for tint, share in re.findall(r"background: rgba\(var\(--(\w+)\), ([\d.]+)\)", PAGE):
        mixed = [float(share) * int(one) + (1 - float(share)) * two for one, two in zip(tints[tint].split(","), back)]
        cell = "#" + "".join(f"{round(one):02x}" for one in mixed)
        assert contrast(colours["fore"], cell) >= 4.5, (tint, share)


def test_styles_use_only_values_that_are_defined() -> None:
    styles = PAGE + BOARD + WEB + TABLE
    defined = set(re.findall(r"(--[\w-]+): ", styles)) | set(re.findall(r'setProperty\("(--[\w-]+)"', SCRIPT))
    assert set(re.findall(r"var\((--[\w-]+)\)", styles)) <= defined


def test_cards_of_all_editions_are_named_as_in_the_game() -> None:
    drawn = dict(re.findall(r'^    "?([\w-]+)"?: "(.*, .*)",$', SCRIPT, re.MULTILINE))
    for edition, names in EDITION_NAMES.items():
        wanted = ", ".join(names[text] for text in TACTIC_TEXTS)
        assert drawn.get(edition, drawn["iello"]).replace("|", "") == wanted
    assert re.findall(r'^    "?([\w*]+)"?: \{$', SCRIPT, re.MULTILINE) == [*TACTIC_TEXTS]
