"""A report as a page of HTML in one file. Without times."""

from __future__ import annotations

import html
from collections.abc import Iterable

from arena.results.table import Report, Table

_STYLE = """\
body { font-family: system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25em 0.7em; text-align: right; }
.text { text-align: left; }"""


def write(report: Report) -> str:
    """Heading, all tables that are for people, remarks."""
    blocks: list[str] = []
    for table in report.tables:
        if table.columns:
            blocks += [f"<h2>{html.escape(table.title)}</h2>"] if table.title else []
            blocks.append(table_html(table.unmeasured()))
            blocks += _paragraphs([table.note] if table.note else [])
    return html_page(report.heading, [*blocks, *_paragraphs(report.remarks)])


def html_page(heading: str, blocks: Iterable[str]) -> str:
    """A whole page; `blocks` are HTML, the heading is not."""
    first = [f"<h1>{html.escape(heading)}</h1>"] if heading else []
    inner = "\n".join([*first, *blocks])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(heading or "Tables")}</title>
<style>
{_STYLE}
</style>
</head>
<body>
{inner}
</body>
</html>
"""


def table_html(table: Table) -> str:
    """A table as an element."""
    kinds = [' class="text"' if column.left else "" for column in table.columns]

    def line(tag: str, cells: Iterable[str]) -> str:
        shown = [f"<{tag}{kind}>{html.escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells)]
        return f"<tr>{''.join(shown)}</tr>"

    body = "\n".join(line("td", row) for row in table.rows)
    return f"<table>\n<thead>{line('th', table.heads)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [f"<p>{html.escape(text)}</p>" for text in texts]
