"""JSON for programs below /api/v1, and `/healthz` for monitoring.

The standings are kept like pages (`arena.web.public.FIGURES`). The page "Write a bot" documents the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.league import versions
from arena.results.formats import json_text
from arena.web import uploads
from arena.web.accounts import Stores
from arena.web.backend import backend_of, bearer
from arena.web.members import own_version, take_upload


def json_response(values: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Values as JSON."""
    return Response(json_text(values), status, headers, media_type="application/json")


async def _submit(request: Request) -> Response:
    account = await bearer(request)
    async with request.form(max_files=1, max_fields=4) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise HTTPException(400, "a part 'file' with the bot is needed")
        content = await file.read()
        name, entry, again = (str(form.get(key) or "").strip() for key in ("name", "entry", "again"))
    progress = await take_upload(request, account, file.filename, content, name, entry, again == "true")
    return json_response(progress, 202 if progress["state"] in versions.OPEN else 200)


async def _submission(request: Request) -> Response:
    account = await bearer(request)

    def progress(stores: Stores) -> dict[str, Any]:
        version = own_version(stores.league, account, request.path_params["number"])
        return uploads.progress(stores.league, version.id)

    return json_response(await backend_of(request).read(progress))


# ---------------------------------------------------------------- monitoring


async def _health(request: Request) -> Response:
    """Whether the league can be read."""
    games = await backend_of(request).read(lambda stores: stores.league.count_games())
    return PlainTextResponse(f"ok {games} games\n")


ROUTES = [
    Route("/api/v1/submissions", _submit, methods=["POST"]),
    Route("/api/v1/submissions/{number:number}", _submission),
    Route("/healthz", _health),
]
