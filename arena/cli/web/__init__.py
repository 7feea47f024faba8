"""The commands of a league on the web: serve, work, invite, site; and what others ask of a server."""

from __future__ import annotations

from importlib.util import find_spec

from arena.errors import ArenaError


def require_web() -> None:
    """ArenaError unless the libraries of the extra `web` are installed."""
    missing = [name for name in ("starlette", "uvicorn", "httptools", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArenaError(
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed, which serving a league needs:"
            " pip install 'schotten-arena[web]'"
        )
