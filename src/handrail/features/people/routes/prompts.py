"""`/api/prompts`: what people are asked, asking them, and their answers."""

import logging
from collections.abc import Mapping
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http import paging
from handrail.faces.http.answers import success
from handrail.faces.http.json_body import json_object, optional_text, wrong_field
from handrail.faces.http.people import is_person, must_be_person
from handrail.faces.http.programs import program_name
from handrail.features.people.routes.prompt_board import PromptBoard, State
from handrail.kernel.prompts.foreign_prompts import check_foreign, is_for_a_person
from handrail.ports.prompts import PromptQueue

PATH = "/api/prompts"
_STATES: tuple[State, ...] = get_args(State)

logger = logging.getLogger(__name__)


def routes(queue: PromptQueue, board: PromptBoard, person: str) -> list[Route]:
    async def list_entries(request: Request) -> Response:
        return success(await board.page(_state(request), paging.limit(request), paging.before(request)))

    async def ask(request: Request) -> Response:
        given = await json_object(request, {"requestId", "runId", "prompt"})
        prompt, wanted_id = _member(given, "prompt"), optional_text(given, "requestId")
        check_foreign(prompt, wanted_id)
        request_id = await queue.request(
            _from_somewhere(prompt, request), request_id=wanted_id, run_id=optional_text(given, "runId")
        )
        return success({"requestId": request_id})

    async def answer(request: Request) -> Response:
        request_id = request.path_params["request_id"]
        given = await json_object(request, {"runId", "response"})
        response, run_id = _member(given, "response"), optional_text(given, "runId")
        if not is_person(request) and await is_for_a_person(queue, request_id):
            must_be_person(request, "Answering what handrail asks a person")
        by = f"console:{person}" if is_person(request) else "program"
        receipt = await queue.respond(request_id, response, run_id=run_id, by=by)
        for warning in receipt.warnings:
            logger.warning("%s", warning)
        return success({"warnings": list(receipt.warnings)})

    return [
        Route(PATH, list_entries),
        Route(PATH, ask, methods=["POST"]),
        Route(PATH + "/{request_id:path}/response", answer, methods=["POST"]),
    ]


def _member(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = given.get(name)
    if not isinstance(value, dict):
        raise wrong_field(name, "must be an object")
    return value


def _from_somewhere(prompt: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """Contract 5 §2: where no source is named, the host names the one who asks."""
    if prompt.get("source", "") != "":
        return prompt
    return {**prompt, "source": "console" if is_person(request) else f"http:{program_name(request.scope)}"}


def _state(request: Request) -> State:
    given = request.query_params.get("state", "all")
    for state in _STATES:
        if given == state:
            return state
    raise wrong_field("state", f"must be one of {', '.join(_STATES)}")
