"""Make the standings of a run a report, and the files of its folder.

Every figure has a fixed number of digits, so equal games give equal text. What a clock measured (ms per decision) is in
the terminal's table and in timing.csv only; the reasons of forfeits, which may hold times, are never written to files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from arena.results.run_data import RunData
from arena.results.run_standings import (
    CROSS_COLUMNS,
    FORFEIT_COLUMNS,
    LARGE_FIELD,
    STANDING_COLUMNS,
    RunStandings,
    is_large,
)
from arena.results.table import (
    ALWAYS,
    COLUMNS,
    MEASURED,
    RATING,
    TALLY,
    WIDE,
    Column,
    Report,
    Rows,
    Table,
    TableRow,
    columns_of,
    json_text,
    likelihood,
    ms_text,
    number,
    percent,
    report_values,
    rows_of,
    table_csv,
    tally_text,
)
from arena.results.words import (
    MOST_ADVANTAGE_ERROR,
    advantage_text,
    findings,
    heading,
    next_command,
    ratings_line,
    remarks,
    unit_of,
    verdict_text,
)
from arena.stats.adjusted import AdjustedMeeting
from arena.stats.pairs import CELLS, elo_of_score, fishtest
from arena.stats.ratings import Ratings
from arena.stats.sprt import SprtResult, stopped_estimate
from arena.text import counted, first_line, one_line, spreadsheet_cell, utc_iso
from arena.tournament.forfeits import ForfeitSummary
from arena.tournament.formats.schedule import Meeting
from arena.tournament.store.columns import GAME_COLUMNS
from arena.whole_file import write_whole

MOST_ROUND_LINES = 64
"""A longer table of rounds is cut to the last ones."""
SHOWN_LINES = 50
LONGEST_SUBJECT = 40
WIDEST_SQUARE = 20
"""A crosstable of more bots is shown only with --print wide."""
STANDINGS, CROSSTABLE, SUMMARY = "standings.csv", "crosstable.csv", "summary.json"
TIMING, _GAMES = "timing.csv", "games.csv"
_ROWS_AT_ONCE = 50_000
_ESTIMATE = ("elo", "elo_error95", "elo_low", "elo_high", "flag", "normalized_elo", "score")
_LUCK_NOTE = (
    "Luck is what draws gave beyond the mean of all cards that could have been drawn, as the net values them. Its mean"
    " is 0, so scores stay unbiased; its weights are fitted on other deals. Worth: how many deals as counted one"
    " adjusted deal is worth, both errors by Student's t; below 1.05, and with fewer than 50 deals, scores stay as"
    " counted."
)


def standings_report(standings: RunStandings, is_variant: bool = False, los: bool = False) -> Report:
    """Return who leads, the table, the crosstable of three bots or more, remarks, and who forfeited.

    A variant of a comparison is not advised to grow alone. `los`: with the chance that each bot is stronger than each.
    """
    run = standings.run
    times = {time.bot: time.measures()["mean_ms"] for time in run.columns.thinking}
    tables = cut([standings_table(standings.rows, run.tiebreaks, times)], run)
    if (since := run.config.get("change_since_event")) is not None:
        relative = "" if run.anchors else ", relative to the field"
        tables[0] = replace(tables[0], note=f"Change: Elo since event {since} of the history{relative}.")
    if 3 <= len(standings.rows) <= LARGE_FIELD and standings.met:
        tables.append(_crosstable(standings))
    if los and standings.ratings is not None:
        tables.append(_los_table(standings.ratings))
    if standings.adjusted is not None:
        tables.append(_adjusted_table(standings.adjusted))
    tables += round_tables(standings.run)
    tables += crosstables(standings)
    tables += _figures(standings)
    about = {"mean_turns": round(standings.mean_turns, 3), "prior": standings.prior, "anchors": dict(run.anchors)}
    report = run_report(run, tables, remarks(standings), **about)
    return replace(report, answer=findings(standings), next=next_command(standings, is_variant))


def public_json(standings: RunStandings) -> str:
    """Return JSON without the reasons of forfeits: texts of bots, which may hold times and addresses."""
    counts = ForfeitSummary([line._replace(reason="") for line in standings.run.forfeits], {})
    return json_text(report_values(replace(standings_report(standings), forfeits={"": counts})))


def cut(tables: list[Table], run: RunData) -> list[Table]:
    """Limit the lines of a large field's tables on a terminal."""
    return [replace(table, lines=SHOWN_LINES) for table in tables] if len(run.bots) > LARGE_FIELD else tables


def list_report(name: str, heading: str, ratings: Ratings, los: bool) -> Report:
    """Return the standings of a list of games, of which only the results are known."""
    elo, error = ratings.shown_advantage()
    lines = [ratings_line(ratings, ratings.anchors, ratings.advice)]
    if error < MOST_ADVANTAGE_ERROR:
        lines.insert(0, f"The first player has an advantage of {advantage_text(elo, error)}.")
    first = Table("first_player", "", [{"elo": elo, "elo_error95": error}], files=("elo", "elo_error95"))
    about = {"name": name, "prior": ratings.prior, "anchors": dict(ratings.anchors)}
    tables = [standings_table(rows_of(ratings.frame())), *([_los_table(ratings)] if los else ()), first]
    return Report(heading, tables, lines, about)


# ---------------------------------------------------------------- what it is about, and figures of one row


def run_report(run: RunData, tables: Sequence[Table], remarks: Sequence[str] = (), **about: Any) -> Report:
    """Return a report of a run: with what it is about, who was left out, and who forfeited."""
    left_out = [f"Left out: {one_line(bot)}, {reason}." for bot, reason in run.left_out.items()]
    return Report(
        heading(run), tables, [*remarks, *left_out], about_run(run) | about, forfeits={"": run.forfeit_summary}
    )


def about_run(run: RunData) -> dict[str, Any]:
    """Return what determines the games of a run, and their number."""
    config = dict(run.config)
    bots = [dict(bot) | {"source": run.sources.get(bot["name"])} for bot in config.pop("bots")]
    if "games" in config:
        config["games_per_pairing"] = config.pop("games")
    return {
        "name": run.name,
        **config,
        "bots": bots,
        "games_played": len(run.columns),
        "games_planned": run.planned,
        "complete": run.complete,
        "selection": run.selection,
        "left_out": dict(run.left_out),
    }


def _figures(standings: RunStandings) -> list[Table]:
    """Return tables of a row or a few that only files hold."""
    first, (elo, error) = standings.first_player, standings.first_advantage
    begun = {"games": len(standings.run.columns), "score": first.mean, "score_low": first.low, "score_high": first.high}
    begun |= {"elo": elo, "elo_error95": error}
    endings = [{"ending": ending, "games": games} for ending, games in standings.endings.items()]
    tables = [Table("first_player", "", [begun], files=(*begun,))]
    tables.append(Table("endings", "", endings, files=("ending", "games")))
    if (head := standings.head_to_head) is not None:
        names = ("unit", "units", "games", "score", "flag", "elo", "elo_error95", "elo_low", "elo_high")
        row: dict[str, Any] = {"bot": standings.run.bots[0], "opponent": standings.run.bots[1]}
        row |= {name: getattr(head, name) for name in (*names, "normalized_elo")}
        row |= {"los": math.nan if standings.run.test is not None else head.los}
        row |= dict(zip(CELLS[len(head.counts)][1], head.counts))
        tables.append(Table("head_to_head", "", [row], files=(*row,)))
    if standings.run.test is not None:
        tables.append(sprt_table(standings.run.test, standings.run.bots[0]))
    return tables


# ---------------------------------------------------------------- tables


def standings_table(rows: Rows, tiebreaks: Iterable[str] = (), times: Mapping[str, float] | None = None) -> Table:
    """Return the table of a run or a league, or of games with fewer figures; `times` are mean ms per decision."""
    first = rows[0] if rows else {}
    forfeits = Column("forfeits", cell=forfeit_text)
    turns = Column("turns", cell=lambda row: number(row["mean_turns"], 1, "-"), where=WIDE)
    columns = columns_of(["rank", "bot"])
    if "commit" in first:
        columns.append(
            Column("commit", "text", cell=lambda row: row["commit"][:7] or ("changed" if row["named"] else ""))
        )
        columns.append(Column("subject", "text", cell=lambda row: first_line(row["subject"], LONGEST_SUBJECT)))
    if any(row.get("author") for row in rows):
        columns.append(COLUMNS["author"])
    if "format_points" in first:
        columns += [_plain(name) for name in ("format_points", *tiebreaks)]
    columns += RATING
    if "elo_change" in first:
        columns.append(Column("change", cell=change_text))
    columns += [COLUMNS["games"], TALLY, COLUMNS["score"]]
    if any(row.get("group") for row in rows):
        columns.append(COLUMNS["group"])
    if "forfeits" in first:
        columns += [replace(column, where=WIDE) for column in columns_of(["score_first", "points", "stones"])]
        columns += [turns, forfeits]
    if "end_faults" in first:
        columns.append(COLUMNS["end_faults"])
    if times:
        columns.append(Column("ms/move", cell=lambda row: ms_text(times.get(row["bot"], math.nan)), where=MEASURED))
    if any(row.get("remark") for row in rows):
        columns.append(COLUMNS["remark"])
    return Table("standings", "", rows, columns if rows else (), (*first,) or STANDING_COLUMNS)


def change_text(row: TableRow) -> str:
    """Say how much Elo and how many places a bot of a league has moved since the table before."""
    if row["new"]:
        return "new"
    text = "" if row["elo_change"] is None else f"{row['elo_change']:+z.0f}"
    places = row["rank_change"] or 0
    if places:
        text += f" ({'up' if places > 0 else 'down'} {abs(places)})"
    return text.strip() or "-"


def _plain(name: str) -> Column:
    """Return a column of points without needless digits; a terminal shows tie-breaks only with --print wide."""
    where = ALWAYS if name == "format_points" else WIDE
    return replace(columns_of([name])[0], cell=lambda row: f"{row[name]:g}", where=where)


def crosstables(standings: RunStandings) -> list[Table]:
    """Return the crosstable of files, a row for every two bots that met; none if it was left out."""
    met = standings.met
    return [] if met is None else [Table("crosstable", "", met, files=CROSS_COLUMNS)]


def _square(name: str, head: str, rows: Rows, text: Callable[[TableRow, str], str]) -> Table:
    """Return a table with a row and a column for each bot, and the text for the two; `head` stands above the names.

    A narrow terminal shows the columns of the first bots, so it has all that the table says about these.
    """

    def against(opponent: str, rank: int) -> Column:
        return Column(str(rank), cell=lambda row: "·" if row["bot"] == opponent else text(row, opponent))

    columns = [Column("", key="rank"), Column(head, "text", "bot")]
    columns += [against(row["bot"], row["rank"]) for row in rows]
    if len(rows) > WIDEST_SQUARE:
        columns = [replace(column, where=WIDE) for column in columns]
    return Table(name, "", rows, columns)


def _crosstable(standings: RunStandings) -> Table:
    """Return the crosstable as a square: score in % of the bot of the row against the bot of the column."""
    rows = [{"rank": rank, "bot": row["bot"]} for rank, row in enumerate(standings.rows, start=1)]
    score = {(row["bot"], row["opponent"]): row["score"] for row in standings.met or ()}
    return _square(
        "crosstable", "score% against", rows, lambda row, opponent: percent(score.get((row["bot"], opponent), math.nan))
    )


def _los_table(ratings: Ratings) -> Table:
    """Return how likely the bot of the row is stronger than the bot of the column."""
    likely = ratings.los().to_numpy().tolist()
    rows = [
        {"rank": rank, "bot": bot} | dict(zip(ratings.bots, chances))
        for rank, (bot, chances) in enumerate(zip(ratings.bots, likely), start=1)
    ]
    table = _square("los", "stronger than", rows, lambda row, opponent: likelihood(row[opponent]))
    title = "Likelihood that the bot of the row is stronger than the bot of the column, %"
    return replace(table, title=title, files=("bot", *ratings.bots))


def _adjusted_table(meetings: Sequence[AdjustedMeeting]) -> Table:
    """Return the effect of taking luck out, a row for each two bots."""
    rows = [asdict(met) | {"adjusted_elo": elo_of_score(met.adjusted_score)} for met in meetings]
    shown = ["bot", "opponent", "deals", "score", "error95", "adjusted_score", "adjusted_error95", "worth"]
    title = "Score with luck taken out, and its 95% error"
    return Table("adjusted", title, rows, columns_of(shown), list(rows[0]), note=_LUCK_NOTE)


def forfeit_text(row: TableRow) -> str:
    """Return the number of forfeits of each kind.

    >>> forfeit_text({"illegal_move": 3, "exception": 0, "timeout": 1, "crash": 0, "protocol": 0})
    '3 illegal move, 1 timeout'
    """
    kinds = [f"{row[column]} {kind}" for kind, column in FORFEIT_COLUMNS.items() if row[column]]
    return ", ".join(kinds) or "-"


def sprt_table(result: SprtResult, bot: str) -> Table:
    """Return the state of a test as a row for files; no estimate before the first pair, no `los` after the stop.

    `fishtest` has the figures as other programs show them, a normal approximation.
    """
    test, estimate, unbiased = result.test, result.estimate, stopped_estimate(result)
    unit = unit_of(result)
    row: dict[str, Any] = {
        "verdict": result.verdict,
        "meaning": verdict_text(result, bot),
        "llr": result.llr,
        **{name: getattr(test, name) for name in ("lower", "upper", "model", "elo0", "elo1", "alpha", "beta")},
        "unit": unit,
        "units": result.units,
        "games": result.units * (2 if unit == "pairs" else 1),
        **{name: None if estimate is None else getattr(estimate, name) for name in _ESTIMATE},
        "los": None if estimate is None or unbiased is not None else estimate.los,
        "unbiased": None if unbiased is None else vars(unbiased),
        "fishtest": None if estimate is None else vars(fishtest(result.counts)),
        "luck": None if result.luck is None else vars(result.luck),
        "remark": result.remark,
    }
    return Table("test", "", [row], files=(*row,))


# ---------------------------------------------------------------- rounds


def round_tables(run: RunData) -> list[Table]:
    """Return what is shown of rounds, of a knockout its bracket, and the table of all meetings that files hold."""
    if not run.rounds:
        return []
    rows = [
        {
            "round": meeting.round + 1,
            "bot": meeting.a,
            "opponent": meeting.b,
            "games": meeting.score.games,
            "wins": meeting.score.wins,
            "draws": meeting.score.draws,
            "losses": meeting.score.losses,
            "points": meeting.score.points_a,
            "points_against": meeting.score.points_b,
            "winner": meeting.winner,
            "decided_by": meeting.decided_by or None,
        }
        for meetings in run.rounds
        for meeting in meetings
    ]
    files = Table("rounds", "", rows, files=[*rows[0]])
    if run.config["format"] == "knockout":
        return [_bracket(run.rounds), files]
    shown = len(run.rounds)
    while shown > 1 and sum(map(len, run.rounds[-shown:])) > MOST_ROUND_LINES:
        shown -= 1
    columns = (
        Column("round"),
        Column("bot", "text"),
        Column("opponent", "text"),
        Column("W-D-L", cell=lambda row: "-" if row["decided_by"] in ("bye", "walkover") else tally_text(row)),
        Column("result", "text", cell=_outcome),
    )
    left = len(run.rounds) - shown
    note = f"{counted(left, 'earlier round')} not shown; --json has them." if left else ""
    lines = rows[sum(map(len, run.rounds[:left])) :]
    return [Table("rounds", "Rounds", lines, columns, note=note), files]


def _outcome(meeting: TableRow) -> str:
    way = meeting["decided_by"]
    if way in (None, "bye"):
        return way or "open"
    ways = {"match points": " on match points", "seed": " by seed", "walkover": " by walkover"}
    return f"{meeting['winner']} won{ways.get(way, '')}" if meeting["winner"] else "drawn"


def _bracket(rounds: Sequence[Sequence[Meeting]]) -> Table:
    """Draw the tree from left to right: two lines that meet belong to one meeting, whose winner stands between them."""
    seen = [meetings for meetings in rounds if 4 * len(meetings) <= MOST_ROUND_LINES or meetings is rounds[-1]]
    grid = [[""] * (len(seen) + 1) for _ in range(4 * len(seen[0]) - 1)]
    for column, meetings in enumerate(seen):
        step = 2 ** (column + 1)  # lines from one bot of this round to the next
        for index, meeting in enumerate(meetings):
            top = step // 2 - 1 + 2 * index * step
            for line, text in zip((top, top + step), _entries(meeting)):
                grid[line][column] += text
            for line in range(top, top + step + 1):
                grid[line][column + 1] = "│"
            grid[top][column + 1], grid[top + step][column + 1], grid[top + step // 2][column + 1] = "┐", "┘", "├ "
    grid[len(grid) // 2][-1] += seen[-1][0].winner or "?"
    left = len(rounds) - len(seen)
    heads = [*(f"round {number + 1}" for number in range(left, len(rounds))), "winner"]
    note = f"{counted(left, 'earlier round')} not shown; --json has them." if left else ""
    return Table(
        "bracket",
        "Bracket",
        [dict(zip(heads, line)) for line in grid],
        [Column(head, "text") for head in heads],
        note=note,
    )


def _entries(meeting: Meeting) -> list[str]:
    """Return both bots of a meeting with the games that each won."""
    if meeting.decided_by == "bye":
        return [f"{meeting.a}", "(bye)"]
    ways = {"match points": " on match points", "seed": " by seed", "walkover": " by walkover"}
    score, way = meeting.score, ways.get(meeting.decided_by, "")
    texts = []
    for bot, won in ((meeting.a, score.wins), (meeting.b, score.losses)):
        games = f" {won}{way if bot == meeting.winner else ''}" if bot is not None and score.games else ""
        texts.append(f"{'?' if bot is None else bot}{games}")
    return texts


# ---------------------------------------------------------------- files


def write_run_files(standings: RunStandings, folder: Path | str, games: bool = False) -> list[Path]:
    """Write the files of a run into `folder`; games.csv only if `games`. Returns the paths.

    Raises ExportError if the disk refuses.
    """
    folder = Path(folder)
    texts: dict[str, Iterable[str]] = {f"{table.name}.csv": [table_csv(table)] for table in _run_tables(standings)}
    brief = replace(standings, met=()) if is_large(standings.run) else standings  # its crosstable is in CSV alone
    texts[SUMMARY] = [public_json(brief)]
    texts[TIMING] = [_timing_text(standings)]
    if games:
        texts[_GAMES] = _games_text(standings.run)
    return [write_whole(folder / name, parts, follow=False) for name, parts in texts.items()]


def _run_tables(standings: RunStandings) -> list[Table]:
    return [standings_table(standings.rows), *crosstables(standings)]


def workbook_tables(standings: RunStandings) -> list[Table]:
    """Return the tables of a run for a workbook: standings, crosstable and games, without what a clock measured."""
    games = standings.run.games.filter(list(GAME_COLUMNS))
    names = [*map(str, games.columns)]
    rows = [dict(zip(names, values)) for values in games.itertuples(index=False)]
    return [*_run_tables(standings), Table("games", "", rows, files=names)]


def _timing_text(standings: RunStandings) -> str:
    """Return what a clock measured, one value per row: subject (bot or session), name, measure, value.

    Times are milliseconds per decision unless the name says otherwise; dates are UTC.
    """
    rows: list[tuple[object, ...]] = []
    run = standings.run
    for time in run.columns.thinking:
        rows.append(("bot", time.bot, "decisions", time.decisions))
        rows += [("bot", time.bot, measure, number(ms, 6)) for measure, ms in time.measures().items()]
    for session_number, session in enumerate(run.sessions, start=1):
        seconds = session.ended - session.started
        values = {
            "started": utc_iso(session.started),
            "ended": utc_iso(session.ended),
            "seconds": number(seconds, 3),
            "games": session.games,
            "games_per_second": number(session.games / seconds if seconds > 0 else 0.0, 1),
        }
        values |= {str(key): str(value) for key, value in sorted(session.info.items())}
        rows += [("session", session_number, measure, value) for measure, value in values.items()]
    heads = ("subject", "name", "measure", "value")
    return table_csv(Table("timing", "", [dict(zip(heads, row)) for row in rows], files=heads))


def _games_text(run: RunData) -> Iterable[str]:
    import pandas as pd  # slow to load

    games = run.games.filter(list(GAME_COLUMNS))
    for start in range(0, max(len(games), 1), _ROWS_AT_ONCE):
        part = games.iloc[start : start + _ROWS_AT_ONCE].copy()
        for column in part.columns:  # names repeat: each is looked at once
            if not pd.api.types.is_numeric_dtype(part[column].dtype):
                safe = {name: spreadsheet_cell(name) for name in part[column].unique()}
                if any(name is not cell for name, cell in safe.items()):
                    part[column] = part[column].map(safe)
        yield part.to_csv(index=False, header=start == 0, lineterminator="\n", float_format="%g")
