"""`POST /api/tools/<name>`: one call through the gate. `GET /api/tools`: the list of tools."""

import re

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import client_gone, failed, success
from handrail.faces.http.body_limit import MAX_BODY
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import caller, is_person
from handrail.faces.http.endpoint import run_while_connected
from handrail.faces.http.headers import header, is_visible, trace_id
from handrail.kernel import strict_json
from handrail.kernel.call import Call
from handrail.kernel.registry import UnknownTool
from handrail.ports.errors import Failure, InvalidParams

MAX_TIMEOUT_MS = 3_600_000
_DIGITS = re.compile(r"[0-9]{1,8}")


def routes(context: HttpContext) -> list[Route]:
    gate = context.project.gate

    async def list_tools(request: Request) -> Response:
        return success(gate.registry.catalogue())

    async def call_tool(request: Request) -> Response:
        entry = gate.registry.find(request.path_params["name"])
        try:
            call = await _call(request, entry.tool.name, context.person)
            chosen_gate = context.trying_gate if is_person(request) else gate
            reply = await run_while_connected(request.receive, chosen_gate.run(call))
        except ClientDisconnect:
            return client_gone()
        except UnknownTool:
            raise  # only for people, so no tool's dialect applies
        except Failure as failure:
            return failed(failure, entry.surface.dialect)
        return success(reply.value, reply.notes)

    return [Route("/api/tools", list_tools), Route("/api/tools/{name}", call_tool, methods=["POST"])]


async def _call(request: Request, tool: str, person: str) -> Call:
    scope = request.scope
    return Call(
        tool=tool,
        caller=caller(request, person),
        task=_task(header(scope, b"x-task-id")),
        deadline_ms=_timeout_ms(header(scope, b"x-timeout-ms")),
        trace_id=trace_id(scope),
        params=strict_json.decode(await request.body(), max_bytes=MAX_BODY),
    )


def _task(task: str | None) -> str | None:
    if task is not None and not is_visible(task):
        raise InvalidParams("X-Task-Id must be 1 to 128 visible ASCII characters.")
    return task


def _timeout_ms(text: str | None) -> int | None:
    if text is None:
        return None
    if not _DIGITS.fullmatch(text) or not 1 <= int(text) <= MAX_TIMEOUT_MS:
        raise InvalidParams(f"X-Timeout-Ms must be a whole number from 1 to {MAX_TIMEOUT_MS}.")
    return int(text)
