"""How a bot's process is started: plain values, the same for both kinds of bots and at all levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.bots.processes.limits import BotLimits
from arena.errors import ArenaError

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


class CannotStart(ArenaError):
    """The command of a bot cannot be run."""


@dataclass(frozen=True)
class Launch:
    """A command and what it may use.

    `argv` is the command, the path of a program first; `folder` the bot's own, its working directory, read-only in
    the sandbox; `level` the name of an isolation level with processes. `read_only` are further files and folders that
    the sandbox shows; `system` lets it show the system's programs, too. `environment` adds to PATH, HOME and LANG.
    """

    argv: tuple[str, ...]
    folder: Path
    level: str
    limits: BotLimits = field(default_factory=BotLimits)
    read_only: tuple[Path, ...] = ()
    system: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole_environment(self) -> dict[str, str]:
        """All variables that the process gets."""
        return {**_ENVIRONMENT, **self.environment}
