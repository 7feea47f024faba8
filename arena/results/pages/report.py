"""Make a page of a run, comparison, league or file of records: all statistics, plots, and games to replay."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arena.errors import ArenaError, UnfitEngineError
from arena.game.record import RecordError
from arena.game.rules import shown_rules
from arena.results.pages.figures import (
    CARD_GAMES,
    LARGEST_SQUARE,
    card_frames,
    cards_plot,
    endings_plot,
    first_plot,
    forfeits_plot,
    heat,
    history_plot,
    length_plot,
    progress_plot,
    rates_plot,
    rating_plot,
    times_plot,
)
from arena.results.pages.game_data import game_data, sample
from arena.results.pages.plots import Plot, Square, svg
from arena.results.pages.render import render
from arena.results.run_data import ALL_GAMES, GameFilter, RunData, with_bots
from arena.results.run_standings import RunStandings, standings
from arena.results.run_stats import stats_report
from arena.results.sources import Source, StoredComparison
from arena.results.sprt_report import sprt_text
from arena.results.standings_report import standings_report
from arena.results.table import Column, Report, Rows, Table, percent, rating_text, table_of
from arena.results.variant_report import comparison, read_variants
from arena.results.words import heading as heading_of
from arena.text import first_line, one_line
from arena.tournament.formats import FORMATS

_GAMES = 20
"""Games to replay unless another number is asked for."""
_ERROR = 10.0
"""95% error in Elo for which the report says how many more pairs are needed."""
_MOST_REASONS = 200
MOST_LEADERS = 5
"""Bots in first place that are named."""
MOST_ROWS = 1000
"""Rows of a table that a page shows."""


NARROW = 5
"""The most bots whose ratings and crosstable fit side by side."""
_RATINGS = "Ratings with 95% intervals. An arrow: the interval has no end."
_HISTORY = "Ratings of the versions with 95% intervals, the oldest commit first."
_TIMES = "The dot is the median, the bar goes from the 10th to the 90th of 100 decisions. Times vary from run to run."


@dataclass
class Section:
    """A part of the page with a heading: plots with their captions, tables, sentences, and texts to copy.

    `closed` are tables that the reader opens, `square` is a crosstable; `half`: narrow enough to stand beside another.
    """

    id: str
    title: str
    plots: Sequence[tuple[Plot | None, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    texts: Sequence[tuple[str, str]] = ()
    closed: Sequence[Table] = ()
    square: Square | None = None
    half: bool = False

    @property
    def is_filled(self) -> bool:
        """Whether there is anything below the heading."""
        return bool(self.drawn or self.square or self.tables or self.notes or self.texts or self.closed)

    @property
    def drawn(self) -> list[tuple[str, Markup]]:
        """The plots, each with its caption."""
        return [(caption, svg(plot)) for plot, caption in self.plots if plot is not None]


@dataclass
class ReportPart:
    """One run, or the comparison of several.

    prefix    rule set of a run of a comparison, else ""; `folder`: the prefix of its games' names
    lead      the winner, whether that is shown, and what to do next, a sentence each
    facts     a word and a figure each
    """

    sections: list[Section]
    id: str = ""
    prefix: str = ""
    folder: str = ""
    lead: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()


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
    if isinstance(source, StoredComparison):
        if without or only:
            name = one_line(str(source.path))
            raise ArenaError(f"{name} is a comparison; --without and --only are for one run, such as {name}/base")
        title, parts, games, there = _comparison(source, count, wanted, prior)
        heading = title
    else:
        run = with_bots(source.data(), without, only)
        if run.selection:
            wanted = replace(wanted, field=frozenset(run.bots))
        title, heading, parts = heading_of(run), one_line(run.name), [_run(source, run, prior)]
        games, there = _games(source, run, count, wanted)
    sampled = f"All {there:,} games can be replayed here."
    if len(games) < there:
        sampled = (
            f"{len(games)} of {there:,} games can be replayed here: one example of each forfeit, then a spread across"
            f" the run. For others: arena replay {one_line(str(source.path))} GAME --open"
        )
    if games:
        before = next((i for i, section in enumerate(parts[0].sections) if section.id == "lengths"), 3)
        parts[0].sections.insert(before, Section("games", "Games", notes=[sampled]))
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


def _games(
    source: Source, run: RunData, count: int, wanted: GameFilter, before: str = ""
) -> tuple[list[dict[str, Any]], int]:
    if count < 1:
        return [], len(run.games)
    numbered, there = sample(source, run, wanted, count)
    games = []
    for number, game in numbered:
        with suppress(RecordError):  # a damaged record: `arena verify` reports it, and the figures are not affected
            try:
                games.append(game_data(game, before + number) | {"id": before + game.name})
            except UnfitEngineError as error:
                raise UnfitEngineError(f"{error}, or make the report with --replays 0, without games") from None
    return games, there


def _worth_watching(games: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the largest turning point of the games: where it is, the board there, and what happened in words."""
    best: tuple[float, Mapping[str, Any], int] | None = None
    for game in games:
        chances = [step["chance"] for step in game["steps"]]
        for move in range(1, len(chances) - 1):
            change = abs(chances[move] - chances[move - 1])
            if game["forfeit"] is None and (best is None or change > best[0]):
                best = (change, game, move)
    if best is None:
        return None
    _, game, move = best
    step = game["steps"][move]
    before, after = (
        one["chance"] if step["seat"] == 0 else 1 - one["chance"] for one in game["steps"][move - 1 : move + 1]
    )
    words = f"{game['names'][step['seat']]}: {step['said']}. Its chance to win goes from {before:.0%} to {after:.0%}."
    state: dict[str, Any] = {}
    for one in game["steps"][: move + 1]:
        state |= one["set"]
    known = {key: value for key, value in state.items() if value is not None}
    return {key: game[key] for key in ("id", "names", "edition")} | {"move": move, "state": known, "words": words}


def _comparison(
    source: StoredComparison, count: int, wanted: GameFilter, prior: float | None
) -> tuple[str, list[ReportPart], list[dict[str, Any]], int]:
    variants = source.parts()
    parts: list[ReportPart] = []
    games: list[dict[str, Any]] = []
    there = 0
    whole = _compared([variant.path for variant in variants.values()])
    if whole is not None:
        tables = _shown(whole)
        plots = [(rates_plot(whole), "Score of each bot in each variant, with 95% intervals.")]
        sections = [
            Section("variants", "Variants", plots, notes=whole.remarks, half=True),
            Section("figures", "Tables", closed=tables[1:], half=True),
            Section("scores", "Scores", tables=tables[:1]),
        ]
        parts.append(ReportPart(sections, lead=[*whole.said_above, *whole.answer]))
    for index, (rules, variant) in enumerate(variants.items()):
        run = variant.data()
        part = _run(variant, run, prior, is_variant=True)
        part.id, part.prefix, part.folder = f"v{index}-", rules, f"{variant.path.name}/"
        parts.append(part)
        share = count * (index + 1) // len(variants) - count * index // len(variants)
        more, held = _games(variant, run, share, wanted, part.folder)
        games += more
        there += held
    title = whole.heading if whole is not None else one_line(source.path.name)
    return title, parts, games, there


def _compared(folders: list[Path]) -> Report | None:
    """Return the report of `arena compare`, None if there is nothing to compare yet."""
    try:
        return comparison(read_variants(folders, CARD_GAMES))
    except ArenaError:
        return None


def _run(source: Source, run: RunData, prior: float | None, is_variant: bool = False) -> ReportPart:
    stats = stats_report(run, _ERROR, prior)
    statistics = {table.name: table for table in stats.tables}
    figures = standings(run, prior)
    shown = {table.name: table for table in _shown(stats)}

    def taken(*names: str) -> list[Table]:
        """Take tables that stand beside their plot out of the others."""
        return [shown.pop(name) for name in names if name in shown]

    order = [row["bot"] for row in figures.rows]
    gaps = statistics["los"].rows if "los" in statistics else ()
    chances = [gap["los"] for gap in gaps if [gap["bot"], gap["opponent"]] == order[:2]]
    main = standings_report(figures, is_variant, *chances)
    verdict, test = _sprt(run)
    first = "Score as the first player minus score as the second, with 95% intervals from the deals that both share."
    caption = "Ratings from the first games, in the order of their deals; bands are 95% errors."
    progress = Section("progress", "Ratings over games", [(progress_plot(run, prior), caption)], half=True)
    is_narrow = len(order) <= NARROW  # then the crosstable fits beside the ratings
    sections = [
        Section(
            "standings",
            "Standings",
            tables=[filled_columns(main.tables[0])],
            notes=main.remarks,
        ),
        *test,
        *_rounds(main),
        Section("ratings", "Ratings", [(rating_plot(figures), _RATINGS)], half=True),
        Section("history", "By commit", [(history_plot(figures), _HISTORY)], half=True),
        *([] if is_narrow else [progress]),
        _matrix(run, order, gaps, taken("pairings", "los")),
        Section(
            "lengths",
            "Length of games",
            [(length_plot(statistics["length_histogram"].frame()), "How many games took how many turns.")],
            closed=taken("length"),
            half=True,
        ),
        Section(
            "first", "First player", [(first_plot(run.games, order), first)], closed=taken("first_player"), half=True
        ),
        Section(
            "endings",
            "How games end",
            [(endings_plot(run.games, order), "All games, and those that each bot won.")],
            closed=taken("endings", "endings_by_bot"),
            half=True,
        ),
        _forfeits(run, order, taken("terminations", "forfeits_by_opponent")),
        *([progress] if is_narrow else []),
        Section("times", "Thinking time", [(times_plot(run), _TIMES)], closed=taken("time"), half=True),
        *(() if run.selection else _cards(source, run)),
        Section("statistics", "All statistics", closed=list(shown.values())),
        *_settings(run),
    ]
    sections = [section for section in sections if section.is_filled]
    return ReportPart(
        sections,
        lead=[
            *verdict,
            *main.said_above,
            _lead(figures),
            *main.answer,
            *filter(None, [main.next]),
        ],
        facts=_facts(run, figures),
    )


def _lead(standings: RunStandings) -> str:
    """Say which bot came first."""
    best = [row for row in standings.rows if row["rank"] == 1]
    so_far = standings.run.planned is not None and not standings.run.complete
    bots = ", ".join(one_line(row["bot"], 60) for row in best[:MOST_LEADERS])
    line = f"{'So far first' if so_far else 'First'} of {len(standings.rows)}: {bots}"
    if len(best) > 1:
        return f"{line}."
    (row,) = best
    rating = "" if math.isnan(row["elo"]) else f", {rating_text(row['elo'], row['elo_plus'], row['elo_minus'])} Elo"
    return f"{line}{rating}, {percent(row['score'])}% of the points in {row['games']:,} games."


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
        ("first player scores", f"{percent(standings.first_player['score'])}%"),
        ("forfeits", f"{standings.faults:,}"),
    ]
    return [(word, one_line(text, 60)) for word, text in facts if text != "-"]


def _rounds(report: Report) -> Iterator[Section]:
    """Yield rounds and brackets; the crosstable is shown as a heat map."""
    for table in report.tables[1:]:
        if table.columns and table.name != "crosstable":
            yield Section(table.name, table.title, tables=[replace(filled_columns(table), title="")])


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


def _sprt(run: RunData) -> tuple[list[str], list[Section]]:
    """Return the state of a sequential test as `arena sprt` prints it: the verdict, and a section with the rest."""
    if (test := run.test) is None:
        return [], []
    verdict, _, rest = sprt_text(test, *map(one_line, run.bots)).partition("\n")
    return [verdict], [Section("sprt", "Sequential test", texts=[(verdict, rest)])]


def _matrix(run: RunData, order: Sequence[str], gaps: Rows, closed: Sequence[Table]) -> Section:
    square = heat(run.games, order, gaps)
    if square is None:
        note = "There are too many bots for a square; see the table of bots and opponents below."
        return Section("crosstable", "Crosstable", notes=[note], closed=closed)
    notes = ["Score in % of the row's bot against the column's, blue above 50%, orange below."]
    if len(order) <= LARGEST_SQUARE:
        notes[0] += " Point at a field for its 95% interval, clustered by deal, and the difference in Elo."
    return Section("crosstable", "Crosstable", notes=notes, closed=closed, square=square, half=len(order) <= NARROW)


def _cards(source: Source, run: RunData) -> Iterator[Section]:
    effects, notes = card_frames(source, run)
    if effects is not None:
        table = table_of("cards", "", effects)
        score = "Score of the sides that played the card."
        caution = "A card that only a winning side gets to play is a sign of the win, not its cause."
        yield Section(
            "cards",
            "Tactic cards",
            [(cards_plot(effects), f"{score} {caution}")],
            notes=notes,
            closed=[table],
            half=True,
        )


def _forfeits(run: RunData, order: Sequence[str], closed: Sequence[Table]) -> Section:
    """Return the forfeits of each bot and kind, with the most frequent reason."""
    plots = [(forfeits_plot(run.games, order), "Games that each bot forfeited, by kind.")]
    if not run.forfeits:
        return Section("forfeits", "Forfeits")
    columns = (
        Column("bot", "text"),
        Column("kind", "text"),
        Column("games"),
        Column("reason", "text", cell=lambda row: first_line(row["reason"], 300)),
        Column("example", "text", cell=lambda row: str(row["game"])),
    )
    reasons = Table("reasons", "", [line._asdict() for line in run.forfeits[:_MOST_REASONS]], columns)
    return Section("forfeits", "Forfeits", plots, tables=[reasons], closed=closed, half=True)


def _settings(run: RunData) -> Iterator[Section]:
    """Yield the settings of a run; a league and a file of records have none."""
    columns = (Column("bot", "text"), Column("hash", "text"))
    sources = [{"bot": bot, "hash": source} for bot, source in run.sources.items()]
    hashes = Table("sources", "Hashes of the bots' sources", sources, columns)
    tables = [hashes] if run.sources else []
    text = settings_toml(run.config)
    repeat = "To play this run again, save these settings as run.toml and run:"
    texts = [] if text is None else [(repeat, "arena run run.toml"), ("run.toml", text)]
    if tables or texts:
        yield Section("settings", "Settings", tables=tables, texts=texts)


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
