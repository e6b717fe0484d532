"""`/api/prompts`: the questions to people, their answers, and live updates of both."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from handrail.faces.http.answers import http_envelope, success
from handrail.faces.http.confirm_windows import WindowDenied
from handrail.faces.http.context import Feed, HttpContext, Mount
from handrail.faces.http.credentials import agent_of, caller, is_person, person_of, program_name, require_person
from handrail.faces.http.endpoint import run_while_connected
from handrail.faces.http.json_body import json_object, optional_text, page_before, page_limit, wrong_field
from handrail.faces.http.person_proof import PersonProof
from handrail.faces.socketio.rooms import Rooms
from handrail.features.people.routes import grant_preview
from handrail.features.people.routes.confirmation import confirmation_of
from handrail.features.people.routes.panels import Action, Panels
from handrail.features.people.routes.prompt_board import PromptBoard, State
from handrail.features.people.routes.remote_waiters import RemoteWaiters
from handrail.kernel.presence import answering_command
from handrail.kernel.prompts.answer_rules import check_response
from handrail.kernel.prompts.bundles import Outcome, ShownApproval, answer_all
from handrail.kernel.prompts.foreign_prompts import check_foreign, needs_person
from handrail.kernel.question_limit import QuestionLimit
from handrail.ports.errors import Failure, NotFound
from handrail.ports.presence import Presence, PresenceNeeded, Proof
from handrail.ports.prompt_queue import Origin, PromptQueue

PATH = "/api/prompts"
_STATES: tuple[State, ...] = get_args(State)
_ACTIONS: tuple[Action, ...] = get_args(Action)

logger = logging.getLogger(__name__)


class _Item(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    request_id: str
    digest: str


def _routes(
    queue: PromptQueue,
    board: PromptBoard,
    waiters: RemoteWaiters,
    panels: Panels,
    person: str,
    presence: Presence,
    proofs: PersonProof,
    limit: QuestionLimit,
) -> list[Route]:
    async def list_entries(request: Request) -> Response:
        """An agent sees only what it posted itself: other questions show other files, agents and projects."""
        posted_by = None if agent_of(request.scope) is None else _poster(request, person)
        if (request_id := request.query_params.get("requestId")) is not None:
            return success(await board.one(request_id, posted_by))
        return success(await board.page(_state(request), page_limit(request), page_before(request), posted_by))

    async def ask(request: Request) -> Response:
        body = await json_object(request, {"requestId", "runId", "prompt", "waiter"})
        prompt, wanted_id = _member(body, "prompt"), optional_text(body, "requestId")
        run_id, waiter = optional_text(body, "runId"), optional_text(body, "waiter")
        check_foreign(prompt, wanted_id)
        if agent_of(request.scope) is not None:
            await limit.take(caller(request, person))
        asked, origin = _with_source(prompt, request), Origin(_poster(request, person))
        if waiter is None:
            request_id = await queue.request(asked, request_id=wanted_id, run_id=run_id, origin=origin)
        else:
            request_id = await waiters.ask(waiter, asked, request_id=wanted_id, run_id=run_id, origin=origin)
        return success({"requestId": request_id})

    async def answers(request: Request) -> Response:
        """Returns the answers to a waiter's questions, including secrets; waits up to the poll time for one."""
        body = await json_object(request, {"waiter", "received"})
        received = body.get("received", [])
        if not isinstance(received, list) or not all(isinstance(each, str) for each in received):
            raise wrong_field("received", "must be a list of requestIds")
        name = optional_text(body, "waiter") or ""
        pending_answers = waiters.answers(name, _poster(request, person), received)
        return success({"answers": await run_while_connected(request.receive, pending_answers)})

    async def answer(request: Request) -> Response:
        request_id = request.path_params["request_id"]
        body = await json_object(request, {"runId", "response", "presence", "waiter"})
        response, run_id = _member(body, "response"), optional_text(body, "runId")
        is_own_question = waiters.has_asked(optional_text(body, "waiter") or "", request_id)
        if not is_person(request) and not is_own_question and await _is_for_others(request, request_id):
            require_person(request, "Answering what others ask")
        by = f"console:{person_of(request, person)}" if is_person(request) else "program"
        try:
            proof = await _proof(request, body.get("presence"), request_id, response)
            receipt = await queue.respond(request_id, response, run_id=run_id, by=by, proof=proof)
        except WindowDenied:
            receipt = await queue.respond(request_id, {"status": "canceled"}, run_id=run_id, by=by)
        except PresenceNeeded as needed:
            raise await _with_ways_to_prove(needed, request_id, response) from None
        for warning in receipt.warnings:
            logger.warning("%s", warning)
        return success({"warnings": list(receipt.warnings)})

    async def _is_for_others(request: Request, request_id: str) -> bool:
        """Whether only a person may answer: handrail's questions, and for an agent, those of other programs."""
        if await needs_person(queue, request_id):
            return True
        if agent_of(request.scope) is None or await queue.find(request_id) is None:
            return False
        origin = (await queue.origins([request_id])).get(request_id)
        return origin is None or origin.by != _poster(request, person)

    async def _proof(request: Request, raw: Any, request_id: str, response: Mapping[str, Any]) -> Proof | None:
        if raw is None or (queued := await queue.find(request_id)) is None:
            return None
        require_person(request, "Proving that a person is present")
        checked = check_response(queued.prompt, response)
        challenge = presence.challenge(queued.request, checked)
        return await proofs.requested(request, raw, confirmation_of(queued.request, checked, challenge))

    async def _with_ways_to_prove(
        needed: PresenceNeeded, request_id: str, response: Mapping[str, Any]
    ) -> PresenceNeeded:
        """Adds what the page needs to prove presence; each way is bound to this prompt and this answer."""
        if (queued := await queue.find(request_id)) is not None:
            checked = check_response(queued.prompt, response)
            needed.details["command"] = answering_command(request_id, checked)
            needed.details |= await proofs.ways(presence.challenge(queued.request, checked))
        return needed

    async def show_masked(request: Request) -> Response:
        """The passwords in a question, for the person who decides: `{values}`. They are not stored anywhere."""
        require_person(request, "Showing a password")
        values = await queue.masked(request.path_params["request_id"])
        if not values:
            raise NotFound("The program that asked is gone, and the password with it.")
        response = success({"values": dict(values)})
        response.headers["Cache-Control"] = "no-store"
        return response

    async def answer_several(request: Request) -> Response:
        """Answers similar approvals at once: exactly those that the page has shown, each named with its digest."""
        require_person(request, "Answering approvals")
        body = await json_object(request, {"items", "response"})
        by, shown = f"console:{person_of(request, person)}", _shown_items(body.get("items"))
        outcomes = await answer_all(queue, shown, _member(body, "response"), by=by)
        return success({"answers": [_outcome(request_id, each) for request_id, each in outcomes.items()]})

    async def ask_panel(request: Request) -> Response:
        """From an app to the console window that it opened: `{panel, action}` → `{isOpen}`, the state before."""
        body = await json_object(request, {"panel", "action"})
        action = body.get("action")
        if action not in _ACTIONS:
            raise wrong_field("action", f"must be one of {', '.join(_ACTIONS)}")
        return success({"isOpen": panels.ask(optional_text(body, "panel") or "", action)})

    async def follow_panel(request: Request) -> Response:
        """From the console window: `{panel}` → `{order}`, once there is one, or null after a while."""
        require_person(request, "Showing the console")
        body = await json_object(request, {"panel"})
        order = panels.next_order(optional_text(body, "panel") or "")
        return success({"order": await run_while_connected(request.receive, order)})

    return [
        Route(PATH, list_entries),
        Route(PATH, ask, methods=["POST"]),
        Route(PATH + "/responses", answer_several, methods=["POST"]),
        Route(PATH + "/answers", answers, methods=["POST"]),
        Route(PATH + "/panel", ask_panel, methods=["POST"]),
        Route(PATH + "/panel/orders", follow_panel, methods=["POST"]),
        Route(PATH + "/{request_id:path}/response", answer, methods=["POST"]),
        Route(PATH + "/{request_id:path}/masked", show_masked, methods=["POST"]),
    ]


def _member(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if not isinstance(value, dict):
        raise wrong_field(name, "must be an object")
    return value


def _shown_items(items: Any) -> list[ShownApproval]:
    try:
        return [ShownApproval(each.request_id, each.digest) for each in msgspec.convert(items, list[_Item])]
    except msgspec.ValidationError:
        raise wrong_field("items", "must be a list of {requestId, digest}") from None


def _outcome(request_id: str, outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, Failure):
        return {"requestId": request_id, "ok": True}
    return {"requestId": request_id, "ok": False, "error": http_envelope(outcome)["error"]}


def _with_source(prompt: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """Contract 5 §2: if the prompt names no source, the host names the program that asks."""
    if prompt.get("source", "") != "":
        return prompt
    return {**prompt, "source": "console" if is_person(request) else f"http:{program_name(request.scope)}"}


def _poster(request: Request, person: str) -> str:
    by = caller(request, person)
    return f"{by.face}:{by.name} ({by.identity})"


def _state(request: Request) -> State:
    value = request.query_params.get("state", "all")
    for state in _STATES:
        if value == state:
            return state
    raise wrong_field("state", f"must be one of {', '.join(_STATES)}")


def mount(context: HttpContext) -> Mount:
    queue = context.project.stores.prompts
    board, waiters = PromptBoard(queue), RemoteWaiters(queue)

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        async with board.run(), waiters.run():
            yield

    def is_for_programs(scope: Scope) -> bool:
        path: str = scope["path"]
        return path == PATH or path.startswith(f"{PATH}/")

    feeds = {"ui_prompts": Feed("entries", board.follow)}
    presence = context.project.stores.presence
    routes = [grant_preview.route(f"{PATH}/{{request_id:path}}/grant", context)]
    limit = QuestionLimit(context.project.stores.questions, context.project.settings.questions_per_minute)
    proofs = PersonProof(presence, context.windows)
    routes += _routes(queue, board, waiters, Panels(), context.person, presence, proofs, limit)
    return Mount(routes, feeds, running, is_for_programs=is_for_programs)
