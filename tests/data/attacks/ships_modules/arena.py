"""Stands where Python or the runner might load it instead of the real one."""

import builtins
import contextlib

builtins.planted_by_attack = [*getattr(builtins, "planted_by_attack", []), __name__]
with contextlib.suppress(OSError):
    open(__file__.rpartition("/")[0] + "/../planted_by_attack", "w").close()
