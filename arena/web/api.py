"""The same for programs: JSON below /api/v1, and what machines ask of a server (`/healthz`, `/metrics`).

The standings are kept as pages are (`arena.web.public.FIGURES`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.league import versions
from arena.results.formats.json import finite, json_text
from arena.web import queue
from arena.web.accounts import Account
from arena.web.desk import Office
from arena.web.guard import BUCKETS, Metrics
from arena.web.members import own_version, take
from arena.web.openapi import description
from arena.web.render import render
from arena.web.state import bearer, state_of

API_VERSION = "1"


def answer(values: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Values as JSON."""
    return Response(json_text(finite(values)), status, headers, media_type="application/json")


def fault(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as JSON."""
    return answer({"error": text}, status, headers)


async def _submit(request: Request) -> Response:
    account = await bearer(request)
    limits = state_of(request).settings.limits
    async with request.form(max_files=1, max_fields=4, max_part_size=limits.mb << 20) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise HTTPException(400, "a part 'file' with the bot is needed")
        content = await file.read()
        name, entry, again = (str(form.get(key) or "").strip() for key in ("name", "entry", "again"))
    one = await take(request, account, file.filename, content, name, entry, again == "true")
    values = await state_of(request).desk.office(_progress, account, one.id)
    return answer(values, 202 if one.state in versions.OPEN else 200)


async def _submission(request: Request) -> Response:
    account = await bearer(request)
    return answer(await state_of(request).desk.office(_progress, account, request.path_params["number"]))


def _progress(office: Office, account: Account, number: int) -> dict[str, Any]:
    return queue.progress(office.league, own_version(office.league, account, number).id)


async def _openapi(request: Request) -> Response:
    return answer(description(API_VERSION))


async def _page(request: Request) -> Response:
    """The description of the API, to be read."""
    page = render("api.html", "api/v1/", league=state_of(request).league, live=False, api=description(API_VERSION))
    return HTMLResponse(page)


# ---------------------------------------------------------------- for machines


async def _health(request: Request) -> Response:
    """Is the league there, and can it be read?"""
    return PlainTextResponse(f"ok {await state_of(request).desk.office(_count)} games\n")


def _count(office: Office) -> int:
    return office.league.count_games()


async def _metrics(request: Request) -> Response:
    state = state_of(request)
    figures = await state.desk.office(_figures)
    text = metrics_text(state.metrics, figures | {"arena_listeners": state.desk.listeners})
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _figures(office: Office) -> dict[str, float]:
    league = office.league
    found: dict[str, float] = {"arena_games": league.count_games()}
    for state, number in league.query("SELECT state, count(*) FROM versions GROUP BY state"):
        found[f'arena_versions{{state="{state}"}}'] = number
    found["arena_queue"] = sum(found.get(f'arena_versions{{state="{state}"}}', 0) for state in versions.OPEN)
    found["arena_processes"] = league.one("SELECT count(*) FROM processes WHERE ended IS NULL")
    return found


def metrics_text(metrics: Metrics, figures: Mapping[str, float]) -> str:
    """In the text format of Prometheus."""
    lines = ["# TYPE arena_requests_total counter"]
    for (method, place, status), number in sorted(metrics.requests.items()):
        lines.append(f'arena_requests_total{{method="{method}",place="{place}",status="{status}"}} {number}')
    lines.append("# TYPE arena_request_seconds histogram")
    total = 0
    for edge in BUCKETS:
        total += metrics.seconds[edge]
        lines.append(f'arena_request_seconds_bucket{{le="{"+Inf" if edge == BUCKETS[-1] else edge}"}} {total}')
    lines += [f"arena_request_seconds_sum {metrics.total_s:.6f}", f"arena_request_seconds_count {total}"]
    lines.append("# TYPE arena_uploads_total counter")
    lines += [f'arena_uploads_total{{outcome="{one}"}} {metrics.uploads[one]}' for one in ("taken", "refused")]
    lines += ["# TYPE arena_sign_in_failures_total counter", f"arena_sign_in_failures_total {metrics.failures}"]
    for family, names in groupby(sorted(figures), lambda name: name.partition("{")[0]):
        lines.append(f"# TYPE {family} gauge")
        lines += [f"{name} {figures[name]:.15g}" for name in names]
    return "\n".join(lines) + "\n"


ROUTES = [
    Route("/api/v1/", _page),
    Route("/api/v1/openapi.json", _openapi),
    Route("/api/v1/submissions", _submit, methods=["POST"]),
    Route("/api/v1/submissions/{number:int}", _submission),
    Route("/healthz", _health),
    Route("/metrics", _metrics),
]
