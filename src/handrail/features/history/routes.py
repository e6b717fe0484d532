"""`/api/activity`, `/api/evidence`, `/api/report`, `/api/undo`, `/api/projects`: what was done, what shows it,
how it is undone. A person reaches every project that uses this state directory, a program only the server's own.
"""

import asyncio
import os
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
from handrail.faces.http.json_body import json_object, optional_text, page_before, page_limit
from handrail.features.history.activity_feed import ActivityFeed
from handrail.features.history.audit_index import AuditIndex, ProjectUse, TaskUse
from handrail.features.history.outcome import Outcome, with_outcome
from handrail.features.history.reporting import report_of
from handrail.features.history.showing import Shows, shown_to_all, shown_to_programs
from handrail.kernel.approval import CommandApprover
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.ports.errors import Conflict, Declined, Failure, InvalidParams, NotFound

_FILTERS = {"task": "task", "execution": "executionId", "project": "project", "caller": "caller"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
MAX_EVIDENCE = 64 * 1024 * 1024
_SEALED_OFF = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}


def mount(context: HttpContext) -> Mount:
    project = context.project
    known: AuditIndex = project.part("history")

    async def reached(request: Request, folder: str | None) -> Project:
        """Another project is opened for a person alone, and only where the audit names it."""
        if folder is None or folder == project.location or not is_person(request):
            return project
        return await context.projects.find(await asyncio.to_thread(known.checked, folder))

    async def list_projects(request: Request) -> Response:
        must_be_person(request, "Seeing other projects")
        found = await asyncio.to_thread(known.projects)
        others = sorted((use for use in found.values() if use.path != project.location), key=lambda use: use.last)
        uses = [(project.location, found.get(project.location)), *((use.path, use) for use in reversed(others))]
        return success({"projects": [_project(path, use, path == project.location) for path, use in uses]})

    async def list_tasks(request: Request) -> Response:
        must_be_person(request, "Seeing every task")
        limit, given = page_limit(request), request.query_params
        found = await asyncio.to_thread(known.tasks, given.get("project"), given.get("before"), limit + 1)
        page: dict[str, Any] = {"tasks": [_task(use) for use in found[:limit]]}
        return success(page if len(found) <= limit else {**page, "next": found[limit - 1].last})

    async def list_records(request: Request) -> Response:
        limit, before = page_limit(request), page_before(request)
        shows = shown_to_all if is_person(request) else shown_to_programs(project)
        return success(await asyncio.to_thread(_page, project.audit, limit, before, _wanted(request), shows))

    async def show_evidence(request: Request) -> Response:
        execution, name = request.path_params["execution"], request.path_params["file"]
        shows = shown_to_all if is_person(request) else shown_to_programs(project)
        try:
            place = await reached(request, await asyncio.to_thread(known.of_execution, execution))
        except Failure:  # it may be of a folder that is gone
            place = project
        data = await asyncio.to_thread(_evidence, place, execution, name, shows)
        media_type = "image/png" if name.endswith(".png") else "text/plain; charset=utf-8"
        return Response(data, media_type=media_type, headers=_SEALED_OFF)

    async def report(request: Request) -> Response:
        must_be_person(request, "Telling a task's story")
        task = request.path_params["task"]
        place = await reached(request, request.query_params.get("project"))
        pieces = await asyncio.to_thread(lambda: report_of(place, task)[1])
        name = f"handrail-{_UNSAFE.sub('_', task)[:64]}.html"
        headers = {**_SEALED_OFF, "content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(pieces, media_type="text/html", headers=headers)

    async def undo(request: Request) -> Response:
        must_be_person(request, "Undoing")
        given = await json_object(request, {"id", "task", "path", "to", "project"})
        params = {name: optional_text(given, name) for name in ("id", "task", "path", "to")}
        if not any(params.values()):
            raise InvalidParams("Name what to undo: an id, a task, a path or a time.")
        folder = optional_text(given, "project")
        if folder is None and params["id"] is not None:
            folder = await asyncio.to_thread(known.of_execution, params["id"])
        place = await reached(request, folder)
        gate = context.persons_gate if place is project else place.gate.with_approver(CommandApprover())
        call = Call("undo_write", params, caller(request, context.person), trace_id=trace_id(request.scope))
        return success((await gate.run(call)).result)

    routes = [
        Route("/api/activity", list_records),
        Route("/api/evidence/{execution}/{file}", show_evidence),
        Route("/api/report/{task}", report),
        Route("/api/undo", undo, methods=["POST"]),
        Route("/api/projects", list_projects),
        Route("/api/history", list_tasks),
    ]
    feed = ActivityFeed(project.stores.audit, project.stores.watch_audit)
    activity = Feed("records", feed.follow, lambda: shown_to_programs(project), is_for_pages=True)
    return Mount(routes, {"activity": activity})


def _project(path: str, use: ProjectUse | None, is_own: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"path": path, "name": os.path.basename(path) or path, "isOwn": is_own}
    return told if use is None else {**told, "lastUsed": use.last, "calls": use.calls}


_NOT_DONE: tuple[Outcome, ...] = ("denied", "unanswered", "failed", "unknown")


def _task(use: TaskUse) -> dict[str, Any]:
    told: dict[str, Any] = {"project": use.project, "caller": use.caller, "first": use.first, "last": use.last}
    told |= {"calls": use.calls, "changes": use.changes, "running": len(use.open)}
    told |= {name: use.came_to[name] for name in _NOT_DONE}
    return told if use.task is None else {**told, "task": use.task}


def _wanted(request: Request) -> dict[str, str]:
    """`?task=&execution=&project=&caller=`: of all records those of a task, a call, a project or a caller."""
    given = request.query_params
    return {member: given[name] for name, member in _FILTERS.items() if name in given}


def _page(audit: Audit, limit: int, before: int | None, wanted: Mapping[str, str], shows: Shows) -> dict[str, Any]:
    is_wanted = (record for record in _older(audit, before) if all(record.get(name) == wanted[name] for name in wanted))
    found = filter(shows, is_wanted)
    records = list(islice(found, limit + 1))
    page: dict[str, Any] = {"records": [with_outcome(record) for record in records[:limit]]}
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
