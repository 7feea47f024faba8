"""What everybody may see: pages and figures, made from the league alone, the same for all, as files or on a server.

Reasons and tracebacks of bots are not on them: they are for their authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.bots.skeleton import SKELETON, class_name
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.league import events, games, versions, views
from arena.league.oversight.pause import paused
from arena.league.rating import Standings, standings
from arena.league.settings import LeagueError, LeagueSettings
from arena.league.store import League
from arena.results.formats.json import finite, json_text
from arena.results.league import forfeits_table, history_table, opponents_table, standing_table, versions_table
from arena.results.pages.game_data import game_data
from arena.results.pages.plots import Dot, Dots, Lines, svg
from arena.results.pages.words import PAGE
from arena.results.reading.game import StoredGame
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameId
from arena.web.render import render

SKELETON_NAME = "mybot"
GAMES, MOST_PLOTTED, MOST_HISTORY = 30, 60, 500
"""Games that a bot's page lists; bots whose rating is plotted; events of the history."""


class NoPage(ArenaError):
    """There is no page at an address."""


@dataclass
class Site:
    """A league as its pages show it: `table` is its standings, computed once for all pages.

    `level`: where bots run, if not where the league's settings say.
    """

    league: League
    table: Standings
    ending: str = ""
    level: str | None = None

    @property
    def settings(self) -> LeagueSettings:
        """The league's settings as they are served."""
        stored = self.league.settings
        return replace(stored, isolation=self.level) if self.level else stored

    def render(self, template: str, path: str, **values: Any) -> str:
        """A page of the league."""
        return render(template, path, ending=self.ending, league=self.league.name, **values)


def open_site(league: League, ending: str = "", level: str | None = None) -> Site:
    """The site of a league as it is now."""
    return Site(league, standings(league), ending, level)


def may_be(path: str) -> bool:
    """Can there be a public page at an address? Told without a look at the league."""
    return path in PAGES or path in FIGURES or path.startswith(("bots/", "games/"))


def page(site: Site, path: str) -> str:
    """The public page at an address, or figures as JSON. NoPage if there is none."""
    first, _, rest = path.partition("/")
    if path in FIGURES:
        return json_text(finite(FIGURES[path](site)))
    if not rest and first in PAGES:
        return PAGES[first](site)
    if first == "bots" and rest:
        return bot_page(site, rest)
    if first == "games" and rest:
        return game_page(site, rest)
    raise NoPage("there is no such page")


def paths(site: Site) -> Iterator[str]:
    """The addresses of all public pages but those of games, of which `bot_games` tells."""
    yield from PAGES
    for (name,) in site.league.query("SELECT name FROM bots ORDER BY name"):
        if _shown(versions.of_bot(site.league, name)):
            yield f"bots/{name}"


# ---------------------------------------------------------------- the league


def _standing(site: Site) -> str:
    league, table = site.league, site.table
    before, since = views.table_before(league, table)
    lines = views.standing_lines(league, table.rows, before)
    rows = []
    for line in lines[:MOST_PLOTTED]:
        if line["elo"] is None:
            continue
        low, high = (
            (None, None)
            if line["elo_error95"] is None
            else (line["elo"] - line["elo_error95"], line["elo"] + line["elo_error95"])
        )
        error = "" if line["elo_error95"] is None else f" ± {line['elo_error95']:.0f}"
        tip = f"{line['bot']} v{line['version']}: {line['elo']:+.0f}{error} Elo, {line['games']} games"
        rows.append(Dot(line["bot"], line["elo"], low, high, tip))
    return site.render(
        "standing.html",
        "",
        table=standing_table(lines) if lines else None,
        plot=svg(Dots(rows, PAGE["elo_axis"])) if rows else None,
        remarks=views.standing_remarks(league, table, None if since is None else since.id),
        about=views.describe(site.settings),
        games=table.total,
        pause=paused(league),
        live=True,
    )


def _history(site: Site) -> str:
    lines = [
        line | {"note": "" if line["kind"] in (events.REFUSED, events.NOTICED) else line["note"]}
        for line in views.history_lines(site.league)[-MOST_HISTORY:][::-1]
        if line["kind"] != events.NOTICED
    ]
    return site.render("history.html", "history", table=history_table(lines), live=True)


def _rules(site: Site) -> str:
    settings = site.settings
    rules = load_rules(settings.rules)
    return site.render(
        "rules.html",
        "rules",
        settings=settings,
        rules=rules,
        about=views.describe(settings),
        live=False,
        options=[(name, str(value)) for name, value in rules.options.items()],
    )


def _write(site: Site) -> str:
    return site.render("write.html", "write", skeleton=skeleton(), name=SKELETON_NAME, live=False)


def skeleton() -> str:
    """The skeleton of a bot, to be downloaded."""
    return SKELETON.format(name=SKELETON_NAME, class_name=class_name(SKELETON_NAME))


def _live(site: Site) -> str:
    return site.render("live.html", "live", live=True, **now_playing(site.league))


def now_playing(league: League) -> dict[str, Any]:
    """Pairings in hand, submissions on their way, and the last games."""
    labels = {one.id: one for one in versions.in_state(league, retired=True)}
    in_hand = [(labels[a], labels[b], deals) for a, b, deals in games.reserved_deals(league) if {a, b} <= labels.keys()]
    held = {number for (number,) in league.query("SELECT version FROM versions WHERE holder IS NOT NULL")}
    waiting = [(one, one.id in held) for one in versions.in_state(league, *versions.OPEN)]
    last = views.last_games(league, list(labels), 20) if labels else []
    return {"in_hand": in_hand, "waiting": waiting, "last": [_listed(game) for game in last]}


PAGES: dict[str, Callable[[Site], str]] = {
    "": _standing,
    "live": _live,
    "history": _history,
    "rules": _rules,
    "write": _write,
}
FIGURES: dict[str, Callable[[Site], dict[str, Any]]] = {
    "api/v1/standings": lambda site: views.standing_values(site.league, site.table),  # of `arena standings --json`
}
"""What programs are told as JSON."""


# ---------------------------------------------------------------- a bot


def bot_page(site: Site, name: str) -> str:
    """All about a bot that everybody may know."""
    known = _known(site.league, name)
    one = views.chosen_version(site.league, known[0].name, None)
    return site.render("bot.html", f"bots/{one.name}", live=True, **bot_values(site, one, private=False))


def _known(league: League, name: str) -> Sequence[versions.Version]:
    """The versions of a bot that everybody may know of. NoPage if there are none."""
    try:
        found = versions.of_bot(league, name)
    except LeagueError:
        found = []
    if not _shown(found):
        raise NoPage("there is no such bot in this league")
    return found


def _shown(found: Sequence[versions.Version]) -> bool:
    """Is a bot for all to see? One that was only ever refused is not."""
    return any(one.state != versions.REFUSED for one in found)


def bot_values(site: Site, one: versions.Version, private: bool) -> dict[str, Any]:
    """What the page of a bot shows; `private`: for its author, with what the bot has printed and raised."""
    league = site.league
    lines = views.version_lines(league, one.name, site.table)
    over_time = views.rating_over_time(league, one.name)
    place = site.table.row_of(one.id)
    rated = [line for line in over_time if line["elo"] is not None]
    faults = views.forfeit_lines(league, one)
    plot = None
    if len(rated) > 1:
        totals, elos = [line["total"] for line in rated], [line["elo"] for line in rated]
        plot = svg(Lines([one.name], totals, [elos], "games in the league", PAGE["elo_axis"]))
    hidden = [] if private else ["reason"]
    shown = [
        {key: "" if key in hidden and line["state"] == "refused" else value for key, value in line.items()}
        for line in lines
    ]
    return {
        "bot": one,
        "place": place,
        "versions": replace(versions_table(shown), title=""),
        "plot": plot,
        "retired": one.retired,
        "opponents": opponents_table(views.opponent_lines(league, one, site.table), ""),
        "forfeits": forfeits_table([fault | {"last": fault["last"] if private else ""} for fault in faults]),
        "reasons": [(fault["kind"], fault["last"]) for fault in faults] if private else [],
        "games": [_listed(game) for game in views.last_games(league, [one.id], GAMES)],
    }


def bot_games(site: Site, name: str) -> list[str]:
    """The games that a bot's page lists, as parts of their addresses."""
    one = views.chosen_version(site.league, name, None)
    return [key_of(game) for game in views.last_games(site.league, [one.id], GAMES)]


def _listed(game: GameResult) -> dict[str, Any]:
    score = {1.0: "1-0", 0.5: "½-½", 0.0: "0-1"}[game.score]
    return {
        "key": key_of(game),
        "first": game.first,
        "second": game.second,
        "score": score,
        "stones": f"{game.stones[0]}-{game.stones[1]}",
        "turns": game.turns,
        "ending": f"forfeit ({game.forfeit})" if game.forfeit else game.ending,
    }


def key_of(game: GameResult) -> str:
    """A game as a part of an address."""
    return str(game.id).replace("/", "-")


def game_page(site: Site, key: str) -> str:
    """A game in the viewer."""
    try:
        game = views.stored_game(site.league, GameId.parse(key.replace("-", "/")))
    except (LeagueError, ValueError):
        raise NoPage("there is no such game in this league") from None
    return game_shown(site, game, key, f"games/{key}")


def game_shown(site: Site, game: GameResult, key: str, path: str) -> str:
    """The page of a game, without what a bot has said to its author."""
    found = game_data(StoredGame.of(replace(game, detail=None)), key.replace("-", "/"))
    title = f"{game.first} – {game.second}"
    return site.render(
        "game.html", path, title=title, about=found["result"], record=game.record, live=False, data={"games": [found]}
    )
