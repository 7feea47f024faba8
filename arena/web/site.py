"""The public pages of a league as files, for any web host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.errors import ArenaError
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.results.whole_file import write_whole
from arena.web import public
from arena.web.render import STATIC, static_file

ENDING = ".html"


def write_site(league: League, folder: Path) -> int:
    """Write the pages into a folder; how many. Pages of an earlier time are replaced. LeagueError if it cannot be."""
    if folder.exists() and not folder.is_dir():
        raise LeagueError(f"{folder} is a file; the pages need a folder")
    number = 0
    try:
        for path, text in site_files(league):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, [text])
            number += path.endswith(ENDING)
    except OSError as error:
        raise LeagueError(f"cannot write {folder}: {error.strerror or error}") from error
    return number


def site_files(league: League) -> Iterator[tuple[str, str]]:
    """The path and the text of each file."""
    with league.snapshot():
        site = public.open_site(league, ENDING)
        games: dict[str, None] = {}
        for path in public.paths(site):
            yield f"{path or 'index'}{ENDING}", public.page(site, path)
            if path.startswith("bots/"):
                games |= dict.fromkeys(public.bot_games(site, path.removeprefix("bots/")))
            elif path == "live":
                games |= dict.fromkeys(game["key"] for game in public.now_playing(league)["last"])
        for key in games:
            try:
                yield f"games/{key}{ENDING}", public.game_page(site, key)
            except ArenaError:  # a record that is damaged: `arena league verify` tells
                continue
    for name in STATIC:
        if name != "live.js":
            yield f"static/{name}", static_file(name).decode()
    yield "skeleton.py", public.skeleton()
