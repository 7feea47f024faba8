"""Parameters of bots, converted to the types that the bot's signature asks for."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from arena.bots.bot import Param
from arena.bots.faults import BotError
from arena.errors import did_you_mean

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_SIMPLE = (int, float, bool, str)
_ANY = inspect.Parameter.empty
_WANTED = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def typed_params(bot: str, make: Callable[..., object], given: Mapping[str, Param]) -> dict[str, Param]:
    """The given parameters with the types that the signature of `make` asks for.

    Strings are converted (`"200"` for an int); other values must fit as they are, and an int fits a float.
    `BotError` names the `bot` and the parameter that is unknown, missing or does not fit.

    >>> def make(rollouts: int, weight: float = 1.0, greedy: bool = False, book: str | None = None): ...
    >>> typed_params("bots/my.py", make, {"rollouts": "200", "weight": 2, "greedy": "yes", "book": "none"})
    {'rollouts': 200, 'weight': 2.0, 'greedy': True, 'book': None}
    >>> typed_params("bots/my.py", make, {"rolouts": "200"})
    Traceback (most recent call last):
    arena.bots.faults.BotError: bot bots/my.py has no parameter 'rolouts'; did you mean 'rollouts'? \
(it has rollouts: int, weight: float = 1.0, greedy: bool = False, book: str | None = None)
    """
    signature = _signature(make)
    known = {name: one for name, one in signature.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    takes_all = any(one.kind is one.VAR_KEYWORD for one in signature.values())
    values: dict[str, Param] = {}
    for name, value in given.items():
        if name in known:
            values[name] = _fit(bot, name, _wanted(known[name]), value)
        elif takes_all:
            values[name] = _guess(value) if isinstance(value, str) else value
        else:
            has = f"it has {', '.join(map(str, known.values()))}" if known else "it has none"
            raise BotError(f"bot {bot} has no parameter '{name}'{did_you_mean(name, known)} ({has})")
    for name, one in known.items():
        if one.default is _ANY and name not in values:
            raise BotError(f"bot {bot} needs its parameter '{name}'; give it as {bot}:{name}=...")
    return values


def _signature(make: Callable[..., object]) -> dict[str, inspect.Parameter]:
    try:
        found = dict(inspect.signature(make).parameters)
    except (TypeError, ValueError):  # some classes written in C have none
        return {}
    try:
        hints = typing.get_type_hints(make.__init__ if isinstance(make, type) else make)  # type: ignore[misc]
    except Exception:  # annotations that do not exist at run time: the defaults tell the types
        hints = {}
    return {name: one.replace(annotation=hints.get(name, one.annotation)) for name, one in found.items()}


def _wanted(parameter: inspect.Parameter) -> Any:
    """The type of a parameter: its annotation, else the type of its default, else anything."""
    wanted = parameter.annotation
    if wanted is _ANY or isinstance(wanted, str):
        default = parameter.default
        return _ANY if default is _ANY or default is None else type(default)
    return wanted


def _fit(bot: str, name: str, wanted: Any, value: Param) -> Param:
    if wanted is _ANY or wanted is Any or wanted is object:
        return _guess(value) if isinstance(value, str) else value
    choices = _alternatives(wanted)
    # a text fits str last: "7" for int | str is a number
    for choice in sorted(choices, key=lambda one: one is str):
        found = _try(choice, value)
        if found is not _ANY:
            return typing.cast(Param, found)
    if not any(choice in (*_SIMPLE, type(None)) or get_origin(choice) is Literal for choice in choices):
        raise BotError(
            f"bot {bot}: parameter '{name}' is of type {_shown(wanted)}, which cannot be given from outside; "
            "use int, float, bool, str, Literal or an Optional of them"
        )
    words = " or ".join(dict.fromkeys(_described(choice) for choice in choices))
    literals = [str(word) for one in choices if get_origin(one) is Literal for word in get_args(one)]
    near = did_you_mean(str(value), literals)
    raise BotError(f"bot {bot}: parameter '{name}' is {words}, not {value!r}{near}")


def _alternatives(wanted: Any) -> tuple[Any, ...]:
    if get_origin(wanted) in (Union, types.UnionType):
        return tuple(one for part in get_args(wanted) for one in _alternatives(part))
    return (wanted,)


def _described(choice: Any) -> str:
    if get_origin(choice) is Literal:
        return f"one of {', '.join(map(str, get_args(choice)))}"
    return "none" if choice is type(None) else _WANTED.get(choice, _shown(choice))


def _shown(wanted: Any) -> str:
    return wanted.__name__ if isinstance(wanted, type) else str(wanted)


def _try(choice: Any, value: Param) -> object:
    """The value converted to the type, or `_ANY` if it does not fit."""
    if get_origin(choice) is Literal:
        return next((one for one in get_args(choice) if str(one) == str(value)), _ANY)
    if choice is type(None):
        return None if value is None or str(value).lower() == "none" else _ANY
    if isinstance(value, str):
        return _read(choice, value)
    if choice is float and type(value) is int:
        return float(value)
    return value if choice in _SIMPLE and type(value) is choice else _ANY


def _read(choice: Any, text: str) -> object:
    try:
        if choice is bool:
            word = text.strip().lower()
            return True if word in _TRUE else False if word in _FALSE else _ANY
        found = choice(text) if choice in (int, float, str) else _ANY
        return found if found == found else _ANY  # nan is no number
    except ValueError:
        return _ANY


def _guess(text: str) -> Param:
    """The value of a string whose type is not known.

    >>> _guess("7"), _guess("0.5"), _guess("true"), _guess("none"), _guess("book.txt")
    (7, 0.5, True, None, 'book.txt')
    """
    for kind in (int, float):
        found = _read(kind, text)
        if found is not _ANY:
            return typing.cast(Param, found)
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
