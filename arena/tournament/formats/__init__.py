"""All tournament formats, by name. A new format is a module that declares it, and a line here."""

from __future__ import annotations

from arena.tournament.formats.knockout import KNOCKOUT
from arena.tournament.formats.round_robin import GAUNTLET, MATCH, ROUND_ROBIN, SPRT
from arena.tournament.formats.schedule import Format
from arena.tournament.formats.series import SERIES
from arena.tournament.formats.swiss import SWISS

_ALL = (
    ROUND_ROBIN,
    GAUNTLET,
    SWISS,
    KNOCKOUT,
    MATCH,
    SERIES,
    SPRT,
)
FORMATS: dict[str, Format] = {form.name: form for form in _ALL}
