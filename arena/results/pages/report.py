"""A run, comparison, league or file of records as a page: all statistics, plots, and games to replay."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arena.errors import ArenaError
from arena.results.compare import comparison, read_variants
from arena.results.comparison import variant_folders
from arena.results.pages.figures import (
    CARD_GAMES,
    card_frames,
    cards_plot,
    endings_plot,
    first_plot,
    forfeits_plot,
    heat,
    length_plot,
    los_square,
    progress_plot,
    rates_plot,
    rating_plot,
    times_plots,
)
from arena.results.pages.games import game_data, sample
from arena.results.pages.plots import Bars, Dots, Lines, Square, Stacks, svg
from arena.results.pages.render import render
from arena.results.pages.words import PAGE
from arena.results.records import StoredGame
from arena.results.run import RunData, stored_config
from arena.results.run_list import RUNNING, RunLine, run_line
from arena.results.run_stats import stats_report
from arena.results.sources import ALL_GAMES, COMPARISON, DATABASE, FILE, LEAGUE, GameFilter, find, run_data
from arena.results.sprt import sprt_text
from arena.results.standings import RunStandings, standings
from arena.results.standings_report import head_to_head_line, standings_report
from arena.results.standings_report import heading as heading_of
from arena.results.table import Column, Report, Table, percent, rating_text, table_of
from arena.stats.frames import StatsError
from arena.stats.ratings import DEFAULT_PRIOR
from arena.text import first_line, one_line
from arena.tournament.formats import FORMATS
from arena.tournament.store.folders import Found
from arena.tournament.store.reader import Reader

GAMES = 20
"""Games to replay unless another number is asked for."""
ERROR = 10.0
"""95% error in Elo for which the report says how many more pairs are needed."""
EVERY_S = 5.0
"""Seconds between two pages of a run in progress, at least."""
SHARE = 5
"""Making pages takes at most one part in so many of the time: it shares the machine with the run."""
MOST_REASONS = 200
NARROW = 5
"""Bots of which two squares stand side by side."""
MOST_LEADERS = 5
"""Bots in first place that are named."""
MOST_ROWS = 1000
"""Rows of a table that a page shows."""


@dataclass
class Section:
    """A part of the page with a heading: plots, squares, tables, sentences, and texts to copy.

    `captions` stand above the plots; `closed` are tables that one opens; `half`: narrow enough to stand beside another
    section.
    """

    id: str
    plots: Sequence[Dots | Bars | Lines | Stacks | None] = ()
    captions: Sequence[str] = ()
    squares: Sequence[Square] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    texts: Sequence[tuple[str, str]] = ()
    closed: Sequence[Table] = ()
    half: bool = False

    @property
    def drawn(self) -> list[tuple[str, Markup]]:
        captions = [*self.captions, *[""] * len(self.plots)]
        return [(caption, svg(plot)) for plot, caption in zip(self.plots, captions) if plot is not None]

    @property
    def title(self) -> str:
        return PAGE[self.id]


@dataclass
class ReportPart:
    """All about one run, or what a comparison says of several.

    prefix    rule set of a run of a comparison, else ""; `folder`: what stands before its games' names
    lead      who won, in a sentence or two
    facts     a word and a figure each
    """

    sections: list[Section]
    id: str = ""
    prefix: str = ""
    folder: str = ""
    lead: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()


def report_page(
    source: str,
    count: int = GAMES,
    wanted: GameFilter = ALL_GAMES,
    prior: float = DEFAULT_PRIOR,
    reload: float | None = None,
) -> str:
    """The page of what `source` names, with `count` of its games that are `wanted` to replay.

    `reload`: the run goes on, and the page loads itself again after so many seconds.

    StatsError if there are no games, ReplayError for bots in `wanted` that did not play.
    """
    kind, place = find(source)
    if kind == COMPARISON:
        title, parts, games, there = _comparison(place, count, wanted, prior)
        heading = title
    else:
        run = run_data(kind, place)
        part = _run(kind, place, run, prior)
        title, heading, parts = heading_of(run), one_line(run.name), [part]
        games, there = _games(place, run, count, wanted)
    words = PAGE["all_games"] if len(games) >= there else PAGE["sample"]
    command = f"arena replay {one_line(str(place))} GAME --html"
    return render(
        "report.html",
        ["tables.js", "viewer.js", *(["live.js"] if reload else [])],
        {"games": games, "page": {"filter": PAGE["filter"], "reload": reload and 1000 * reload}},
        title=title,
        heading=heading,
        parts=parts,
        viewer=bool(games),
        ids={game["id"] for game in games},
        sampled=words.format(shown=len(games), all=there, command=command),
        live=PAGE["live"] if reload else "",
        made=PAGE["made"],
    )


def _games(
    place: Path, run: RunData, count: int, wanted: GameFilter, before: str = ""
) -> tuple[list[dict[str, Any]], int]:
    if count < 1:
        return [], len(run.games)
    numbered, there = sample(place, run.games, wanted, count)
    games = []
    for number, game in numbered:
        with suppress(ArenaError):  # a record that is damaged: `arena verify` tells, and the figures stand
            games.append(game_data(StoredGame.of(game), before + number) | {"id": before + str(game.id)})
    return games, there


def _comparison(
    place: Path, count: int, wanted: GameFilter, prior: float
) -> tuple[str, list[ReportPart], list[dict[str, Any]], int]:
    folders = variant_folders(place)
    parts: list[ReportPart] = []
    games: list[dict[str, Any]] = []
    there = 0
    whole = _compared(list(folders.values()))
    if whole is not None:
        tables = _shown(whole)
        parts.append(ReportPart([Section("variants", [rates_plot(whole)], tables=tables[:1], closed=tables[1:])]))
        parts[0].lead = whole.remarks
    for at, (rules, folder) in enumerate(folders.items()):
        run = run_data("run", folder)
        part = _run(DATABASE, folder, run, prior)
        part.id, part.prefix, part.folder = f"v{at}-", rules, f"{folder.name}/"
        parts.append(part)
        share = count * (at + 1) // len(folders) - count * at // len(folders)
        more, held = _games(folder, run, share, wanted, part.folder)
        games += more
        there += held
    title = whole.heading if whole is not None else one_line(place.name)
    return title, parts, games, there


def _compared(folders: list[Path]) -> Report | None:
    """What `arena compare` says, None where there is nothing to compare yet."""
    try:
        return comparison(read_variants(folders, CARD_GAMES))
    except ArenaError:
        return None


def _run(kind: str, place: Path, run: RunData, prior: float) -> ReportPart:
    stats = stats_report(run, ERROR, prior)
    frames = {table.name: table.data for table in stats.tables}
    figures = standings(run, prior)
    main = standings_report(figures)
    shown = {table.name: table for table in _shown(stats)}
    order = [str(bot) for bot in figures.table["bot"]]
    lead, (verdict, test) = _lead(figures), _sprt(kind, place, run)
    sections = [
        _standings(figures, main, lead, progress_plot(run, prior)),
        *test,
        *_rounds(main),
        *_squares(run, order, frames, shown.pop("pairings", None)),
        Section("lengths", [length_plot(frames["length_histogram"])], closed=_taken(shown, "length"), half=True),
        _first(run, order, _taken(shown, "first_player")),
        Section(
            "endings", [endings_plot(run.games, order)], closed=_taken(shown, "endings", "endings_by_bot"), half=True
        ),
        _forfeits(run, order, _taken(shown, "terminations", "forfeits")),
        *_times(run, _taken(shown, "time")),
        *_cards(place, run),
        Section("statistics", closed=list(shown.values())),
        *_settings(run),
    ]
    return ReportPart(sections, lead=[*verdict, lead], facts=_facts(run, figures))


def _lead(standings: RunStandings) -> str:
    """Who came out first; of two bots, by how much."""
    if line := head_to_head_line(standings):
        return line
    best = standings.table[standings.table["rank"] == 1]
    row = best.iloc[0]
    shown = rating_text(float(row["elo"]), float(row["elo_error95"]), str(row["flag"]))
    words = PAGE["lead" if standings.run.complete or standings.run.planned is None else "lead_so_far"]
    line = words.format(
        all=len(standings.table), bots=", ".join(one_line(bot, 60) for bot in best["bot"][:MOST_LEADERS])
    )
    if len(best) > 1:
        return f"{line}."
    figures = {"elo": shown, "score": percent(float(row["score"])), "games": f"{int(row['games']):,}"}
    return line + PAGE["lead_figures"].format(**figures)


def _standings(standings: RunStandings, main: Report, lead: str, progress: Lines | None) -> Section:
    remarks = [line for line in main.remarks if line != lead]
    notes = [PAGE["elo"], *([PAGE["progress_note"]] if progress else []), *remarks]
    captions = [PAGE["ratings"], PAGE["progress"]]
    return Section(
        "standings", [rating_plot(standings), progress], captions, tables=[_cut(main.tables[0])], notes=notes
    )


def _facts(run: RunData, standings: RunStandings) -> list[tuple[str, str]]:
    """What the page says of a run above all: a word and a figure each."""
    played = f"{len(run.games):,}"
    if run.planned is not None and not run.complete:
        played = PAGE["of_planned"].format(played=played, planned=f"{run.planned:,}")
    facts = [
        ("fact_format", str(run.config.get("format") or "-")),
        ("fact_rules", str(run.config.get("rules") or "-")),
        ("fact_bots", str(len(run.bots))),
        ("fact_games", played),
        ("fact_seed", "-" if run.config.get("seed") is None else str(run.config["seed"])),
        ("fact_turns", f"{standings.mean_turns:.1f}"),
        ("fact_first", f"{percent(standings.first_player['score'])}%"),
        ("fact_forfeits", f"{standings.faults:,}"),
    ]
    return [(PAGE[word], one_line(text, 60)) for word, text in facts if text != "-"]


def _taken(shown: dict[str, Table], *names: str) -> list[Table]:
    """Tables that stand beside their plot, so that they are no longer among the others."""
    return [shown.pop(name) for name in names if name in shown]


def _rounds(report: Report) -> Iterator[Section]:
    """Rounds and brackets; the crosstable is shown as a heat map."""
    for table in report.tables[1:]:
        if table.columns and table.name != "crosstable":
            yield Section(table.name, tables=[replace(_cut(table), title="")])


def _shown(report: Report) -> list[Table]:
    """The tables for people, as many rows as a page can show."""
    return [_cut(table) for table in report.tables if table.columns]


def _cut(table: Table) -> Table:
    if len(table.rows) <= MOST_ROWS:
        return table
    note = PAGE["rows_cut"].format(shown=MOST_ROWS, all=len(table.rows))
    return replace(table, shown=table.people[:MOST_ROWS], note=f"{note} {table.note}".strip())


def _sprt(kind: str, place: Path, run: RunData) -> tuple[list[str], list[Section]]:
    """Where a sequential test stands, as `arena sprt` says it: the verdict, and the rest of it."""
    if kind != DATABASE:
        return [], []
    with Reader(place) as reader:
        test = stored_config(reader).verdict()
        if test is None:
            return [], []
        test(reader)
        text = sprt_text(test.result(), *map(one_line, run.bots))
    verdict, _, rest = text.partition("\n")
    return [verdict], [Section("sprt", texts=[(verdict, rest)])]


def _squares(run: RunData, order: Sequence[str], frames: Mapping[str, Any], met: Table | None) -> Iterator[Section]:
    closed = [] if met is None else [met]
    square = heat(run.games, order)
    if square is None:
        yield Section("crosstable", notes=[PAGE["heat_left_out"]], closed=closed)
        return
    half = len(order) <= NARROW
    yield Section("crosstable", squares=[square], notes=[PAGE["heat"], PAGE["heat_orange"]], half=half)
    if "los" in frames:
        squares = [los_square(frames["los"], order)]
        yield Section("los", squares=squares, notes=[PAGE["los_note"]], closed=closed, half=half)


def _first(run: RunData, order: Sequence[str], closed: Sequence[Table]) -> Section:
    return Section("first", [first_plot(run.games, order)], notes=[PAGE["first_note"]], closed=closed, half=True)


def _times(run: RunData, closed: Sequence[Table]) -> Iterator[Section]:
    if plots := times_plots(run):
        yield Section("times", plots, notes=[PAGE["time_note"]], closed=closed)


def _cards(place: Path, run: RunData) -> Iterator[Section]:
    effects, notes = card_frames(place, run)
    if effects is not None:
        table = table_of("cards", "", effects)
        yield Section("cards", [cards_plot(effects)], tables=[table], notes=[PAGE["cards_note"], *notes])


def _forfeits(run: RunData, order: Sequence[str], closed: Sequence[Table]) -> Section:
    """Each bot and kind with the most frequent reason."""
    plots = [forfeits_plot(run.games, order)]
    if not run.forfeits:
        return Section("forfeits", plots, notes=[PAGE["forfeits_none"]], half=True)
    columns = (
        Column("bot", "text"),
        Column("kind", "text"),
        Column("games"),
        Column("reason", "text", cell=lambda row: first_line(row["reason"], 300)),
        Column("example", "text", cell=lambda row: str(row["game"])),
    )
    reasons = Table("reasons", "", columns, shown=[line._asdict() for line in run.forfeits[:MOST_REASONS]])
    return Section("forfeits", plots, tables=[reasons], closed=closed, half=True)


def _settings(run: RunData) -> Iterator[Section]:
    """Of a run; a league and a file of records have none."""
    columns = (Column("bot", "text"), Column("hash", "text"))
    sources = [{"bot": bot, "hash": source} for bot, source in run.sources.items()]
    hashes = Table("sources", PAGE["hashes"], columns, shown=sources)
    tables = [hashes] if run.sources else []
    text = settings_toml(run.config)
    texts = [] if text is None else [(PAGE["repeat"], PAGE["repeat_command"]), ("run.toml", text)]
    if tables or texts:
        yield Section("settings", tables=tables, texts=texts)


# ---------------------------------------------------------------- settings as a file


def settings_toml(config: Mapping[str, Any]) -> str | None:
    """The TOML file that plays a run again; None for what no settings have played: a league, a file of records.

    `config` is as stored with a run. Paths in it are those of the machine on which it was played.
    """
    if config.get("format") not in FORMATS:
        return None
    values = {key: value for key, value in config.items() if key not in ("bots", "isolated")}
    isolated = config.get("isolated", ())
    bots = [dict(bot) | ({"isolation": "process"} if bot["name"] in isolated else {}) for bot in config["bots"]]
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {_toml(value)}" for key, value in plain.items() if value is not None]
    for key, value in values.items():
        if isinstance(value, Mapping) and (known := _known(value)):
            lines += ["", f"[{key}]", *(f"{name} = {_toml(inner)}" for name, inner in known.items())]
    for bot in bots:
        lines += ["", "[[bots]]", *(f"{name} = {_toml(inner)}" for name, inner in _known(bot).items())]
    return "\n".join(lines) + "\n"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != {}}


def _toml(value: Any) -> str:
    """A value in TOML: as in JSON, except for tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


# ---------------------------------------------------------------- a run in progress


def followed(source: str) -> Found:
    """The run or comparison that `source` names. StatsError for anything else."""
    stored = find(source)
    if stored.kind in (FILE, LEAGUE):
        raise StatsError(f"{stored.folder}: only a run or a comparison can be followed; leave out --follow")
    return stored


def follow(
    source: str,
    write: Callable[[str], object],
    count: int,
    wanted: GameFilter = ALL_GAMES,
    prior: float = DEFAULT_PRIOR,
    wait: Callable[[float], object] = time.sleep,
) -> RunLine:
    """Give `write` a page whenever there are more games, until the run is no longer being played; then a last one.

    Every page but the last one reloads itself. Returns the state of the run at the end. StatsError for anything but a
    run or a comparison, or for a run that ends without a game.
    """
    folder = followed(source)
    shown, pause = 0, EVERY_S
    try:
        while (line := run_line(folder)).state == RUNNING:
            if line.games > shown:
                began = time.monotonic()
                write(report_page(source, count, wanted, prior, reload=pause))
                shown, pause = line.games, max(EVERY_S, (SHARE - 1) * (time.monotonic() - began))
            wait(pause)
    except KeyboardInterrupt:
        if shown:
            write(report_page(source, count, wanted, prior))  # else it would reload itself for ever
        raise
    write(report_page(source, count, wanted, prior))
    return line
