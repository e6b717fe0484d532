"""`/api/activity`, `/api/evidence`, `/api/report`, `/api/undo`, `/api/projects`, `/api/history`.

They show what was done and undo it. A person has access to every project that uses this state directory, a program
only to the server's own, and an agent there only to what it did itself.
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
from handrail.faces.http.credentials import agent_of, caller, is_person, require_person
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object, optional_text, page_before, page_limit
from handrail.features.history.activity_feed import ActivityFeed
from handrail.features.history.audit_index import AuditIndex, ProjectUse, TaskUse
from handrail.features.history.outcome import Outcome, with_outcome
from handrail.features.history.reporting import make_report
from handrail.features.history.showing import RecordFilter, allow_all, program_filter
from handrail.kernel.approval import CommandApprover
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.ports.errors import Conflict, Declined, Failure, InvalidParams, NotFound

_FILTERS = {"task": "task", "execution": "executionId", "project": "project", "caller": "caller"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
MAX_EVIDENCE = 64 * 1024 * 1024
_INERT_HEADERS = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}


def mount(context: HttpContext) -> Mount:
    project = context.project
    index: AuditIndex = project.part("history")

    async def open_project(request: Request, folder: str | None) -> Project:
        """Opens another project only for a person, and only if the audit names it."""
        if folder is None or folder == project.location or not is_person(request):
            return project
        return await context.projects.find(await asyncio.to_thread(index.check_project, folder))

    def filter_for(request: Request) -> RecordFilter:
        return allow_all if is_person(request) else program_filter(project, agent_of(request.scope))

    async def list_projects(request: Request) -> Response:
        require_person(request, "Seeing other projects")
        entries = await asyncio.to_thread(index.projects)
        others = sorted((use for use in entries.values() if use.path != project.location), key=lambda use: use.last)
        uses = [(project.location, entries.get(project.location)), *((use.path, use) for use in reversed(others))]
        return success({"projects": [_project_json(path, use, path == project.location) for path, use in uses]})

    async def list_tasks(request: Request) -> Response:
        require_person(request, "Seeing every task")
        limit, query = page_limit(request), request.query_params
        entries = await asyncio.to_thread(index.tasks, query.get("project"), query.get("before"), limit + 1)
        page: dict[str, Any] = {"tasks": [_task_json(use) for use in entries[:limit]]}
        return success(page if len(entries) <= limit else {**page, "next": entries[limit - 1].last})

    async def list_records(request: Request) -> Response:
        limit, before = page_limit(request), page_before(request)
        shows = filter_for(request)
        return success(
            await asyncio.to_thread(_records_page, project.audit, limit, before, _read_filters(request), shows)
        )

    async def show_evidence(request: Request) -> Response:
        execution, name = request.path_params["execution"], request.path_params["file"]
        shows = filter_for(request)
        try:
            place = await open_project(request, await asyncio.to_thread(index.project_of, execution))
        except Failure:  # the folder may have been removed
            place = project
        data = await asyncio.to_thread(_evidence, place, execution, name, shows)
        media_type = "image/png" if name.endswith(".png") else "text/plain; charset=utf-8"
        return Response(data, media_type=media_type, headers=_INERT_HEADERS)

    async def report(request: Request) -> Response:
        require_person(request, "Exporting a report")
        task = request.path_params["task"]
        place = await open_project(request, request.query_params.get("project"))
        pieces = await asyncio.to_thread(lambda: make_report(place, task)[1])
        name = f"handrail-{_UNSAFE.sub('_', task)[:64]}.html"
        headers = {**_INERT_HEADERS, "content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(pieces, media_type="text/html", headers=headers)

    async def undo(request: Request) -> Response:
        require_person(request, "Undoing")
        query = await json_object(request, {"id", "task", "path", "to", "project"})
        params = {name: optional_text(query, name) for name in ("id", "task", "path", "to")}
        if not any(params.values()):
            raise InvalidParams("Specify what to undo: an id, a task, a path or a time.")
        folder = optional_text(query, "project")
        if folder is None and params["id"] is not None:
            folder = await asyncio.to_thread(index.project_of, params["id"])
        place = await open_project(request, folder)
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
    activity = Feed(
        "records",
        feed.follow,
        lambda: program_filter(project),
        is_for_pages=True,
        owner=lambda record: record.get("identity"),
    )
    return Mount(routes, {"activity": activity})


def _project_json(path: str, use: ProjectUse | None, is_own: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"path": path, "name": os.path.basename(path) or path, "isOwn": is_own}
    return result if use is None else {**result, "lastUsed": use.last, "calls": use.calls}


_REPORTED_OUTCOMES: tuple[Outcome, ...] = ("denied", "unanswered", "failed", "unknown")


def _task_json(use: TaskUse) -> dict[str, Any]:
    result: dict[str, Any] = {"project": use.project, "caller": use.caller, "first": use.first, "last": use.last}
    result |= {"calls": use.calls, "changes": use.changes, "running": len(use.open)}
    result |= {name: use.outcomes[name] for name in _REPORTED_OUTCOMES}
    return result if use.task is None else {**result, "task": use.task}


def _read_filters(request: Request) -> dict[str, str]:
    """`?task=&execution=&project=&caller=`: only records of this task, call, project or caller."""
    query = request.query_params
    return {member: query[name] for name, member in _FILTERS.items() if name in query}


def _records_page(
    audit: Audit, limit: int, before: int | None, filters: Mapping[str, str], is_visible: RecordFilter
) -> dict[str, Any]:
    matching = (
        record
        for record in _records_before(audit, before)
        if all(record.get(name) == filters[name] for name in filters)
    )
    visible = filter(is_visible, matching)
    records = list(islice(visible, limit + 1))
    page: dict[str, Any] = {"records": [with_outcome(record) for record in records[:limit]]}
    if len(records) > limit:
        page["next"] = records[limit - 1]["seq"]
    return page


def _records_before(audit: Audit, before: int | None) -> Iterator[dict[str, Any]]:
    for record in audit.entries(reverse=True):
        number = record.get("seq")
        if isinstance(number, int) and (before is None or number < before):
            yield record


def _evidence(project: Project, execution: str, name: str, is_visible: RecordFilter) -> bytes:
    """Returns only files that the audit names, and only if they still have the hash in the audit."""
    for record in project.audit.entries(reverse=True):
        if record.get("executionId") != execution or record.get("project") != project.location:
            continue
        if not is_visible(record):
            raise Declined("A rule denies reading what this shows.", hint="The person can see it in the console.")
        match record.get("evidence"):
            case {"dir": str(folder), "sha256": {**hashes}} if name in hashes:
                data = project.evidence.read(folder, name, MAX_EVIDENCE)
                if sha256(data).hexdigest() != hashes[name]:
                    raise Conflict(f"{name} was changed since: it no longer shows what {execution} did.")
                return data
    raise NotFound(f"The audit names no evidence {name!r} of {execution!r}.")
