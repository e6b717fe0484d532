"""`/api/activity`, `/api/evidence`, `/api/report`, `/api/undo`: what was done, what shows it, how it is taken back."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import Feed, HttpContext, Mount
from handrail.faces.http.credentials import caller, is_person, must_be_person
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object, page_before, page_limit, text_field
from handrail.features.history.activity_feed import ActivityFeed
from handrail.features.history.reporting import report_of
from handrail.features.history.showing import Shows, shown_to_all, shown_to_programs
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.ports.errors import Conflict, Declined, NotFound

_FILTERS = {"task": "task", "execution": "executionId"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
MAX_EVIDENCE = 64 * 1024 * 1024
_SEALED_OFF = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}


def mount(context: HttpContext) -> Mount:
    project = context.project

    async def list_records(request: Request) -> Response:
        limit, before = page_limit(request), page_before(request)
        shows = shown_to_all if is_person(request) else shown_to_programs(project)
        return success(await asyncio.to_thread(_page, project.audit, limit, before, _wanted(request), shows))

    async def show_evidence(request: Request) -> Response:
        execution, name = request.path_params["execution"], request.path_params["file"]
        shows = shown_to_all if is_person(request) else shown_to_programs(project)
        data = await asyncio.to_thread(_evidence, project, execution, name, shows)
        media_type = "image/png" if name.endswith(".png") else "text/plain; charset=utf-8"
        return Response(data, media_type=media_type, headers=_SEALED_OFF)

    async def report(request: Request) -> Response:
        must_be_person(request, "Telling a task's story")
        task = request.path_params["task"]
        pieces = await asyncio.to_thread(lambda: report_of(project, task)[1])
        name = f"handrail-{_UNSAFE.sub('_', task)[:64]}.html"
        headers = {**_SEALED_OFF, "content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(pieces, media_type="text/html", headers=headers)

    async def undo(request: Request) -> Response:
        must_be_person(request, "Undoing")
        id = text_field(await json_object(request, {"id"}), "id")
        call = Call("undo_write", {"id": id}, caller(request, context.person), trace_id=trace_id(request.scope))
        return success((await context.persons_gate.run(call)).result)

    routes = [
        Route("/api/activity", list_records),
        Route("/api/evidence/{execution}/{file}", show_evidence),
        Route("/api/report/{task}", report),
        Route("/api/undo", undo, methods=["POST"]),
    ]
    feed = ActivityFeed(project.stores.audit, project.stores.watch_audit)
    return Mount(routes, {"activity": Feed("records", feed.follow, lambda: shown_to_programs(project))})


def _wanted(request: Request) -> dict[str, str]:
    """`?task=&execution=`: of all records those of a task, or of one call."""
    given = request.query_params
    return {member: given[name] for name, member in _FILTERS.items() if name in given}


def _page(audit: Audit, limit: int, before: int | None, wanted: Mapping[str, str], shows: Shows) -> dict[str, Any]:
    is_wanted = (record for record in _older(audit, before) if all(record.get(name) == wanted[name] for name in wanted))
    found = filter(shows, is_wanted)
    records = list(islice(found, limit + 1))
    page: dict[str, Any] = {"records": records[:limit]}
    if len(records) > limit:
        page["next"] = records[limit - 1]["seq"]
    return page


def _older(audit: Audit, before: int | None) -> Iterator[dict[str, Any]]:
    for record in audit.entries(reverse=True):
        number = record.get("seq")
        if isinstance(number, int) and (before is None or number < before):
            yield record


def _evidence(project: Project, execution: str, name: str, shows: Shows) -> bytes:
    """Only what the audit names, and only as it was when the audit named it."""
    for record in project.audit.entries(reverse=True):
        if record.get("executionId") != execution or record.get("project") != project.location:
            continue
        if not shows(record):
            raise Declined("A rule denies reading what this shows.", hint="The person can look at it in the console.")
        match record.get("evidence"):
            case {"dir": str(folder), "sha256": {**hashes}} if name in hashes:
                data = project.evidence.read(folder, name, MAX_EVIDENCE)
                if sha256(data).hexdigest() != hashes[name]:
                    raise Conflict(f"{name} was changed since: it no longer shows what {execution} did.")
                return data
    raise NotFound(f"The audit names no evidence {name!r} of {execution!r}.")
