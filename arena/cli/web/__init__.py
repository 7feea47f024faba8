"""The commands of a league on the web: serve, work, invite and site; and the client of a server."""

from __future__ import annotations

from importlib.util import find_spec

from arena.errors import ArenaError


def require_web() -> None:
    """ArenaError unless the libraries of the extra `web` are installed."""
    missing = [name for name in ("starlette", "uvicorn", "h11", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArenaError(
            f"serving a league needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed:"
            " pip install 'schotten-arena[web]'"
        )
