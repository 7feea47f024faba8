"""Tables as a page of HTML in one file."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_STYLE = """\
body { font-family: system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25em 0.7em; text-align: right; }
.text { text-align: left; }"""


def html_page(title: str, heading: str, blocks: Iterable[str]) -> str:
    """A whole page; `blocks` are HTML, the other texts are not."""
    first = [f"<h1>{html.escape(heading)}</h1>"] if heading else []
    inner = "\n".join([*first, *blocks])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
{inner}
</body>
</html>
"""


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], aligned: Sequence[str]) -> str:
    """A table of texts; `aligned` says `left` or `right` for each column.

    >>> print(html_table(["bot"], [["<b>"]], ["right"]))
    <table>
    <thead><tr><th>bot</th></tr></thead>
    <tbody>
    <tr><td>&lt;b&gt;</td></tr>
    </tbody>
    </table>
    """
    kinds = [' class="text"' if align == "left" else "" for align in aligned]

    def line(tag: str, cells: Sequence[str]) -> str:
        shown = [f"<{tag}{kind}>{html.escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells)]
        return f"<tr>{''.join(shown)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<thead>{line('th', heads)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def paragraphs(texts: Iterable[str]) -> list[str]:
    """Texts as paragraphs."""
    return [f"<p>{html.escape(text)}</p>" for text in texts]
