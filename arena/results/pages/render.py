"""Render a page as one file: templates of Jinja2, style and scripts inside, and a policy that allows no others."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from arena.results.pages.plots import short_labels, svg
from arena.results.positions import card_words
from arena.results.table import Report, Table
from arena.results.words import said_above
from arena.text import one_line, printable_lines

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, scripts: Sequence[str], data: Mapping[str, Any], **values: Any) -> str:
    """Return a whole page.

    `scripts` are names of files in `static/`; `data` is what they read, by the id of its element, as JSON.
    """
    style = _static("page.css") + _static("board.css")
    inline = [_static(name) for name in scripts]
    hashes = " ".join(map(_hash, inline)) or "'none'"
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {hashes}; base-uri 'none'; form-action 'none'"
    return (
        environment("arena.results.pages")
        .get_template(template)
        .render(
            policy=policy,
            style=Markup(style),
            scripts=[Markup(script) for script in inline],
            data=embedded_data(data),
            **values,
        )
    )


def tables_page(report: Report) -> str:
    """Return heading, all tables that are shown and remarks as a page in one file."""
    tables = [table.unmeasured() for table in report.tables if table.columns]
    title = report.heading or "Tables"
    answer = [*said_above(report), *report.answer]
    return render("tables.html", [], {}, title=title, answer=answer, tables=tables, remarks=report.remarks)


def table_html(table: Table) -> str:
    """Return a table as an element, as on the pages; names and notes are escaped."""
    macros: Any = environment("arena.results.pages").get_template("macros.html").module
    return str(macros.table(table))


def embedded_data(data: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the data of scripts, by the id of its element, each as JSON for an element `script`."""
    return {key: embedded(value) for key, value in data.items()}


def embedded(value: Any) -> Markup:
    r"""Return JSON that is safe in an element `script`: nothing in it ends the element or is markup.

    >>> print(embedded({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def environment(*packages: str) -> Environment:
    """Return the templates in `templates/` of some packages, the first one's before the others', with escaping."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # slow to load

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "line": one_line,
        "lines": printable_lines,
        "whole": _whole,
        "anchor": _anchor,
        "short": short_labels,
        "svg": svg,
    }
    made.globals["card_words"] = card_words
    return made


def _whole(text: str) -> Markup:
    """Return a sentence in which no line breaks within an option of a command or a result such as 5–0."""
    return Markup(re.sub(r"--[a-z-]+|\d+–\d+", r'<span class="whole">\g<0></span>', str(escape(text))))


def _anchor(title: str) -> str:
    """Return the end of a link to a part of the page.

    >>> _anchor("How games end")
    'how-games-end'
    """
    return re.sub(r"\W+", "-", title.lower())


@cache
def _static(name: str) -> str:
    return files("arena.results.pages").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression of a policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
