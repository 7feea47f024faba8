"""The pages that everybody may see, made from the league alone.

They do not show the reasons and tracebacks of bots, which are for their authors.
"""

from __future__ import annotations

import gzip
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment

from arena.errors import ArenaError, UnfitEngineError
from arena.game import lesson
from arena.game.record import RecordError, parse_record, replay
from arena.game.rules import load_rules
from arena.league import versions, views
from arena.league.book import SUBMISSION_REFUSED
from arena.league.league_settings import LeagueError, LeagueSettings
from arena.league.oversight import activity, paused
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from arena.paths import data_folder
from arena.results.league import forfeits_table, history_table, versions_table
from arena.results.pages.game_data import final_state, flat, game_data, game_title
from arena.results.pages.plots import Lines, svg, trend
from arena.results.pages.render import embedded_data, environment
from arena.results.pages.report import filled_columns
from arena.results.positions import headline
from arena.results.run_standings import RunStandings, standings
from arena.results.sources import league_run
from arena.results.standings_report import public_json
from arena.results.table import rating_text
from arena.results.words import remarks
from arena.text import utc_text
from arena.tournament.games import GameId, GameResult

GAMES_PER_OPPONENT, MAX_EVENTS, MAX_EVENTS_OF_TREND, MAX_DRAWN, CARDS, MAX_LOST, MAX_LIVE = 6, 500, 30, 50, 4, 4, 8
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript"}
STATIC = {
    file.name: file
    for package in ("arena.web", "arena.results.pages")
    for file in files(package).joinpath("static").iterdir()
}
"""Files that pages refer to."""


class NoPage(ArenaError):
    """An address at which there is no page."""


@dataclass
class Site:
    """A league with its standings `table`, which is computed once for all pages.

    `level` is the isolation of bots if it differs from the league's settings.
    """

    league: League
    table: Standings
    level: str | None = None

    @cached_property
    def standings(self) -> RunStandings:
        """The figures of the league's table."""
        return standings(league_run(self.league))

    @cached_property
    def single(self) -> set[str]:
        """The labels of versions whose bots have no other."""
        every = versions.in_state(self.league, retired=True)
        counts = Counter(version.name for version in every)
        return {version.label for version in every if counts[version.name] == 1}

    def label(self, label: str) -> str:
        """Return the label of a version, without its number if its bot has no other."""
        return label.rpartition(" v")[0] if label in self.single else label

    @property
    def settings(self) -> LeagueSettings:
        """The league's settings as they are served."""
        stored = self.league.settings
        return replace(stored, isolation=self.level) if self.level else stored

    def render(self, template: str, path: str, **values: Any) -> str:
        """Return a page of the league."""
        return web_page(template, path, league=self.league.name, label=self.label, **values)


def open_site(league: League, level: str | None = None) -> Site:
    """Return the site of a league as it is now."""
    return Site(league, league_standings(league), level)


@dataclass(frozen=True)
class Stored:
    """A page or a file, ready to be sent; `packed` is its body compressed with gzip."""

    body: bytes
    packed: bytes
    media_type: str
    etag: str


def stored(body: bytes, media_type: str) -> Stored:
    """Return what is sent again and again. Its tag is weak, because it names both of its forms."""
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Stored(body, gzip.compress(body, 6, mtime=0), media_type, tag)


@cache
def static_file(name: str) -> Stored:
    """Return one of STATIC."""
    return stored(STATIC[name].read_bytes(), _MEDIA_TYPES[Path(name).suffix])


def public_page(site: Site, path: str) -> Stored:
    """Return the public page at an address, or figures as JSON. Raise NoPage if there is none."""
    first, _, rest = path.partition("/")
    if path == FIGURES:  # `arena standings LEAGUE --json` in public
        return stored(public_json(site.standings).encode(), "application/json")
    if path in PAGES:
        text = PAGES[path](site)
    elif first == "bots" and rest:
        text = bot_page(site, rest)
    elif first == "games" and rest:
        text = game_page(site, rest)
    else:
        raise NoPage("there is no such page")
    return stored(text.encode(), "text/html")


# ---------------------------------------------------------------- templates


def web_page(template: str, path: str, *, data: Mapping[str, Any] | None = None, **values: Any) -> str:
    """Return the page at an address such as `bots/greedy`; "" is the start page.

    Links are relative, so that the pages work below a path of a proxy. `data` holds the values that scripts read, by
    the id of their element.
    """
    root = "../" * path.count("/")

    def link(*parts: object) -> str:
        address = "/".join(quote(str(part), safe="") for part in parts)
        return f"{root}{address}" or "."

    return (
        _environment()
        .get_template(template)
        .render(
            link=link,
            static=lambda name: f"{root}static/{name}",
            here=path,
            data=embedded_data(data or {}),
            **values,
        )
    )


@cache
def _environment() -> Environment:
    made = environment("arena.web", "arena.results.pages")
    made.filters |= {"date": utc_text, "elo": _elo}
    made.globals |= {"lesson": lesson, "final_state": final_state}
    return made


def _elo(value: float | None, plus: float | None = None, minus: float | None = None) -> str:
    """Return a rating as text, with its interval if that is known."""
    return "–" if value is None else rating_text(value, plus, minus)


# ---------------------------------------------------------------- the league


def _home(site: Site) -> str:
    league, table = site.league, site.table
    found = site.standings
    lines = [
        dict(row) | {"bot": row["name"]} | {key: None for key in ("elo", "score") if math.isnan(row[key])}
        for row in (found.rows if table.rows else ())
    ]
    trends = views.trends(league, MAX_EVENTS_OF_TREND)
    for line in lines:
        is_drawn = line["elo"] is not None and line["rank"] <= MAX_DRAWN  # keeps the page of a large league small
        line["trend"] = trend(trends.get(line["bot"], ())) if is_drawn else ""
    newest: dict[int, GameResult] = {}
    for game in views.last_games(league, [row.version.id for row in table.rows], 20 * CARDS) if lines else ():
        newest.setdefault(game.id.pairing, game)
    return site.render(
        "home.html",
        "",
        lines=lines,
        authors=len({line["author"] for line in lines} - {""}),
        cards=[card(site, game) for game in islice(newest.values(), CARDS)],
        **_shown(site, list(newest.values())),
        remarks=remarks(found),
        about=views.describe(site.settings),
        games=table.total,
        pause=paused(league),
        live=True,
    )


def _history(site: Site) -> str:
    lines = [
        line | {"note": "" if line["kind"] == SUBMISSION_REFUSED else line["note"]}
        for line in views.history_lines(site.league)[-MAX_EVENTS:][::-1]
    ]
    return site.render("page.html", "history", title="History", table=filled_columns(history_table(lines)), live=True)


def _rules(site: Site) -> str:
    settings = site.settings
    rules = load_rules(settings.rules).short_name
    return site.render("rules.html", "rules", settings=settings, rules=rules, about=views.describe(settings))


def _learn(site: Site) -> str:
    rules = load_rules(site.settings.rules)
    cards = lesson.tactic_cards(rules) if rules.tactics else ()
    weakest = site.table.rows[-1].version.name if site.table.rows else ""
    board = flat(replay(parse_record(lesson.EXAMPLE)))
    return site.render("learn.html", "learn", rules=rules, tactics=list(cards), example=board, weakest=weakest)


def _write(site: Site) -> str:
    name = "mybot"
    skeleton = (data_folder("examples") / f"{name}.py").read_text(encoding="utf-8")
    return site.render("write.html", "write", skeleton=skeleton, name=name)


def _shown(site: Site, newest: Sequence[GameResult]) -> dict[str, Any]:
    """Return the games that play by themselves: one of the two best bots that have met, and the newest."""
    best: list[GameResult] = []
    if site.table.rows:
        met = views.last_games_by_opponent(site.league, site.table.rows[0].version, 1)
        best = next((met[row.version.label] for row in site.table.rows if met.get(row.version.label)), [])
    shown = []
    for word, game in zip(("the best", "the newest"), [*best, *newest[:1]]):
        with suppress(RecordError, UnfitEngineError):
            shown.append({"word": word, **_moves_only(labelled(site, game))})
    return {"shown": shown, "data": {"shown": shown}}


@lru_cache(100)  # a finished game stays as it is, and making this takes longer than the rest of a page
def _moves_only(game: GameResult) -> dict[str, Any]:
    """Return what a board that plays by itself needs of a game: no hands, no explanations."""
    data = game_data(game, key_of(game))
    steps = [
        {
            "set": {key: value for key, value in step["set"].items() if key[0] not in "hwf"},
            "seat": step.get("seat"),
            "words": step.get("words", ""),
        }
        for step in data["steps"]
    ]
    return {key: data[key] for key in ("key", "names", "edition", "result", "record")} | {"steps": steps}


def _live(site: Site) -> str:
    """Return the pairings being played, the submissions on their way with their games, and the last games."""
    league = site.league
    known = {version.id: version for version in versions.in_state(league, retired=True)}
    now = activity(league)
    waiting = []
    for version in versions.in_state(league, *versions.OPEN):
        row = site.table.row_of(version.id)
        waiting.append((version, version.id == now.get("version"), row.score.games if row else 0))
    last = views.last_games(league, list(known), MAX_LIVE) if known else []
    return site.render(
        "live.html",
        "live",
        in_hand=[(known[a], known[b], deals) for a, b, deals in now.get("fixtures", ())],
        waiting=waiting,
        most=site.settings.most_games,
        last=[card(site, game) for game in last],
        live=True,
        **_shown(site, last),
    )


PAGES: dict[str, Callable[[Site], str]] = {
    "": _home,
    "live": _live,
    "history": _history,
    "rules": _rules,
    "learn": _learn,
    "write": _write,
}
FIGURES = "api/v1/standings"
"""The address of the table as JSON, made and kept like pages."""


# ---------------------------------------------------------------- a bot


def bot_page(site: Site, name: str) -> str:
    """Return the public page of a bot. Raise NoPage if there is none."""
    try:
        of_bot = versions.of_bot(site.league, name)
    except LeagueError:
        of_bot = []
    if all(version.state == versions.REFUSED for version in of_bot):
        raise NoPage("there is no such bot in this league")
    version = views.chosen_version(site.league, of_bot[0].name, None)
    return site.render("bot.html", f"bots/{version.name}", own=False, live=True, **bot_values(site, version, False))


def bot_values(site: Site, version: versions.Version, private: bool) -> dict[str, Any]:
    """Return the values for the page of a bot; if `private`, with what the bot has printed and raised."""
    league = site.league
    lines = views.version_lines(league, version.name, site.table)
    rated = views.rating_over_time(league, version.name)
    faults = views.forfeit_lines(league, version)
    plot = None
    if len(rated) > 1:
        totals, elos, *bands = zip(*rated)
        plot = svg(Lines([version.name], totals, [elos], "games in the league", "Elo", [[*zip(*bands)]]))
    latest = views.last_games_by_opponent(league, version, GAMES_PER_OPPONENT)
    opponents = []
    for line in views.opponent_lines(league, version, site.table):
        played = latest.get(f"{line['opponent']} v{line['opponent_version']}", ())
        opponents.append(line | {"latest": [_listed(game) | {"outcome": outcome(game, version)} for game in played]})
    if not private:
        lines = [line | {"reason": ""} if line["state"] == "refused" else line for line in lines]
    return {
        "bot": version,
        "standing": site.table.row_of(version.id),
        "versions": replace(filled_columns(versions_table(lines)), title=""),
        "plot": plot,
        "opponents": opponents,
        "lost": [card(site, game) for game in lost_games(latest, version)[:MAX_LOST]],
        "forfeits": forfeits_table([fault | ({} if private else {"last": "", "reason": ""}) for fault in faults]),
        "reasons": [(fault["kind"], fault["last"]) for fault in faults] if private else [],
    }


def outcome(game: GameResult, version: versions.Version) -> str:
    """Return `won`, `lost` or `drawn`, as seen by a version that played."""
    return "drawn" if game.winner is None else "won" if game.winner == version.label else "lost"


def lost_games(latest: Mapping[str, Sequence[GameResult]], version: versions.Version) -> list[GameResult]:
    """Return the losses of a version among its latest games, newest first."""
    lost = [game for played in latest.values() for game in played if outcome(game, version) == "lost"]
    return sorted(lost, key=lambda game: -game.id.key)


def _listed(game: GameResult) -> dict[str, Any]:
    return {
        "key": key_of(game),
        "first": game.first,
        "second": game.second,
        "stones": f"{game.stones[0]}–{game.stones[1]}",
        "turns": game.turns,
        "ending": f"forfeit ({game.forfeit})" if game.forfeit else game.ending,
    }


def card(site: Site, game: GameResult) -> dict[str, Any]:
    """Return the values for a card with a game's final board, and the bot `below`."""
    game = labelled(site, game)
    try:
        board, edition = final_state(game.record)
        words, below = headline(game), game.seats[0]
    except RecordError:  # a damaged record, which `arena verify` reports
        board, edition, words, below = None, "", f"{game.first} – {game.second}", ""
    return _listed(game) | {"board": board, "edition": edition, "headline": words, "below": below}


def labelled(site: Site, game: GameResult) -> GameResult:
    """Return a game with the names of its bots as pages show them."""
    loser = game.forfeit_by and site.label(game.forfeit_by)
    return replace(game, first=site.label(game.first), second=site.label(game.second), forfeit_by=loser)


def key_of(game: GameResult) -> str:
    """Return a game as a part of an address."""
    return str(game.id).replace("/", "-")


def game_page(site: Site, key: str) -> str:
    """Return a game in the viewer, without what its bots reported to their authors. Raise NoPage if there is none."""
    try:
        identity = GameId.parse(key.replace("-", "/"))
        game = next(iter(site.league.reader().results("id = ?", identity.key)))
    except (OverflowError, StopIteration, ValueError):
        raise NoPage("there is no such game in this league") from None
    if key_of(game) != key:  # other spellings of the address
        raise NoPage(f"there is no such page; this game is at games/{key_of(game)}")
    return viewer_page(site, replace(labelled(site, game), detail=None), key.replace("-", "/"), f"games/{key}")


def viewer_page(site: Site, game: GameResult, key: str, path: str) -> str:
    """Return a game in the viewer; without scripts, its final board and moves. `key` is its name in the viewer."""
    data = game_data(game, key)
    return site.render(
        "game.html",
        path,
        title=game_title(data),
        games=[data],
        data={"games": [data]},
    )
