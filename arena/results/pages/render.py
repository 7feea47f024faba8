"""A page as one file: templates of Jinja2, style and scripts inside, and a policy that allows no others."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.results.pages.words import COLOURS, PAGE, VIEWER
from arena.text import one_line, printable_lines

STYLES = ("page.css",)


def render(template: str, scripts: Sequence[str], data: Mapping[str, Any], **values: Any) -> str:
    """A whole page.

    `scripts` are names of files in `static/`; `data` is what they read, by the id of its element, as JSON.
    """
    style = "\n".join(map(_static, STYLES))
    inline = [_static(name) for name in scripts]
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {' '.join(map(_hash, inline))}; "
        "base-uri 'none'; form-action 'none'"
    )
    given = {"words": {"colours": COLOURS, **VIEWER}, **data}
    return (
        _environment()
        .get_template(template)
        .render(
            policy=policy,
            style=Markup(style),
            scripts=[Markup(script) for script in inline],
            data={key: embedded(value) for key, value in given.items()},
            words=PAGE,
            **values,
        )
    )


def embedded(value: Any) -> Markup:
    r"""JSON that may stand in an element `script`: nothing in it ends the element or means markup.

    >>> print(embedded({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("arena.results.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["line"] = one_line
    made.filters["lines"] = printable_lines
    return made


@cache
def _static(name: str) -> str:
    return files("arena.results.pages").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The source expression of a policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
