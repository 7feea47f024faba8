"""JSON for programs below /api/v1, and `/healthz` and `/metrics` for monitoring.

The standings are kept like pages (`arena.web.public.FIGURES`). The page "Write a bot" documents the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from arena.league import versions
from arena.results.formats import json_text
from arena.web import uploads
from arena.web.accounts import Stores
from arena.web.backend import BUCKETS, Metrics, backend_of, bearer
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


async def _documentation(request: Request) -> Response:
    return RedirectResponse("../../write#programs")


# ---------------------------------------------------------------- monitoring


async def _health(request: Request) -> Response:
    """Whether the league can be read."""
    games = await backend_of(request).read(lambda stores: stores.league.count_games())
    return PlainTextResponse(f"ok {games} games\n")


async def _metrics(request: Request) -> Response:
    backend = backend_of(request)
    gauges = await backend.read(_gauges)
    text = metrics_text(backend.metrics, gauges | {"arena_listeners": backend.listeners})
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _gauges(stores: Stores) -> dict[str, float]:
    league = stores.league
    counts = dict(league.query("SELECT state, count(*) FROM versions GROUP BY state"))
    return {
        "arena_games": league.count_games(),
        "arena_queue": sum(counts.get(state, 0) for state in versions.OPEN),
        **{f'arena_versions{{state="{state}"}}': number for state, number in counts.items()},
    }


def metrics_text(metrics: Metrics, gauges: Mapping[str, float]) -> str:
    """Figures in the text format of Prometheus."""
    lines = ["# TYPE arena_requests_total counter"]
    for (method, section, status), number in sorted(metrics.requests.items()):
        lines.append(f'arena_requests_total{{method="{method}",place="{section}",status="{status}"}} {number}')
    lines.append("# TYPE arena_request_seconds histogram")
    total = 0
    for edge in BUCKETS:
        total += metrics.seconds[edge]
        lines.append(f'arena_request_seconds_bucket{{le="{"+Inf" if edge == BUCKETS[-1] else edge}"}} {total}')
    lines += [f"arena_request_seconds_sum {metrics.total_s:.6f}", f"arena_request_seconds_count {total}"]
    for family, names in groupby(sorted(gauges), lambda name: name.partition("{")[0]):
        lines.append(f"# TYPE {family} gauge")
        lines += [f"{name} {gauges[name]:.15g}" for name in names]
    return "\n".join(lines) + "\n"


ROUTES = [
    Route("/api/v1/", _documentation),
    Route("/api/v1/submissions", _submit, methods=["POST"]),
    Route("/api/v1/submissions/{number:number}", _submission),
    Route("/healthz", _health),
    Route("/metrics", _metrics),
]
