"""Games that the bot has forfeited: grouped by their cause, each told once with its place and its position."""

from __future__ import annotations

import functools
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.check.care import Care
from arena.check.games import ITSELF, Setting
from arena.check.places import last_line, place_in
from arena.check.report import ERROR, Finding
from arena.check.same import game_text, position_lines
from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.moves import Move, parse_move
from arena.game.record import parse_record, replay
from arena.match.results import GameResult

_HOOK = re.compile(r"in (loading|__init__|begin|observe|act|end|hello): ")
_ILLEGAL = re.compile(r"(\S+|no claim|(?:draw|take|return|claim) \S+) is not legal: (.*)", re.DOTALL)
_NEARBY = 12
_TRACE = 14
_REMEDIES = {
    "illegal move": "act must return one of the moves of its list, the very object: choose from moves.",
    "timeout": "Make sure that every loop comes to an end, and look at view.clock to stop in time.",
    "crash": "Something ended the process: os._exit, a signal, a fault of code in C, or too much memory.",
    "protocol": "Only the answer may be written to the pipe of the arena; see docs/wire.md.",
}
_OF_COMMANDS = {
    "illegal move": "The move must be one of the list 'moves' of the question: its text, or its place in the list.",
    "timeout": "Make sure that each answer ends with a line end and is flushed, that every loop comes to an end, and "
    "look at 'clock' to stop in time.",
    "crash": "The program ended. What it has said last on standard error stands above; in the sandbox it can start no "
    "other program.",
    "protocol": "One line of JSON for each question and nothing else on standard output; see docs/wire.md.",
}


@dataclass(frozen=True)
class _Cause:
    kind: str
    hook: str
    words: str
    file: str | None
    line: int | None


def kinds(games: Iterable[GameResult]) -> dict[str, int]:
    """Games that were lost by forfeit, by kind. The bots of the program forfeit none."""
    return dict(Counter(game.forfeit for game in games if game.forfeit))


def findings(setting: Setting, games: Mapping[str, Sequence[GameResult]], care: Care) -> list[Finding]:
    """A finding for each cause, the most frequent first. `games` are all games by rule set.

    Where a cause cannot be told, it is an error all the same.
    """
    causes: dict[_Cause, dict[str, list[GameResult]]] = {}
    for rules, played in games.items():
        for game in played:
            if game.forfeit:
                plainly = _Cause(game.forfeit, "act", "", None, None)
                cause = care.look("why a game is lost", functools.partial(_cause, setting, game), plainly)
                causes.setdefault(cause, {}).setdefault(rules, []).append(game)
    order = sorted(causes.items(), key=lambda item: -sum(map(len, item[1].values())))
    return [
        care.look(
            "why games are lost",
            functools.partial(_finding, setting, cause, found, games),
            Finding(ERROR, f"forfeit {cause.kind}", f"loses games by forfeit ({cause.kind})", rules=tuple(found)),
        )
        for cause, found in order
    ]


def _cause(setting: Setting, game: GameResult) -> _Cause:
    kind, detail = game.forfeit or "", game.detail or ""
    found = _HOOK.match(detail)
    hook = found[1] if found else "act"
    text = detail[found.end() :] if found else detail
    file, line = place_in(detail, setting.spec.path)
    if kind == "exception":
        words = re.sub(r"0x[0-9a-f]+|\d+", "#", last_line(text)) if file is None else ""
    elif kind == "illegal move":
        words = "" if _ILLEGAL.match(text) else re.sub(r"'[^']*'|\d+", "#", text)
    elif kind == "timeout":
        words = ""
    else:
        words = text.partition("\n")[0]
    return _Cause(kind, hook, words, file, line)


def _finding(
    setting: Setting,
    cause: _Cause,
    found: Mapping[str, list[GameResult]],
    games: Mapping[str, Sequence[GameResult]],
) -> Finding:
    first = next(iter(found.values()))[0]
    detail = first.detail or ""
    hook = _HOOK.match(detail)
    said = detail[hook.end() :] if hook else detail
    counts = [f"{len(lost)} of {len(games[rules])} games of {rules}" for rules, lost in found.items()]
    text = f"{_sentence(cause, said)} ({', '.join(counts)})"
    details = [f"First in {next(iter(found))}, {game_text(setting, first)}:"]
    if cause.kind in ("exception", "crash", "protocol"):
        details += said.strip().splitlines()[-_TRACE:] if "\n" in said.strip() else []
    details += _position(first, said if cause.kind == "illegal move" else None, cause.hook)
    return Finding(
        ERROR,
        f"forfeit {cause.kind}",
        text,
        _remedy(cause, said, setting),
        cause.file,
        cause.line,
        tuple(found),
        tuple(details),
        first.record,
        again(setting, next(iter(found)), first),
    )


def _sentence(cause: _Cause, said: str) -> str:
    if cause.kind == "exception":
        return f"{cause.hook} raises {last_line(said)}"
    if cause.kind == "illegal move":
        found = _ILLEGAL.match(said)
        return f"act returns {found[1]}, which is not legal: {found[2]}" if found else said
    if cause.kind == "timeout":
        return f"{cause.hook} takes too long: {said.partition(chr(10))[0]}"
    if cause.kind == "crash":
        return f"its process ends in {cause.hook}: {said.partition(chr(10))[0]}"
    return f"it breaks the protocol in {cause.hook}: {said.partition(chr(10))[0]}"


def _remedy(cause: _Cause, said: str, setting: Setting) -> str:
    if cause.kind != "exception":
        return (_OF_COMMANDS if setting.spec.command else _REMEDIES).get(cause.kind, "")
    last = last_line(said)
    if last.startswith("MemoryError"):
        return f"It has used up its {setting.limits.memory_mb} MB."
    if last.startswith(("ModuleNotFoundError", "ImportError")):
        return "Import at the top of the file: inside of act only installed packages are found."
    if last.startswith("PermissionError") or "Errno 1]" in last or "Read-only" in last:
        return "The sandbox forbids that; go on without it."
    return "Mend the line; whatever is raised loses the game."


def _position(game: GameResult, said: str | None, hook: str) -> list[str]:
    """The position in which it happened and, for an illegal move, what would have been legal."""
    if hook not in ("act", "observe"):
        return []
    try:
        state = replay(parse_record(game.record))
    except ArenaError:  # a record that does not replay is the arena's fault, and another command's to tell
        return []
    if state.outcome is not None:
        return []
    number = len(parse_record(game.record).moves) + 1
    lines = list(position_lines(state.view(state.turn)))
    lines[0] = f"decision {number} of the game, {lines[0]}"
    if said is not None:
        lines.append(_legal(state, said))
    return lines


def _legal(state: State, said: str) -> str:
    """The legal moves, those first that are like the one that was tried."""
    moves = state.legal_moves()
    found = _ILLEGAL.match(said)
    tried: Move | None = None
    if found:
        try:
            tried = parse_move(found[1])
        except ArenaError:
            tried = None
    if tried is not None:
        like = tried
        moves = sorted(
            moves, key=lambda one: (one.card != like.card, one.kind != like.kind, one.stone != like.stone)
        )
    more = f" and {len(moves) - _NEARBY} more" if len(moves) > _NEARBY else ""
    return f"legal: {', '.join(map(str, moves[:_NEARBY]))}{more}"


def again(setting: Setting, rules: str, game: GameResult) -> str:
    """The command that plays a game again, with those before it."""
    identity = game.id
    spec = setting.spec.spec
    other = setting.opponent(identity.pairing)
    if identity.pairing == ITSELF:
        plain = spec.partition("=")[2] if spec.startswith(f"{setting.spec.name}=") else spec
        other = f"{setting.twin.name}={plain}"
    words = ["arena", "match", spec, other, "--rules", rules, "--seed", str(setting.seed)]
    words += ["--games", str(2 * (identity.deal + 1)), "--isolation", setting.level]
    for name, value in (("--move-ms", setting.clock.move_ms), ("--bank-ms", setting.clock.bank_ms)):
        words += [name, str(value)] if value is not None else []
    return shlex.join(words)
