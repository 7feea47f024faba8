"""The isolation levels: where a bot runs. Settings, commands and workers read them from here.

A new level is a member of `Isolation` and, if it confines bots, what `arena.bots.isolation.process` puts around their
command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from arena.bots.limits import BotLimits
from arena.errors import ArenaError


class Isolation(StrEnum):
    """A level by its name in settings.

    `where` describes it in messages. With `own_process`, each bot has a process of its own; if it is `confined`,
    nothing in it reaches out or outlives it.
    """

    where: str
    own_process: bool
    confined: bool

    NONE = "none", "not isolated", False, False
    PROCESS = "process", "in a process", True, False
    SANDBOX = "sandbox", "in the sandbox", True, True

    def __new__(cls, name: str, where: str = "", own_process: bool = False, confined: bool = False) -> Isolation:
        """Make a level whose value is its name."""
        level = str.__new__(cls, name)
        level._value_ = name
        level.where, level.own_process, level.confined = where, own_process, confined
        return level


ISOLATIONS = tuple(level.value for level in Isolation)


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


class CannotStart(ArenaError):
    """The command of a bot cannot be run."""


@dataclass(frozen=True)
class Launch:
    """A command and what it may use.

    `argv` is the command, the path of a program first; `folder` the bot's own, its working directory, read-only in
    the sandbox; `level` the name of an isolation level with processes. `read_only` are further files and folders that
    the sandbox shows; `system` also shows the system's programs. `environment` adds to PATH, HOME and LANG.
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
        """All environment variables of the process."""
        return {**_ENVIRONMENT, **self.environment}


@dataclass(frozen=True)
class HelloAnswer:
    """The options that a bot chooses when it is started. They may not change between starts.

    `events`: it wants to know what happens, a Python bot also how games end.
    """

    auto_claim: bool = True
    ask_forced: bool = False
    events: bool = False
