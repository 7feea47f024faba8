"""Templates into pages: addresses relative to the page, so that the same pages stand on a server and in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.results.pages.render import embedded
from arena.results.pages.words import COLOURS, PAGE, VIEWER
from arena.text import one_line, printable_lines, utc_text

STATIC = {
    "page.css": ("arena.results.pages", "text/css"),
    "tables.js": ("arena.results.pages", "text/javascript"),
    "viewer.js": ("arena.results.pages", "text/javascript"),
    "web.css": ("arena.web", "text/css"),
    "live.js": ("arena.web", "text/javascript"),
    "play.js": ("arena.web", "text/javascript"),
}
"""Files that pages refer to: the package they lie in, and their type."""


def static_file(name: str) -> bytes:
    """The content of one of STATIC."""
    return files(STATIC[name][0]).joinpath("static", name).read_bytes()


def render(template: str, path: str, *, ending: str = "", data: Mapping[str, Any] | None = None, **values: Any) -> str:
    """The page at an address such as `bots/greedy` ("" is the first one).

    `ending` is added to addresses of pages: `.html` for those in a folder. `data` is what scripts read, by the id of
    its element.
    """
    root = "../" * path.count("/")

    def link(*parts: object) -> str:
        address = "/".join(quote(str(part), safe="") for part in parts)
        if not ending:
            return f"{root}{address}" or "."
        return f"{root}{address or 'index'}{ending}"

    given = {"page": {"filter": PAGE["filter"]}, **(data or {})}
    if "games" in given:
        given["words"] = {"colours": COLOURS, **VIEWER}
    return (
        _environment()
        .get_template(template)
        .render(
            link=link,
            static=lambda name: f"{root}static/{name}",
            here=path,
            served=not ending,
            data={key: embedded(value) for key, value in given.items()},
            words=PAGE,
            **values,
        )
    )


@cache
def _environment() -> Environment:
    made = Environment(
        loader=ChoiceLoader([PackageLoader("arena.web"), PackageLoader("arena.results.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"line": one_line, "lines": printable_lines, "date": utc_text, "elo": _elo}
    return made


def _elo(value: float | None, error: float | None = None) -> str | Markup:
    """A rating with its error."""
    if value is None:
        return "–"
    return f"{value:+z.0f}" + ("" if error is None else f" ± {error:.0f}")
