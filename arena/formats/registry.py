"""All tournament formats, by name. A new one is a module that declares it, a line here, and a page of docs."""

from __future__ import annotations

from arena.formats.format import Format
from arena.formats.knockout import KNOCKOUT
from arena.formats.round_robin import GAUNTLET, MATCH, ROUND_ROBIN
from arena.formats.series import SERIES
from arena.formats.sprt import SPRT
from arena.formats.swiss import SWISS

FORMATS: dict[str, Format] = {one.name: one for one in (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT, MATCH, SERIES, SPRT)}
