"""The packaged, trained weights; `weights.json` records how they were made."""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.game.rules import Rules, RulesError, load_rules
from arena.paths import WEIGHTS_FOLDER
from arena.policy.net import Net


def load_net(rules: Rules | str, generation: int = 0) -> Net:
    """Return the net for a rule set, given as rules or by name, or one of the packaged nets by its own name.

    `generation` 0 is the newest net, 1 the first one that was packaged, which stays as an opponent. Raises
    `ArenaError` for a name or a generation that does not exist.
    >>> load_net("battle-line-tactical")  # doctest: +ELLIPSIS
    <arena.policy.net.Net object at ...>
    """
    names = sorted(path.stem for path in WEIGHTS_FOLDER.glob("*.bin"))
    if isinstance(rules, str) and rules not in names:
        name = rules
        try:
            rules = load_rules(name)
        except RulesError:
            raise ArenaError(
                f"no net '{name}'{did_you_mean(name, names)} (nets: {', '.join(names)}; the name of a rule set "
                "stands for its net: arena rules lists them)"
            ) from None
    name = rules if isinstance(rules, str) else "tactical" if rules.tactics else "base"
    if generation:
        name += f"-{generation}"
    if name not in names:
        raise ArenaError(f"no net of generation {generation}: there are 1, and 0 for the newest")
    return Net(read_weights(WEIGHTS_FOLDER / f"{name}.bin"))


def read_weights(path: Path) -> array[float]:
    """Read the weights of a file: 32-bit floats, lowest byte first."""
    weights = array("f")
    weights.frombytes(path.read_bytes())
    if sys.byteorder == "big":
        weights.byteswap()
    return weights
