"""Texts that strangers have written, made fit for a terminal and a line."""

from __future__ import annotations


def clean(text: str) -> str:
    """A text from strangers with nothing in it that a terminal would obey; lines are kept.

    >>> clean("a\\x1b[2J\\nb\\tc")
    'a?[2J\\nb   c'
    """
    lines = text.expandtabs(4).split("\n")
    return "\n".join("".join(c if c.isprintable() else "?" for c in line) for line in lines)


def below(text: str) -> str:
    """The same behind a line's beginning that is ours: further lines are set in, so that none looks like ours.

    >>> below("fails\\n  at 3\\nrival is refused")
    'fails\\n    at 3\\n  rival is refused'
    """
    return "\n  ".join(clean(text).split("\n"))


def short(text: str, most: int) -> str:
    """The first line of a text, cut to so many characters.

    >>> short("ValueError: too long", 10), short("a\\nb", 10)
    ('ValueErro…', 'a')
    """
    text = clean(text).split("\n")[0]
    return text if len(text) <= most else text[: most - 1] + "…"
