"""Findings from the source and from what the bot has asked the system for."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterable, Sequence

from arena.check.report import NOTE, WARNING, Finding
from arena.check.source import Source, Use
from arena.isolation import audit
from arena.isolation.audit import Attempt
from arena.players.spec import BotSpec

#: Packages that come with the arena.
_WITH_US = ("numpy", "scipy", "pandas", "click", "tabulate")
_MOST = 6
_MOST_FINDINGS = 20

_WORDS = {
    audit.FILES: "writes to the file system: {}",
    audit.READS: "reads a file that the sandbox does not show: {}",
    audit.FOLDERS: "lists a folder that the sandbox does not show: {}",
    audit.NETWORK: "uses the network: {}",
    audit.PROCESSES: "starts or signals processes: {}",
    audit.MEMORY: "maps memory: {}",
    audit.NATIVE: "calls the system past Python: {}",
    audit.SPYING: "looks into the interpreter: {}",
}
_REMEDIES = {
    audit.FILES: "In the sandbox all but /tmp is read-only, and /tmp is gone after the match: keep nothing in files.",
    audit.READS: "Put what it needs into its folder and find it by Path(__file__).parent.",
    audit.FOLDERS: "The bot is given its own folder; look for files there by Path(__file__).parent.",
    audit.NETWORK: "There is no network in the sandbox (EPERM): ship what the bot needs in its folder.",
    audit.PROCESSES: "A sandboxed bot is one process: starting another fails (EPERM).",
    audit.MEMORY: "Shared memory is forbidden in the sandbox; lists, arrays and files in its folder are not.",
    audit.NATIVE: "Calls that the sandbox forbids fail there, by whatever way they are made.",
    audit.SPYING: "There is nothing of the opponent in the bot's process.",
}


def forbidden(attempts: Iterable[Attempt]) -> list[Finding]:
    """What it has tried that the sandbox forbids, each kind and place once, the first of them."""
    seen: set[tuple[str, str, int]] = set()
    found: list[Finding] = []
    for one in _outside(attempts):
        if (one.kind, one.file, one.line) in seen or len(seen) >= _MOST_FINDINGS:
            continue
        seen.add((one.kind, one.file, one.line))
        call = f"{one.event}({one.what})" if one.what else one.event
        text = _WORDS[one.kind].format(call)
        if one.importing:
            text += ", while something is imported"
        level = (
            NOTE if one.importing or one.kind in (audit.MEMORY, audit.NATIVE) or _private(one) else WARNING
        )
        remedy = (
            "/tmp is private to the process, small, and gone after it."
            if _private(one)
            else _REMEDIES[one.kind]
        )
        found.append(Finding(level, f"tries {one.kind}", text, remedy, one.file, one.line))
    return found


def counted(attempts: Iterable[Attempt]) -> int:
    """How many places of the bot try what the sandbox forbids."""
    return len({(one.kind, one.file, one.line) for one in _outside(attempts) if not _private(one)})


def beside(attempts: Iterable[Attempt], spec: BotSpec) -> list[Finding]:
    """The files of its folder that it reads, which a league must be sent, too."""
    own = [one for one in attempts if one.kind == audit.OWN]
    if not own:
        return []
    folder = os.path.dirname(spec.path)
    names = sorted({os.path.relpath(one.what, folder) for one in own})
    shown = ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
    command = f"arena submit {shlex.quote(os.path.basename(spec.path))} --folder {shlex.quote(os.path.relpath(folder))}"
    remedy = f"A league is sent the bot's file alone, unless you give its folder: {command} --league NAME"
    return [Finding(NOTE, "reads own files", f"reads files beside it: {shown}", remedy, own[0].file, own[0].line)]


def _outside(attempts: Iterable[Attempt]) -> list[Attempt]:
    return [one for one in attempts if one.kind != audit.OWN]


def _private(attempt: Attempt) -> bool:
    path = attempt.what.partition(",")[0]
    folders = ("/tmp/", f"{tempfile.gettempdir()}/", "/dev/shm/")
    return attempt.kind == audit.FILES and os.path.abspath(path).startswith(folders) and path.startswith("/")


# ---------------------------------------------------------------- source


def pitfalls(source: Source) -> list[Finding]:
    """What can be told from the source alone."""
    found: list[Finding] = []
    for one in source.foreign[:_MOST_FINDINGS]:
        comes = one.name in _WITH_US
        text = f"imports {one.name}, which is no part of Python" + (
            "; it is installed with the arena" if comes else ""
        )
        remedy = "" if comes else "Ask the organiser whether it is installed there, or do without it."
        if one.guarded and not comes:
            remedy = "The bot goes on without it, and then plays otherwise perhaps."
        found.append(
            Finding(NOTE if comes or one.guarded else WARNING, "imports", text, remedy, one.file, one.line)
        )
    for use in source.relative[:_MOST]:
        found.append(
            Finding(
                WARNING,
                "relative path",
                f"{use.text} is looked up in the working directory, which is not always the bot's folder",
                "Name it by Path(__file__).parent / ...",
                use.file,
                use.line,
            )
        )
    if source.global_chance:
        use = source.global_chance[0]
        found.append(
            Finding(
                NOTE,
                "global random",
                f"draws from the global generator: {use.text}{_more(source.global_chance)}; it is seeded for each "
                "game, but such a bot's games cannot be played in lock step",
                "Draw from view.rng.",
                use.file,
                use.line,
            )
        )
    if source.threads:
        use = source.threads[0]
        found.append(
            Finding(
                NOTE,
                "threads",
                f"imports {use.text}: what goes on between its decisions takes the processor from the other bot",
                "Think in act, and end what was started there.",
                use.file,
                use.line,
            )
        )
    return found


def lines_of(uses: Sequence[Use], spec: BotSpec) -> tuple[str, ...]:
    """Places for the details of a finding: those of the bot's file without its name."""
    folder = f"{os.path.dirname(spec.path)}{os.sep}"
    shown = [f"line {one.line}: {one.text}" if one.file == spec.path
             else f"{one.file.removeprefix(folder)}, line {one.line}: {one.text}"
             for one in uses[:_MOST]]  # fmt: skip
    if len(uses) > _MOST:
        shown.append(f"and {len(uses) - _MOST} more")
    return tuple(shown)


def _more(uses: Sequence[Use]) -> str:
    others = sorted({one.line for one in uses[1:]})
    if not others:
        return ""
    shown = ", ".join(map(str, others[:_MOST])) + " ..." * (len(others) > _MOST)
    return f" (and in line{'s' * (len(others) > 1)} {shown})"
