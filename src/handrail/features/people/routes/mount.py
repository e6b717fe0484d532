"""`/api/prompts`: what people are asked, how they answer, and news for everybody who is connected."""

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
) -> list[Route]:
    async def list_entries(request: Request) -> Response:
        """An agent sees what it has posted itself: other questions show other files, agents and projects."""
        posted_by = None if agent_of(request.scope) is None else _poster(request, person)
        return success(await board.page(_state(request), page_limit(request), page_before(request), posted_by))

    async def ask(request: Request) -> Response:
        given = await json_object(request, {"requestId", "runId", "prompt", "waiter"})
        prompt, wanted_id = _member(given, "prompt"), optional_text(given, "requestId")
        run_id, waiter = optional_text(given, "runId"), optional_text(given, "waiter")
        check_foreign(prompt, wanted_id)
        asked, origin = _from_somewhere(prompt, request), Origin(_poster(request, person))
        if waiter is None:
            request_id = await queue.request(asked, request_id=wanted_id, run_id=run_id, origin=origin)
        else:
            request_id = await waiters.ask(waiter, asked, request_id=wanted_id, run_id=run_id, origin=origin)
        return success({"requestId": request_id})

    async def answers(request: Request) -> Response:
        """Answers to what a waiter has asked, secrets included: it holds until there is one, or for a while."""
        given = await json_object(request, {"waiter", "received"})
        received = given.get("received", [])
        if not isinstance(received, list) or not all(isinstance(each, str) for each in received):
            raise wrong_field("received", "must be a list of requestIds")
        name = optional_text(given, "waiter") or ""
        answered = waiters.answers(name, _poster(request, person), received)
        return success({"answers": await run_while_connected(request.receive, answered)})

    async def answer(request: Request) -> Response:
        request_id = request.path_params["request_id"]
        given = await json_object(request, {"runId", "response", "presence", "waiter"})
        response, run_id = _member(given, "response"), optional_text(given, "runId")
        is_its_own = waiters.has_asked(optional_text(given, "waiter") or "", request_id)
        if not is_person(request) and not is_its_own and await _is_for_others(request, request_id):
            require_person(request, "Answering what others ask")
        by = f"console:{person_of(request, person)}" if is_person(request) else "program"
        try:
            proof = await _proof(request, given.get("presence"), request_id, response)
            receipt = await queue.respond(request_id, response, run_id=run_id, by=by, proof=proof)
        except WindowDenied:
            receipt = await queue.respond(request_id, {"status": "canceled"}, run_id=run_id, by=by)
        except PresenceNeeded as needed:
            raise await _with_ways(needed, request_id, response) from None
        for warning in receipt.warnings:
            logger.warning("%s", warning)
        return success({"warnings": list(receipt.warnings)})

    async def _is_for_others(request: Request, request_id: str) -> bool:
        """What handrail asks, and of the rest, where an agent answers, what it has not posted itself."""
        if await needs_person(queue, request_id):
            return True
        if agent_of(request.scope) is None or await queue.find(request_id) is None:
            return False
        origin = (await queue.origins([request_id])).get(request_id)
        return origin is None or origin.by != _poster(request, person)

    async def _proof(request: Request, given: Any, request_id: str, response: Mapping[str, Any]) -> Proof | None:
        if given is None or (asked := await queue.find(request_id)) is None:
            return None
        require_person(request, "Proving that a person is present")
        checked = check_response(asked.prompt, response)
        challenge = presence.challenge(asked.request, checked)
        return await proofs.requested(request, given, confirmation_of(asked.request, checked, challenge))

    async def _with_ways(needed: PresenceNeeded, request_id: str, response: Mapping[str, Any]) -> PresenceNeeded:
        """What the page needs to prove it: each way is bound to this prompt and this answer."""
        if (found := await queue.find(request_id)) is not None:
            checked = check_response(found.prompt, response)
            needed.details["command"] = answering_command(request_id, checked)
            needed.details |= await proofs.ways(presence.challenge(found.request, checked))
        return needed

    async def show_masked(request: Request) -> Response:
        """The passwords in a question, for the person who decides: `{values}`. Kept nowhere on the way."""
        require_person(request, "Showing a password")
        values = await queue.masked(request.path_params["request_id"])
        if not values:
            raise NotFound("The program that asked is gone, and the password with it.")
        response = success({"values": dict(values)})
        response.headers["Cache-Control"] = "no-store"
        return response

    async def answer_several(request: Request) -> Response:
        """Similar approvals at once: exactly those that the page has shown, each named with its digest."""
        require_person(request, "Answering approvals")
        given = await json_object(request, {"items", "response"})
        by, shown = f"console:{person_of(request, person)}", _shown(given.get("items"))
        outcomes = await answer_all(queue, shown, _member(given, "response"), by=by)
        return success({"answers": [_outcome(request_id, each) for request_id, each in outcomes.items()]})

    async def ask_panel(request: Request) -> Response:
        """An app to the console window that it has opened: `{panel, action}` → `{isOpen}`, as it was before."""
        given = await json_object(request, {"panel", "action"})
        action = given.get("action")
        if action not in _ACTIONS:
            raise wrong_field("action", f"must be one of {', '.join(_ACTIONS)}")
        return success({"isOpen": panels.ask(optional_text(given, "panel") or "", action)})

    async def follow_panel(request: Request) -> Response:
        """The console window: `{panel}` → `{order}`, once there is one, or null after a while."""
        require_person(request, "Showing the console")
        given = await json_object(request, {"panel"})
        order = panels.next_order(optional_text(given, "panel") or "")
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


def _member(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = given.get(name)
    if not isinstance(value, dict):
        raise wrong_field(name, "must be an object")
    return value


def _shown(items: Any) -> list[ShownApproval]:
    try:
        return [ShownApproval(each.request_id, each.digest) for each in msgspec.convert(items, list[_Item])]
    except msgspec.ValidationError:
        raise wrong_field("items", "must be a list of {requestId, digest}") from None


def _outcome(request_id: str, outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, Failure):
        return {"requestId": request_id, "ok": True}
    return {"requestId": request_id, "ok": False, "error": http_envelope(outcome)["error"]}


def _from_somewhere(prompt: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """Contract 5 §2: where no source is named, the host names the one who asks."""
    if prompt.get("source", "") != "":
        return prompt
    return {**prompt, "source": "console" if is_person(request) else f"http:{program_name(request.scope)}"}


def _poster(request: Request, person: str) -> str:
    who = caller(request, person)
    return f"{who.face}:{who.name} ({who.identity})"


def _state(request: Request) -> State:
    given = request.query_params.get("state", "all")
    for state in _STATES:
        if given == state:
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

    feeds = {"ui_prompts": Feed("entries", board.follow, is_for_agents=False)}
    presence = context.project.stores.presence
    routes = [grant_preview.route(f"{PATH}/{{request_id:path}}/grant", context)]
    routes += _routes(queue, board, waiters, Panels(), context.person, presence, PersonProof(presence, context.windows))
    return Mount(routes, feeds, running, is_for_programs=is_for_programs)
