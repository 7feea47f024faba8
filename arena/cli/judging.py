"""`arena judge`: where a stored game turned, and which moves were mistakes."""

from __future__ import annotations

from pathlib import Path

from arena.cli.printing import print_report, refuse_options, write_page
from arena.results.judge import analyse, game_report
from arena.results.pages.game_data import replay_page
from arena.results.sources import named_game


def judge_command(source: str, game: str | None, nodes: int, out: Path | None, opened: bool, form: str) -> None:
    """Run `arena judge`."""
    page = out is not None or opened
    if page:
        refuse_options("does not go with a page, which shows every decision", "form")
    judged = analyse(found := named_game(source, game), nodes)
    if page:
        key = game or "1"
        write_page(replay_page(found, key, judged), out or Path(f"game-{key.replace('/', '-')}.html"), opened)
    else:
        print_report(game_report(found, judged, form != "table"), form)
