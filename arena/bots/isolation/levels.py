"""The isolation levels: where a bot runs. They are declared here; settings, commands and workers read them.

A new level is a member of `Isolation` and, if it confines bots, what it puts around their command (`CONFINED` in
`arena.bots.isolation.process`).
"""

from __future__ import annotations

from enum import StrEnum


class Isolation(StrEnum):
    """A level by its name in settings. `where` says it to people; with `own_process`, each bot has a process of its
    own; if it is `confined`, nothing in it reaches out or outlives it."""

    where: str
    own_process: bool
    confined: bool

    NONE = "none", "not isolated", False, False
    PROCESS = "process", "in a process", True, False
    SANDBOX = "sandbox", "in the sandbox", True, True

    def __new__(cls, name: str, where: str = "", own_process: bool = False, confined: bool = False) -> Isolation:
        level = str.__new__(cls, name)
        level._value_ = name
        level.where, level.own_process, level.confined = where, own_process, confined
        return level


ISOLATIONS = tuple(level.value for level in Isolation)
