"""Make a page of a run, comparison, league or file of records: all statistics, plots, and games to replay."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Any

from arena.errors import ArenaError, UnfitEngineError
from arena.game.record import RecordError
from arena.game.rules import shown_rules
from arena.results.pages.figures import (
    CARD_GAMES,
    LARGEST_SQUARE,
    MOST_DOTS,
    card_frames,
    cards_plot,
    endings_plot,
    first_plot,
    heat,
    history_plot,
    length_plot,
    progress_plot,
    rates_plot,
    rating_plot,
)
from arena.results.pages.game_data import game_data, sample
from arena.results.pages.plots import Plot, Square
from arena.results.pages.render import render
from arena.results.run_data import ALL_GAMES, GameFilter, RunData, with_bots
from arena.results.run_standings import RunStandings, standings
from arena.results.run_stats import stats_report
from arena.results.sources import Source, StoredComparison
from arena.results.standings_report import standings_report
from arena.results.table import Column, Report, Table, percent, table_of
from arena.results.variant_report import comparison, read_variants
from arena.results.words import heading as heading_of
from arena.results.words import said_above, sprt_text
from arena.stats.field import length_histogram
from arena.text import first_line, one_line
from arena.tournament.formats import FORMATS

_GAMES = 20
"""Games to replay unless another number is asked for."""
_ERROR = 10.0
"""95% error in Elo for which the report says how many more pairs are needed."""
_MOST_REASONS = 200
MOST_ROWS = 1000
"""Rows of a table that a page shows."""
_NARROW = 5
"""The most bots whose ratings and crosstable fit side by side."""
_PLOTS = {
    "Ratings": ("Ratings with 95% intervals. An arrow: the interval has no end.",),
    "By commit": (
        "Ratings of the versions with 95% intervals, the oldest commit first. All met the same deals, so the best of"
        " several looks better than it is; arena sprt tests a version on fresh deals.",
    ),
    "Ratings over games": ("Ratings from the first games, in the order of their deals; bands are 95% errors.",),
    "Length of games": ("How many games took how many turns.", "length"),
    "First player": (
        "Score as the first player minus score as the second, with 95% intervals from the deals that both share.",
        "first_player",
    ),
    "How games end": ("All games. A table has those that each bot won.", "endings", "endings_by_bot"),
}
"""The plots of a run by the titles of their sections: the caption, and statistics that stand beside it as tables."""
_SQUARE = "Score in % of the row's bot against the column's, blue above 50%, orange below. Point at a field for its 95%"
_SQUARE += " interval, clustered by deal."


@dataclass(frozen=True)
class Section:
    """A part of the page: a plot with its caption, tables, sentences, and texts to copy, each with a line before it.

    `closed` are tables that the reader opens; `half`: narrow enough to stand beside another section.
    """

    title: str
    plot: Plot | None = None
    caption: str = ""
    tables: Sequence[Table] = ()
    closed: Sequence[Table] = ()
    notes: Sequence[str] = ()
    texts: Sequence[tuple[str, str]] = ()
    half: bool = False

    @property
    def is_filled(self) -> bool:
        """Whether there is anything below the heading."""
        return any((self.plot, self.tables, self.closed, self.notes, self.texts))


@dataclass(frozen=True)
class ReportPart:
    """One run, or the comparison of several.

    lead      the winner, whether that is shown, and what to do next, a sentence each
    facts     a word and a figure each
    title     rule set of a run of a comparison, else ""; `folder`: what the names of its games begin with
    """

    sections: list[Section]
    lead: Sequence[str]
    facts: Sequence[tuple[str, str]] = ()
    title: str = ""
    folder: str = ""


def report_page(
    source: Source,
    count: int = _GAMES,
    wanted: GameFilter = ALL_GAMES,
    prior: float | None = None,
    without: Sequence[str] = (),
    only: Sequence[str] = (),
) -> str:
    """Return the page of a source, with `count` of its games that are `wanted` to replay.

    `without` and `only` leave out bots and their games (arena.results.run_data). Raise StatsError if there are no
    games, ReplayError for bots in `wanted` that did not play.
    """
    name = one_line(str(source.path))
    if isinstance(source, StoredComparison) and (without or only):
        raise ArenaError(f"{name} is a comparison; --without and --only are for one run, such as {name}/base")
    title = heading = one_line(source.path.name)
    variants = source.parts()
    parts: list[ReportPart] = []
    games: list[dict[str, Any]] = []
    total = 0
    if isinstance(source, StoredComparison):
        with suppress(ArenaError):  # there is nothing to compare yet
            compared = comparison(read_variants([variant.path for variant in variants.values()], CARD_GAMES))
            title = heading = compared.heading
            parts.append(_comparison(compared))
    for index, (rules, variant) in enumerate(variants.items()):
        run = with_bots(variant.data(), without, only)
        if not rules:
            title, heading = heading_of(run), one_line(run.name)
        folder = f"{variant.path.name}/" if rules else ""
        parts.append(_part(variant, run, prior, rules, folder))
        share = count * (index + 1) // len(variants) - count * index // len(variants)
        played = replace(wanted, field=frozenset(run.bots)) if run.selection else wanted
        chosen, choices = sample(variant, run, played, share)
        total += choices
        for number, game in chosen:
            with suppress(RecordError):  # a damaged record: `arena verify` reports it, and the figures are not affected
                try:
                    games.append(game_data(game, folder + number) | {"id": folder + game.name})
                except UnfitEngineError as error:
                    raise UnfitEngineError(f"{error}, or make the report with --replays 0, without games") from None
    if games:
        sampled = f"All {total:,} games can be replayed here."
        if len(games) < total:
            sampled = f"{len(games)} of {total:,} games can be replayed here: one example of each forfeit,"
            sampled += f" then a spread across the run. For others: arena replay {name} GAME --open"
        titles = [section.title for section in parts[0].sections]
        place = titles.index("Length of games") if "Length of games" in titles else len(titles)
        parts[0].sections.insert(place, Section("Games", notes=[sampled]))
    return render(
        "report.html",
        ["tables.js", "board.js", "viewer.js"],
        {"games": games},
        title=title,
        heading=heading,
        parts=parts,
        games=games,
        watch=_worth_watching(games),
        ids={game["id"] for game in games},
    )


def _worth_watching(games: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the largest turning point of the games: where it is, the board there, and what happened in words."""
    turns = [
        (abs(after["chance"] - before["chance"]), -number, -after["number"])  # of equal ones the first
        for number, game in enumerate(games)
        if game["forfeit"] is None
        for before, after in pairwise(game["steps"][:-1])
    ]
    if not turns:
        return None
    _, number, move = max(turns)
    game, move = games[-number], -move
    step = game["steps"][move]
    chances = [one["chance"] for one in game["steps"][move - 1 : move + 1]]
    before, after = chances if step["seat"] == 0 else [1 - chance for chance in chances]
    words = f"{game['names'][step['seat']]}: {step['words']}. Its chance to win goes from {before:.0%} to {after:.0%}."
    state: dict[str, Any] = {}
    for one in game["steps"][: move + 1]:
        state |= one["set"]
    state = {key: value for key, value in state.items() if value is not None}
    return {key: game[key] for key in ("id", "names", "edition")} | {"move": move, "state": state, "words": words}


def _comparison(report: Report) -> ReportPart:
    scores, *others = _shown(report)
    caption = "Score of each bot in each variant, with 95% intervals."
    sections = [
        Section("Variants", rates_plot(report), caption, notes=report.remarks, half=True),
        Section("Tables", closed=others, half=True),
        Section("Scores", tables=[scores]),
    ]
    return ReportPart(sections, [*said_above(report), *report.answer])


def _part(source: Source, run: RunData, prior: float | None, rules: str, folder: str) -> ReportPart:
    """Return the part of a run; with `rules`, it is a variant of a comparison."""
    figures, stats = standings(run, prior), stats_report(run, _ERROR, prior)
    shown = {table.name: table for table in _shown(stats)}
    order = [row["bot"] for row in figures.rows]
    main = standings_report(figures, bool(rules))
    test = run.test
    verdict, _, details = ("", "", "") if test is None else sprt_text(test, *map(one_line, run.bots)).partition("\n")

    def half(title: str, plot: Plot | None, tables: Sequence[Table] = ()) -> Section:
        caption, *names = _PLOTS[title]
        return Section(title, plot, caption, tables, _taken(shown, *names), half=True)

    progress = half("Ratings over games", progress_plot(run, prior))
    is_narrow = len(order) <= _NARROW  # then the crosstable fits beside the ratings
    sections = [
        Section("Standings", tables=[filled_columns(main.tables[0])], notes=main.remarks),
        Section("Sequential test", texts=[(verdict, details)] if verdict else ()),
        *(
            Section(table.title, tables=[replace(filled_columns(table), title="")])
            for table in main.tables[1:]
            if table.columns and table.name != "crosstable"  # which is shown as a heat map
        ),
        half("Ratings", rating_plot(figures)),
        half("By commit", history_plot(figures)),
        *([] if is_narrow else [progress]),
        _crosstable(run, heat(run.games, order), _taken(shown, "pairings", "los")),
        half("Length of games", length_plot(length_histogram(run.games))),
        half("First player", first_plot(run.games, order)),
        half("How games end", endings_plot(run.games)),
        Section(
            "Forfeits", tables=_reasons(run), closed=_taken(shown, "terminations", "forfeits_by_opponent"), half=True
        ),
        *([progress] if is_narrow else []),
        Section("Thinking time", tables=_taken(shown, "time"), notes=["Times vary from run to run."]),
        _cards(source, run),
        Section("All statistics", closed=list(shown.values())),
        _settings(run),
    ]
    return ReportPart(
        [section for section in sections if section.is_filled and (section.title != "Forfeits" or run.forfeits)],
        [
            *([verdict] if verdict else []),
            *said_above(main),
            *main.answer,
            *filter(None, [main.next]),
        ],
        _facts(run, figures),
        rules,
        folder,
    )


def _taken(shown: dict[str, Table], *names: str) -> list[Table]:
    """Take tables that stand beside their plot out of the others."""
    return [shown.pop(name) for name in names if name in shown]


def _facts(run: RunData, standings: RunStandings) -> list[tuple[str, str]]:
    """Return the main facts of a run: a word and a figure each."""
    played = f"{len(run.games):,}"
    if run.planned is not None and not run.complete:
        played += f" of {run.planned:,}"
    facts = [
        ("format", str(run.config.get("format") or "-")),
        ("rules", shown_rules(run.config.get("rules") or "-")),
        ("bots", str(len(run.bots))),
        ("games", played),
        ("seed", "-" if run.config.get("seed") is None else str(run.config["seed"])),
        ("turns per game", f"{standings.mean_turns:.1f}"),
        ("first player scores", f"{percent(standings.first_player.mean)}%"),
        ("forfeits", f"{standings.faults:,}"),
    ]
    return [(word, one_line(text, 60)) for word, text in facts if text != "-"]


def _shown(report: Report) -> list[Table]:
    """Return the tables that are shown, with as many rows as fit on a page."""
    return [filled_columns(table) for table in report.tables if table.columns]


def filled_columns(table: Table) -> Table:
    """Return the table without empty columns, and with as many rows as fit on a page."""
    if table.rows:
        filled = [any(cell not in ("", "-") for cell in cells) for cells in zip(*table.cells)]
        table = replace(table, columns=list(compress(table.columns, filled)))
    if len(table.rows) <= MOST_ROWS:
        return table
    note = f"The first {MOST_ROWS} of {len(table.rows)} rows; arena standings RUN --all --csv DIR writes all."
    return replace(table, rows=table.rows[:MOST_ROWS], note=f"{note} {table.note}".strip())


def _crosstable(run: RunData, square: Square | None, closed: Sequence[Table]) -> Section:
    if square is None:
        note = f"More than {LARGEST_SQUARE} bots are too many for a crosstable. A line for each two of them:"
        note += f" arena standings {one_line(run.folder)} --all --csv DIR"
        return Section("Crosstable", notes=[note], closed=closed)
    return Section("Crosstable", square, _SQUARE, closed=closed, half=len(square.bots) <= _NARROW)


def _cards(source: Source, run: RunData) -> Section:
    effects, notes = (None, []) if run.selection else card_frames(source, run)
    if effects is None:
        return Section("Tactic cards")
    caption = (
        "Score of the sides that played the card. A card that only a winning side gets to play is a sign of the win,"
    )
    caption += " not its cause."
    table = table_of("cards", "", effects)
    return Section("Tactic cards", cards_plot(effects), caption, closed=[table], notes=notes, half=True)


def _reasons(run: RunData) -> list[Table]:
    """Return the forfeits of each bot and kind, with the most frequent reason."""
    columns = (
        Column("bot", "text"),
        Column("kind", "text"),
        Column("games"),
        Column("reason", "text", cell=lambda row: first_line(row["reason"], 300)),
        Column("example", "text", cell=lambda row: str(row["game"])),
    )
    lines = [line._asdict() for line in run.forfeits[:_MOST_REASONS]]
    return [Table("reasons", "", lines, columns)] if lines else []


def _settings(run: RunData) -> Section:
    """Return the settings of a run; a league and a file of records have none."""
    columns = (Column("bot", "text"), Column("hash", "text"))
    sources = [{"bot": bot, "hash": source} for bot, source in run.sources.items()]
    hashes = Table("sources", "Hashes of the bots' sources", sources, columns)
    many = f"The hashes of the bots' sources: arena standings {one_line(run.folder)} --json"
    is_long = len(sources) > MOST_DOTS
    text = settings_toml(run.config)
    repeat = "To play this run again, save these settings as run.toml and run:"
    texts = [] if text is None else [(repeat, "arena run run.toml"), ("run.toml", text)]
    return Section(
        "Settings", tables=[hashes] if sources and not is_long else (), notes=[many] if is_long else (), texts=texts
    )


# ---------------------------------------------------------------- settings as a file


def settings_toml(config: Mapping[str, Any]) -> str | None:
    """Return the TOML file that plays a run again; None for a league or a file of records, which have no settings.

    `config` is as stored with a run. Paths in it belong to the machine on which it was played.
    """
    if config.get("format") not in FORMATS:
        return None
    isolated = config.get("isolated", ())
    bots = [dict(bot) | ({"isolation": "process"} if bot["name"] in isolated else {}) for bot in config["bots"]]
    values = {key: value for key, value in config.items() if key not in ("bots", "isolated")}
    lines = [f"{key} = {_toml(value)}" for key, value in _known(values).items()]
    return "\n".join([*lines, "bots = [", *(f"  {_toml(bot)}," for bot in bots), "]"]) + "\n"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are set."""
    known = {key: _known(value) if isinstance(value, Mapping) else value for key, value in values.items()}
    return {key: value for key, value in known.items() if value is not None and value != {}}


def _toml(value: Any) -> str:
    """Return a value in TOML: as in JSON, except for tables."""
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{key if key.isidentifier() else json.dumps(key)} = {_toml(value)}" for key, value in _known(value).items()
        )
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
