"""`arena replay` and `arena verify`: show stored games, and check them."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import ArenaError
from arena.text import first_line, indented

if TYPE_CHECKING:
    from arena.match.results import GameResult
    from arena.store.reader import Reader

LISTED = 20
SHOWN_FAULTS = 20
_REASON = 60


class ReplayError(ArenaError):
    """There is no such game, or it cannot be read."""


@click.command()
@click.argument("source")
@click.argument("game", required=False)
@click.option("--all", "whole", is_flag=True, help="Show the whole game at once, without waiting for Enter.")
@click.option("--color/--no-color", default=False, help="Show cards in their colours.")
@click.option("--record", "as_record", is_flag=True, help="Print only the game's record.")
def replay(source: str, game: str | None, whole: bool, color: bool, as_record: bool) -> None:
    """Show a game on a board, move by move.

    SOURCE is the folder of a run (or its name in results/), a file with one record per line, or a record
    itself. GAME is a game of the run, such as 0/12/1 (pairing/deal/game) or its number in the schedule
    from 1; for a file it is the line number. Without GAME the first games of a run are listed. A game lost
    by forfeit ends with the reason.
    """
    from arena.game.record import VERSION, parse_record

    names: tuple[str, str] = ("", "")
    reason = ""
    if source.lstrip().startswith(VERSION.split("/")[0] + "/"):
        text = source
    elif Path(source).is_file():
        text = _line(Path(source), game)
    else:
        from arena.report.read_run import run_folder
        from arena.store.reader import Reader

        with Reader(run_folder(source)) as reader:
            if game is None:
                click.echo(_listing(reader), nl=False)
                return
            result = _find(reader, game)
        text, reason = result.record, result.detail or ""
        starter = parse_record(text).deal.starter
        names = (result.first, result.second) if starter == 0 else (result.second, result.first)
    if as_record:
        click.echo(text)
        return
    _show(text, names, whole or not (sys.stdin.isatty() and sys.stdout.isatty()), color, reason)


def _show(text: str, names: tuple[str, str], whole: bool, color: bool, reason: str) -> None:
    from arena.game.record import parse_record
    from arena.report.board import legend, result_line, step_text, steps

    record = parse_record(text)
    click.echo(f"{legend(record.rules)}\n", color=color)
    for step in steps(record):
        click.echo(f"{step_text(step, len(record.moves), names, color)}\n", color=color)
        if not whole and step.number < len(record.moves):
            answer = click.prompt("Enter: next move, a: all, q: quit", default="", show_default=False)
            if answer.strip().lower().startswith("q"):
                return
            whole = answer.strip().lower().startswith("a")
    click.echo(result_line(record, names))
    if reason.strip():
        click.echo(f"  {indented(reason.rstrip())}")


def _line(path: Path, number: str | None) -> str:
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"cannot read {path}: {error}") from error
    if not lines:
        raise ReplayError(f"{path} is empty; expected one record per line")
    at = number or "1"
    if not at.isdecimal() or not 1 <= int(at) <= len(lines):
        raise ReplayError(f"{path} has no line {at}; it holds {len(lines)} records, numbered from 1")
    return lines[int(at) - 1]


def _find(reader: Reader, game: str) -> GameResult:
    from itertools import islice

    from arena.match.tasks import GameId

    if not game.isdecimal():
        try:
            return reader.result(GameId.parse(game))
        except ValueError as error:
            raise ReplayError(f"{error}, or a number from 1 to {reader.count()}") from error
    number = int(game)
    for pairing, deal, one, *_ in islice(reader.table(), max(number - 1, 0), max(number, 0)):
        return reader.result(GameId(pairing, deal, one))
    raise ReplayError(f"{reader.folder} has no game {number}; it holds {reader.count()}, numbered from 1")


def _listing(reader: Reader) -> str:
    from itertools import islice

    from arena.match.tasks import GameId
    from arena.store.reader import GAME_COLUMNS, reason_line

    count = reader.count()
    lines = [f"{reader.folder} holds {count} games. See one with: arena replay {reader.folder} GAME", ""]
    for values in islice(reader.table(), LISTED):
        row = dict(zip(GAME_COLUMNS, values))
        identity = GameId(row["pairing"], row["deal"], row["game"])
        score = {1.0: "1-0", 0.0: "0-1"}.get(row["score"], "½-½")
        ending = row["ending"]
        if row["forfeit"] is not None:
            reason = first_line(reason_line(reader.result(identity).detail), _REASON)
            ending = f"{row['forfeit_by']} forfeits: {row['forfeit']}" + (f" ({reason})" if reason else "")
        lines.append(
            f"{identity!s:>10}  {row['first']} - {row['second']}  {score}"
            f"  stones {row['stones_first']}-{row['stones_second']}, {ending}"
        )
    if count > LISTED:
        lines.append(
            f"       ...  and {count - LISTED} more (all with: arena export --games {reader.folder})"
        )
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- verify


@click.command()
@click.argument("folder")
def verify(folder: str) -> int:
    """Replay every game of the run in FOLDER and compare the result with the stored one.

    The exit code is 1 if any game differs.
    """
    from arena.report.read_run import run_folder
    from arena.store.reader import Reader

    faults: list[str] = []
    with Reader(run_folder(folder)) as reader:
        config = reader.config()
        rules, seed = config["rules"], config["seed"]
        count = reader.count()
        shown = click.progressbar(
            length=count, label="Replaying", file=sys.stderr, update_min_steps=max(count // 200, 1)
        )
        with shown if sys.stderr.isatty() else nullcontext() as bar:
            for result in reader.results():
                wrong = game_fault(result, rules, seed)
                if wrong is not None:
                    faults.append(f"game {result.id} ({result.first} - {result.second}): {wrong}")
                if bar is not None:
                    bar.update(1)
    if not faults:
        click.echo(f"{count} games replayed, all with their stored results.")
        return 0
    for line in faults[:SHOWN_FAULTS]:
        click.echo(line)
    if len(faults) > SHOWN_FAULTS:
        click.echo(f"... and {len(faults) - SHOWN_FAULTS} more")
    click.echo(f"{len(faults)} of {count} games do not replay to their stored results.", err=True)
    return 1


def game_fault(result: GameResult, rules: str, seed: int) -> str | None:
    """What is wrong with a stored game, or None: the record must agree with itself, the settings and the row."""
    from arena.game.record import deal_text, parse_record, verify
    from arena.game.rules import load_rules

    try:
        record = parse_record(result.record)
        state = verify(result.record)
    except ArenaError as error:
        return str(error)
    first = record.deal.starter
    stones = (state.stones_of(first), state.stones_of(1 - first))
    score = 0.5 if record.winner is None else float(record.winner == first)
    if result.forfeit is not None:
        ending = f"forfeit {result.forfeit}"
    else:
        ending = result.ending
    replayed = {
        "rules": (record.rules.canonical, load_rules(rules).canonical),
        "deal": (record.deal_text, deal_text(seed, result.id.deal)),
        "score": (score, result.score),
        "stones": (stones, result.stones),
        "turns": (state.turns, result.turns),
        "plies": (len(record.moves), result.plies),
        "ending": (record.result.split(" ", 2)[2], ending),
    }
    for name, (found, stored) in replayed.items():
        if found != stored:
            return f"{name}: {stored} is stored, the record gives {found}"
    return None
