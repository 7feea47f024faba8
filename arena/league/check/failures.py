"""What a bot fails at: loading, and games that it forfeits, grouped by cause, with location and position."""

from __future__ import annotations

import functools
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.bots.isolation.audit import own_file
from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.moves import Move, parse_move
from arena.game.record import parse_record, replay
from arena.league.check.compare_games import game_text, position_lines
from arena.league.check.report import ERROR, Finding, Omissions
from arena.league.check.sessions import ITSELF, CheckSettings
from arena.league.check.source.model import HintKind, Source
from arena.tournament.match.results import GameResult

_HOOK = re.compile(r"in (loading|__init__|begin|observe|act|end|hello): ")
_ILLEGAL = re.compile(r"(\S+|no claim|(?:draw|take|return|claim) \S+) is not legal: (.*)", re.DOTALL)
_NEARBY = 12
_TRACE = 14
_REMEDIES = {
    "illegal move": "act must return one of the moves of its list, the very object: choose from moves.",
    "timeout": "Make sure that every loop ends, and watch view.clock to stop in time.",
    "crash": "Something ended the process: os._exit, a signal, a fault of code in C, or too much memory.",
    "protocol": "Only the answer may be written to the arena's pipe; see docs/wire.md.",
}
_OF_COMMANDS = {
    "illegal move": "The move must be one of the 'moves' of the request: its text, or its position in the list.",
    "timeout": "Make sure that each answer ends with a newline and is flushed, that every loop ends; watch 'clock'.",
    "crash": "The program ended. What it last wrote to standard error is shown above; in the sandbox it cannot start "
    "other programs.",
    "protocol": "One line of JSON for each request and nothing else on standard output; see docs/wire.md.",
}
_FRAME = re.compile(r'^[ \t]*File "([^"\n]+)", line (\d{1,7})\b', re.MULTILINE)
_JS = re.compile(r"(/[^\s():]{1,1000}):(\d{1,7}):\d")
_LAST = 10_000
"""Characters at the end of a text that are searched for locations."""
_MOST_LINES = 100


@dataclass(frozen=True)
class _Cause:
    kind: str
    hook: str
    words: str
    file: str | None
    line: int | None


def kinds(games: Iterable[GameResult]) -> dict[str, int]:
    """Games that were lost by forfeit, by kind. The program's own bots forfeit none."""
    return dict(Counter(game.forfeit for game in games if game.forfeit))


def forfeits(settings: CheckSettings, games: Mapping[str, Sequence[GameResult]], omissions: Omissions) -> list[Finding]:
    """A finding for each cause, the most frequent first. `games` are all games by rule set.

    A forfeit is an error even if its cause cannot be determined.
    """
    causes: dict[_Cause, dict[str, list[GameResult]]] = {}
    for rules, played in games.items():
        for game in played:
            if game.forfeit:
                plainly = _Cause(game.forfeit, "act", "", None, None)
                cause = omissions.guard("why a game is lost", functools.partial(_cause, settings, game), plainly)
                causes.setdefault(cause, {}).setdefault(rules, []).append(game)
    order = sorted(causes.items(), key=lambda item: -sum(map(len, item[1].values())))
    return [
        omissions.guard(
            "why games are lost",
            functools.partial(_finding, settings, cause, found, games),
            Finding(ERROR, f"forfeit {cause.kind}", f"loses games by forfeit ({cause.kind})", rules=tuple(found)),
        )
        for cause, found in order
    ]


def _cause(settings: CheckSettings, game: GameResult) -> _Cause:
    kind, detail = game.forfeit or "", game.detail or ""
    found = _HOOK.match(detail)
    hook = found[1] if found else "act"
    text = detail[found.end() :] if found else detail
    file, line = location_in(detail, settings.spec.path)
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
    settings: CheckSettings,
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
    details = [f"First in {next(iter(found))}, {game_text(settings, first)}:"]
    if cause.kind in ("exception", "crash", "protocol"):
        details += said.strip().splitlines()[-_TRACE:] if "\n" in said.strip() else []
    details += _position(first, said if cause.kind == "illegal move" else None, cause.hook)
    return Finding(
        ERROR,
        f"forfeit {cause.kind}",
        text,
        _remedy(cause, said, settings),
        cause.file,
        cause.line,
        tuple(found),
        tuple(details),
        first.record,
        again(settings, next(iter(found)), first),
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


def _remedy(cause: _Cause, said: str, settings: CheckSettings) -> str:
    if cause.hook == "end":
        return "The result of such a game stands, but the failure is counted in the table."
    if cause.kind != "exception":
        return (_OF_COMMANDS if settings.spec.command else _REMEDIES).get(cause.kind, "")
    last = last_line(said)
    if last.startswith("MemoryError"):
        return f"It has used up its {settings.limits.memory_mb} MB."
    if last.startswith(("ModuleNotFoundError", "ImportError")):
        return "Import at the top of the file: inside act only installed packages are found."
    if last.startswith("PermissionError") or "Errno 1]" in last or "Read-only" in last:
        return "The sandbox forbids that; do without it."
    return "Fix that line; any exception loses the game."


def _position(game: GameResult, said: str | None, hook: str) -> list[str]:
    """The position in which it happened and, for an illegal move, the legal ones."""
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
    """The legal moves, beginning with those like the one that was tried."""
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
        moves = sorted(moves, key=lambda one: (one.card != like.card, one.kind != like.kind, one.stone != like.stone))
    more = f" and {len(moves) - _NEARBY} more" if len(moves) > _NEARBY else ""
    return f"legal: {', '.join(map(str, moves[:_NEARBY]))}{more}"


def again(settings: CheckSettings, rules: str, game: GameResult) -> str:
    """The command that replays a game, with those before it."""
    identity = game.id
    spec = settings.spec.spec
    other = settings.opponent(identity.pairing)
    if identity.pairing == ITSELF:
        plain = spec.partition("=")[2] if spec.startswith(f"{settings.spec.name}=") else spec
        other = f"{settings.twin.name}={plain}"
    words = ["arena", "match", spec, other, "--rules", rules, "--seed", str(settings.seed)]
    words += ["--games", str(2 * (identity.deal + 1)), "--isolation", settings.level]
    for name, value in (("--move-ms", settings.clock.move_ms), ("--bank-ms", settings.clock.bank_ms)):
        words += [name, str(value)] if value is not None else []
    return shlex.join(words)


def load_failure(settings: CheckSettings, text: str, source: Source, omissions: Omissions) -> Finding:
    """Why the bot cannot be loaded, with the location; `text` is that of the BotError."""
    plainly = Finding(ERROR, "load", text.partition("\n")[0])
    return omissions.guard("why it cannot be loaded", lambda: _load_failure(settings, text, source), plainly)


def _load_failure(settings: CheckSettings, text: str, source: Source) -> Finding:
    head, _, rest = text.partition("\n")
    file, line = location_in(text, settings.spec.path)
    entries = source.of(HintKind.ENTRY)
    if file is None and "holds" in head and entries:
        file, line = entries[-1].file, entries[-1].line
    words = head.rstrip(":")
    hook = re.match(r"in (\w+): Traceback", head)
    if hook:
        words = f"{hook[1]} raises {last_line(rest)}"
    elif rest:
        words += f": {last_line(rest)}"
    named = settings.spec.target if settings.spec.target.endswith(".py") else settings.spec.path
    remedy = f"Try it: python -m py_compile {shlex.quote(named)}" if "not valid Python" in head else ""
    return Finding(ERROR, "load", words, remedy, file, line, details=tuple(rest.splitlines()[-_TRACE:]))


# ---------------------------------------------------------------- tracebacks


def location_in(text: str, path: str) -> tuple[str | None, int | None]:
    """File and line of the innermost frame of a traceback that lies in the folder of the bot in the file `path`.

    A bot may write what it likes: the path is normalised, and nothing outside of that folder is accepted.

    >>> text = 'Traceback (...):\\n  File "/b/mine.py", line 3, in act\\n  File "/usr/lib/x.py", line 9, in f\\nE: x'
    >>> location_in(text, "/b/mine.py"), location_in("no location", "/b/mine.py")
    (('/b/mine.py', 3), (None, None))
    """
    folder = os.path.dirname(path)
    frames = _FRAME.findall(text[-_LAST:]) or _JS.findall(text[-_LAST:])
    for file, line in reversed(frames):
        own = own_file(file, folder)
        if own is not None and "site-packages" not in own:
            return own, int(line)
    return None, None


def last_line(text: str) -> str:
    """The last line of a traceback that says something: the exception and its text.

    >>> last_line("Traceback:\\n  File ...\\nValueError: bad\\n")
    'ValueError: bad'
    """
    lines = [line.strip()[:200] for line in text.strip().splitlines()[-_MOST_LINES:] if line.strip()]
    plain = [line for line in lines if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt|Warning)?\b", line)]
    return (plain or lines or [""])[-1]
