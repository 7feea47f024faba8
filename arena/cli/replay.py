"""Stored games: `arena replay` lists and shows them, `judge` judges moves, `debug` asks a bot again."""

from __future__ import annotations

from bdb import BdbQuit
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns

import click

from arena.bots.bot import Actor, Setup, hook_of
from arena.bots.faults import author_traceback, show_value
from arena.bots.loading import LoadedBot, load_bot
from arena.bots.spec import find_bot
from arena.cli.printing import given_options, print_report, refuse_options, write_page
from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.moves import Move
from arena.game.record import Record, parse_record
from arena.game.rng import Rng, derive_seeds
from arena.results.judge import GameAnalysis, analyse, game_report
from arena.results.pages.game_data import replay_page
from arena.results.positions import decisions, moves_report, shown_names
from arena.results.run_data import GameFilter
from arena.results.sources import find_source, holds_one_game, listed_report, named_game, read_game
from arena.terminal.drawing import Scene, console_for, draw_board, print_game
from arena.terminal.input import DecisionInput
from arena.text import indented, one_line
from arena.tournament.forfeits import reason_line
from arena.tournament.games import GameResult
from arena.tournament.process_state import seed_generators


def replay_command(
    source: str,
    game: str | None,
    wanted: GameFilter,
    limit: int,
    record: bool,
    as_json: bool,
    out: Path | None,
    opened: bool,
) -> None:
    """Run `arena replay`."""
    forms = given_options("record", "as_json", "opened" if out is None else "out")
    if len(forms) > 1:
        raise click.UsageError(f"{' and '.join(forms)} were given together; choose one")
    if game is None and not holds_one_game(source):
        refuse_options("is for one game; name it, such as 1", "out", "opened")
        _list(source, wanted, limit, record, as_json)
        return
    refuse_options("is for a list of games; leave out GAME", "limit")
    found = read_game(source, game, wanted)
    if record:
        click.echo(found.record)
    elif as_json:
        print_report(moves_report(found), "json")
    elif out is not None or opened:
        _write_page(found, game, out, opened)
    else:
        print_game(found)


def _list(source: str, wanted: GameFilter, limit: int, record: bool, as_json: bool) -> None:
    found = find_source(source)
    if record:
        refuse_options("does not go with --record, which prints all", "limit")
        with found.games() as games:
            for chosen in games.chosen(wanted):
                click.echo(chosen.record)
    else:
        print_report(listed_report(found, wanted, limit), "json" if as_json else "table")


def judge_command(source: str, game: str | None, nodes: int, out: Path | None, opened: bool, form: str) -> None:
    """Run `arena judge`."""
    page = out is not None or opened
    if page:
        refuse_options("does not go with a page, which shows every decision", "form")
    judged = analyse(found := named_game(source, game), nodes)
    if page:
        _write_page(found, game, out, opened, judged)
    else:
        print_report(game_report(found, judged, form != "table"), form)


def _write_page(
    found: GameResult, game: str | None, out: Path | None, opened: bool, judged: GameAnalysis | None = None
) -> None:
    key = game or "1"
    write_page(replay_page(found, key, judged), out or Path(f"game-{key.replace('/', '-')}.html"), opened)


# ---------------------------------------------------------------- arena debug

_HEAD = " move   phase  then            now                    ms  of moves"


def debug_command(bot: str, source: str, game: str | None, player: str | None, move: int | None) -> None:
    """Run `arena debug`."""
    stored = named_game(source, game)
    spec = find_bot(bot)
    seat = seat_of(stored, player or spec.name)
    loaded = load_bot(spec, capture=False)
    record = parse_record(stored.record)
    seeds = _seeds(stored, record)
    actor = _begun(loaded, record, seat, seeds)
    observe, rng, told = hook_of(actor, "observe"), Rng(seeds[seat]), 0
    if move is None:
        click.echo(_HEAD)
    numbers, differing = [], 0
    for question in questions_for(stored, seat, bool(getattr(actor, "ask_forced", False))):
        events = question.state.events(seat, told)
        told += len(events)
        try:
            for event in events:
                if observe is not None:
                    observe(event)
        except Exception as error:
            raise ArenaError(f"the bot fails in observe:\n{author_traceback(error)}") from None
        if question.number == move:
            _show_question(question, shown_names(stored))
        now, fault, ms = _asked(actor, question, rng)
        if move is None:
            click.echo(_line(question, now, fault, ms))
        elif question.number == move:
            click.echo(f"{'-' * 55}\n{_HEAD}\n{_line(question, now, fault, ms)}")
            if fault:
                click.echo(f"\n  {indented(fault)}")
            return
        numbers.append(question.number)
        differing += now is not question.then
    if move is not None:
        near = min(numbers, key=lambda number: abs(number - move), default=0)
        raise ArenaError(f"{one_line(spec.name)} made no decision at move {move} of this game; the nearest is {near}")
    click.echo(f"\n{len(numbers)} decisions; {differing} differ from the game. Look at one with --move N.")


@dataclass(frozen=True)
class Question:
    """A decision of a stored game.

    number   of the move in the game, from 1; one more than the last if the bot forfeited then
    state    the position before it
    then     the move that was made, None if the game ended there
    """

    number: int
    state: State
    then: Move | None


def seat_of(game: GameResult, player: str) -> int:
    """Return the seat of a player, given by name or as `a` or `b`. Raises ArenaError if it did not play."""
    for names in (game.seats, ("a", "b")):
        if player in names:
            return names.index(player)
    played = " or ".join(map(one_line, game.seats))
    raise ArenaError(f"'{player}' did not play this game; name the player to replace with --as: {played}")


def questions_for(game: GameResult, seat: int, forced: bool) -> list[Question]:
    """Return the decisions of a seat and the one at which it forfeited; those without a choice only if `forced`."""
    record = parse_record(game.record)
    made = decisions(game)
    questions = [
        Question(decision.number, decision.before, decision.move)
        for decision in made
        if decision.seat == seat and (len(decision.legal) > 1 or forced)
    ]
    ended = record.result.split(" ")[0] == "ba"[seat] and (record.is_forfeit or record.result.startswith("*"))
    if made and ended:
        state = made[-1].after
        if not state.is_over and state.to_move == seat:
            questions.append(Question(len(made) + 1, state, None))
    return questions


def _begun(loaded: LoadedBot, record: Record, seat: int, seeds: tuple[int, ...]) -> Actor:
    """Return a bot that has begun the game in a seat. It prints where this process prints; ArenaError if it fails."""
    if loaded.uses_random or loaded.uses_numpy:
        seed_generators(seeds[2], loaded.uses_numpy)
    try:
        bot = loaded.make()
        begin = hook_of(bot, "begin")
        if begin is not None:
            begin(Setup(seat, record.deal.starter, record.rules, seeds[seat], None))
    except Exception as error:
        raise ArenaError(f"{loaded.name} fails before the game:\n{author_traceback(error)}") from None
    return bot


def _asked(bot: Actor, question: Question, rng: Rng) -> tuple[Move | None, str, float]:
    """Return the move of a bot, or None and its fault, and how many milliseconds it took. Raises KeyboardInterrupt."""
    moves = question.state.legal_moves()
    legal = tuple(moves)
    view = question.state.view(question.state.to_move, rng)
    answer: object = None
    fault = ""
    start = perf_counter_ns()
    try:
        answer = bot.act(view, moves)
    except (KeyboardInterrupt, BdbQuit):  # `q` in a debugger raises the latter
        raise KeyboardInterrupt from None
    except BaseException as error:
        fault = author_traceback(error)
    ms = (perf_counter_ns() - start) / 1e6
    now = next((move for move in legal if move is answer), None)
    if now is None and not fault:
        fault = f"act returned {show_value(answer)}, not one of the moves"
    return now, fault, ms


def _seeds(game: GameResult, record: Record) -> tuple[int, ...]:
    """Return the seeds of seat 0, seat 1 and the global generators, as the referee derives them."""
    if record.deal_text.startswith("cards:"):
        return (0, 0, 0)
    seed, number = map(int, record.deal_text.split(":")[:2])
    six = derive_seeds(6, seed, "game", number, *sorted((game.first, game.second)))
    return tuple(six[:3] if game.first < game.second else six[3:])


# ---------------------------------------------------------------- printed


def _show_question(question: Question, names: tuple[str, str]) -> None:
    console = console_for()
    state = question.state
    view = state.view(state.to_move)
    moves = state.legal_moves()
    click.echo(f"Move {question.number}, turn {view.turns}, phase {view.phase}. What the bot sees:\n")
    console.print(draw_board(Scene(view, names)))
    click.echo(f"\n{len(moves)} moves:\n{DecisionInput(view, moves, names).menu()}\n")
    click.echo("--- the bot's own output " + "-" * 30)


def _line(question: Question, now: Move | None, fault: str, ms: float) -> str:
    shown = str(now) if now is not None else f"fails: {one_line(reason_line(fault), 60)}"
    sign = " " if now is question.then else "*"
    choice = f"{sign} {question.state.phase:<7}{question.then or '(forfeit)'!s:<16}{shown:<16}"
    return f"{question.number:>5} {choice}{ms:9.3f} ms  1 of {len(question.state.legal_moves())}"
