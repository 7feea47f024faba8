"""The report of a check in words."""

from __future__ import annotations

import os
import textwrap

from tabulate import tabulate

from arena.bots.isolation.levels import Isolation
from arena.league.check.report import Answer, CheckReport, Finding, RulesReport
from arena.text import counted, printable

_WIDTH = 110
MARGIN = 8
"""Columns before the lines of a finding; in the first one the level stands there."""


def report_text(report: CheckReport) -> str:
    """The whole report, with a line end."""
    parts = [f"{report.spec}: {_verdict(report)}", _facts(report)]
    if report.rules:
        parts.append(_table(report))
    parts += [finding_text(one) for one in report.findings]
    if report.left_out:
        parts.append("Not checked:\n" + "\n".join(f"  {line}" for line in report.left_out))
    again = ", then replayed in other ways" * (report.repeats.yes is not None)
    played = f"{report.games:,} games{again}" if report.games else "no games"
    parts.append(f"{played}; {Isolation(report.isolation).where}, seed {report.seed}, {report.seconds:.1f} s.")
    return "\n\n".join(parts) + "\n"


def _verdict(report: CheckReport) -> str:
    notes = len(report.findings) - len(report.errors) - len(report.warnings)
    counts = ((len(report.errors), "error"), (len(report.warnings), "warning"), (notes, "note"))
    found = ", ".join(counted(count, word) for count, word in counts if count)
    if report.errors:
        return f"not ready to submit ({found})"
    wanted = sum(one.wanted for one in report.rules)
    if report.games < wanted / 2:  # whatever was not found may be in the others
        return f"only {report.games} of {wanted} games were looked at ({found or 'no findings'} in these)"
    return f"ready to submit ({found or 'no findings'})"


def _facts(report: CheckReport) -> str:
    lines = [("loads", _loading(report)), ("type", _nature(report))]
    if report.nature.parameters:
        lines.append(("takes", ", ".join(report.nature.parameters)))
    if report.loaded:
        lines += [
            ("legal", _legal(report)),
            ("repeats", _answer(report.repeats)),
            ("forgets", _answer(report.forgets)),
            ("tries", _attempts(report)),
            ("prints", f"{report.printed:,} characters" if report.printed else "nothing"),
        ]
    return "\n".join(_wrapped(f"{head:<8} ", text) for head, text in lines if text)


def _wrapped(head: str, text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _loading(report: CheckReport) -> str:
    if not report.loaded:
        return "no"
    if report.loading is None:
        return "yes"
    one = report.loading
    minimal = "" if one.minimal_ms is None else f" (a bot that does nothing: {one.minimal_ms:.0f} ms)"
    made = "" if report.nature.entry == "command" else f", and __init__ in {one.init_ms:.2g} ms"
    return f"yes, in {one.load_ms:.0f} ms{minimal}{made}"


def _nature(report: CheckReport) -> str:
    one = report.nature
    if not one.entry:
        return ""
    hooks = f" with {', '.join(one.hooks)}" if one.hooks else ""
    if one.auto_claim is None:
        return f"{one.entry}{hooks}"
    claims = "stones are claimed for it" if one.auto_claim else "claims stones itself"
    forced = "even if only one move is legal" if one.ask_forced else "only if there is a choice"
    return f"{one.entry}{hooks}; {claims}, asked {forced}"


def _legal(report: CheckReport) -> str:
    kinds: dict[str, int] = {}
    for one in report.rules:
        for kind, count in one.forfeits.items():
            kinds[kind] = kinds.get(kind, 0) + count
    if not kinds:
        return f"yes: no forfeit in {report.games:,} games"
    lost = ", ".join(f"{count} by {kind}" for kind, count in kinds.items())
    return f"no: of {report.games} games it forfeits {lost}"


def _answer(answer: Answer) -> str:
    return answer.text if answer.yes is None else f"{'yes' if answer.yes else 'no'}: {answer.text}"


def _attempts(report: CheckReport) -> str:
    if report.attempts is None:
        return "not checked (only Python bots in processes of their own can be listened to)"
    if not report.attempts:
        return "nothing that the sandbox forbids"
    return f"what the sandbox forbids, in {counted(report.attempts, 'place')}"


def _table(report: CheckReport) -> str:
    heads = ["rules", "games", "forfeits"]
    heads += ["ms: 50 %", "90 %", "99 %", "longest", "decisions/s", "games/s", "memory MB"]
    rows = [_row(one) for one in report.rules]
    scores = {score.opponent for one in report.rules for score in one.scores}
    for opponent in sorted(scores, reverse=True):
        heads.append(f"against {opponent}")
        for one, row in zip(report.rules, rows):
            found = [score for score in one.scores if score.opponent == opponent]
            row.append(f"{found[0].wins}-{found[0].draws}-{found[0].losses}" if found else "-")
    align = ["left"] + ["right"] * (len(heads) - 1)
    return tabulate(rows, heads, tablefmt="simple", disable_numparse=True, colalign=align)


def _row(one: RulesReport) -> list[str]:
    games = str(one.games) if one.games == one.wanted else f"{one.games} of {one.wanted}"
    row = [one.rules, games, str(sum(one.forfeits.values()))]
    if one.speed is None:
        row += ["-"] * 6
    else:
        times = (one.speed.p50_ms, one.speed.p90_ms, one.speed.p99_ms, one.speed.max_ms)
        row += [_figure(value, 100) for value in times]
        row += [_figure(value, 10) for value in (one.speed.decisions_s, one.speed.games_s)]
    return [*row, "-" if one.memory is None else f"{one.memory.peak_mb:.0f}"]


def _figure(value: float, whole_from: float) -> str:
    return f"{value:,.0f}" if value >= whole_from else f"{value:.2g}"


def finding_text(one: Finding) -> str:
    """A finding in some lines: level, location, sentence; details; what to do; how to see the game."""
    place = short_path(one.file) + (f":{one.line}" if one.line else "")
    head = f"{one.level.upper():<{MARGIN}}"
    margin = " " * MARGIN
    begins_with_code = one.text.partition(" ")[0] in ("__init__", "begin", "act", "observe", "end")
    sentence = one.text if place or begins_with_code else one.text[:1].upper() + one.text[1:]
    lines = [_wrapped(head, f"{place}: {sentence}." if place else f"{sentence}.")]
    lines += [f"{margin}  {line}" for line in one.details]
    if one.remedy:
        lines.append(_wrapped(f"{margin}-> ", one.remedy))
    if one.record:
        lines.append(f"{margin}Replay: arena replay '{one.record}'")
    if one.again:
        lines.append(f"{margin}Rerun:  {one.again}")
    return printable("\n".join(lines), keep="\n")


def short_path(path: str | None) -> str:
    """A path as short as it can be written here."""
    if path is None:
        return ""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if near.startswith("..") else near
