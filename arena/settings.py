"""Settings, declared once with default, bounds and purpose in the class that holds them.

A settings class is a frozen dataclass whose fields are made by the functions below. Reading and checking a file
(`arena.tournament.validation`), the options of commands and the reference in the docs all follow from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, Literal

Kind = Literal["whole number", "number", "string", "strings", "boolean", "choice", "table", "other"]
REQUIRED: Any = MISSING
"""The default of a setting that must be given."""


@dataclass(frozen=True)
class Setting:
    """The values that a setting may have: `least` and `most` are inclusive bounds, `above` and `below` exclusive ones.

    `unset` describes a default of None, or explains the default. `longest` is in characters. `section` is the table of
    the file that holds the setting, if it is not the table of its class. `shapes_results` is False for a setting that
    must make no difference to the games.
    """

    kind: Kind
    help: str
    default: Any = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    longest: int = 0
    choices: Collection[str] = ()
    of: type[Any] | None = None
    noun: str = ""
    unset: str = ""
    section: str = ""
    shapes_results: bool = True

    @property
    def expected(self) -> str:
        """Return the possible values, as a message names them.

        >>> Setting("whole number", "", least=1, most=9).expected
        'a whole number from 1 to 9'
        """
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "boolean":
            return "true or false"
        noun = self.noun or f"a {self.kind}"
        if self.least is not None and self.most is not None:
            return f"{noun} from {number_text(self.least)} to {number_text(self.most)}"
        if self.above is not None and self.below is not None:
            return f"{noun} between {number_text(self.above)} and {number_text(self.below)}"
        if self.above is not None and self.most is not None:
            return f"{noun}, more than {number_text(self.above)} and at most {number_text(self.most)}"
        return noun

    @property
    def usual(self) -> str:
        """Return the default as text, "" if the setting must be given."""
        if self.unset or self.default is None or callable(self.default) or self.of or self.default is REQUIRED:
            return self.unset
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    def within(self, value: float) -> bool:
        """Return whether a number, finite or not, is within the bounds."""
        return (
            value == value  # not NaN
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


def number_text(number: float) -> str:
    """Return a number as text for a message.

    >>> number_text(-3), number_text(0.25), number_text(10.0)
    ('-3', '0.25', '10')
    """
    return f"{number:g}" if isinstance(number, float) else str(number)


def whole(default: int | None, least: int, most: int, help: str, **more: Any) -> Any:
    """Declare a whole number from `least` to `most`."""
    return _declared(Setting("whole number", help, default, least, most, **more))


def real(default: float, help: str, **bounds: Any) -> Any:
    """Declare a finite number; `bounds` are two of `least`, `most`, `above` and `below`."""
    return _declared(Setting("number", help, default, **bounds))


def text(default: str | None, longest: int, help: str, **more: Any) -> Any:
    """Declare a string that is not blank."""
    return _declared(Setting("string", help, default, longest=longest, **more))


def texts(longest: int, help: str, **more: Any) -> Any:
    """Declare a tuple of strings that are not blank; a file may give one string instead of a list."""
    return _declared(Setting("strings", help, (), longest=longest, noun="a string or a list of strings", **more))


def choice(default: str | None, choices: Collection[str], help: str, **more: Any) -> Any:
    """Declare one of a few words; `choices` is read each time, so entries may be added to it later."""
    return _declared(Setting("choice", help, default, choices=choices, **more))


def flag(default: bool | None, help: str, unset: str = "") -> Any:
    """Declare a boolean."""
    return _declared(Setting("boolean", help, default, unset=unset))


def table(of: type[Any], help: str, default: Any = None) -> Any:
    """Declare a table with settings of its own; `default` replaces the defaults of its class."""
    return _declared(Setting("table", help, of() if default is None else default, of=of))


def other(default: Any, help: str) -> Any:
    """Declare a setting with its own reader; `default` may be a function that makes the default."""
    return _declared(Setting("other", help, default))


def _declared(setting: Setting) -> Any:
    metadata = {"setting": setting}
    if callable(setting.default):
        return field(default_factory=setting.default, metadata=metadata)
    return field(default=setting.default, metadata=metadata)


def settings_of(of: type[Any]) -> dict[str, Setting]:
    """Return the settings that a class declares, in order."""
    return {field_.name: field_.metadata["setting"] for field_ in fields(of) if "setting" in field_.metadata}


def merged(data: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested tables in which the values `given` override those of `data`.

    >>> merged({"rules": "base", "clock": {"move_ms": 5}}, {"clock": {"bank_ms": 9}})
    {'rules': 'base', 'clock': {'move_ms': 5, 'bank_ms': 9}}
    """
    out = dict(data)
    for key, value in given.items():
        old = out.get(key)
        out[key] = merged(old, value) if isinstance(value, Mapping) and isinstance(old, Mapping) else value
    return out


def as_dict(values: Any) -> dict[str, Any]:
    """Return settings as the plain values of a file, leaving out those that are None.

    >>> @dataclass(frozen=True)
    ... class Clock:
    ...     move_ms: int | None = whole(None, 1, 1000, "time for a move")
    >>> as_dict(Clock()), as_dict(Clock(5))
    ({}, {'move_ms': 5})
    """
    pairs = ((field_.name, getattr(values, field_.name)) for field_ in fields(values))
    return {name: as_dict(value) if is_dataclass(value) else value for name, value in pairs if value is not None}
