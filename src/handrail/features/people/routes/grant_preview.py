"""`POST /api/prompts/<id>/grant`: previews what a yes would allow, while the person edits it."""

import asyncio
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import require_person
from handrail.faces.http.json_body import json_object, text_field
from handrail.kernel.glob import matcher
from handrail.kernel.grants import rule_from_grant
from handrail.kernel.offered_scopes import choose_offer
from handrail.kernel.prompts.answer_rules import check_response
from handrail.kernel.visible import one_line
from handrail.ports.approval_card import Grant, Offer
from handrail.ports.errors import InvalidParams, NotFound
from handrail.ports.files import Folder
from handrail.ports.prompts import FileChangePrompt

MAX_FILES = 20_000
_MAX_NAMES = 3


def route(path: str, context: HttpContext) -> Route:
    queue, presence = context.project.stores.prompts, context.project.stores.presence

    async def preview(request: Request) -> Response:
        require_person(request, "Editing what an answer allows")
        body = await json_object(request, {"scope", "grant"})
        queued = await queue.find(request.path_params["request_id"])
        if queued is None or not isinstance(queued.prompt, FileChangePrompt):
            raise NotFound("There is no such approval.")
        answer = {"status": "ok", "scope": text_field(body, "scope"), "grant": body.get("grant", {})}
        response = check_response(queued.prompt, answer)
        if response.scope is UNSET or response.scope == "once":
            raise InvalidParams("Once allows nothing beyond the one call.")
        offer = choose_offer(queued.prompt.offers or (), response.scope, response.grant)
        reason = await asyncio.to_thread(presence.why_needed, queued.request, response)
        origins = await queue.origins([queued.request_id])
        is_own = queued.request_id in origins and origins[queued.request_id].is_own
        place = await context.projects.find(_project_of(queued.prompt) if is_own else None)
        matches = await _matches(offer.grant, place.files)
        return success({**_offer_json(offer), "needsPresence": reason is not None, **matches})

    return Route(path, preview, methods=["POST"])


def _project_of(prompt: FileChangePrompt) -> str | None:
    """The project that the call belongs to, which the gate put into the offers."""
    grants = (offer.grant for offer in prompt.offers or ())
    return next((str(grant.project) for grant in grants if grant is not UNSET and grant.project), None)


def _offer_json(offer: Offer) -> dict[str, Any]:
    """The offer in words, and the rule that it would become."""
    assert offer.grant is not UNSET
    fields: dict[str, Any] = msgspec.to_builtins(offer)
    if offer.scope == "rule":
        members = msgspec.to_builtins(rule_from_grant(offer.grant))
        fields["rule"] = {name: one_line(value) if isinstance(value, str) else value for name, value in members.items()}
    return fields


async def _matches(grant: Any, files: Folder) -> dict[str, Any]:
    """How many of this project's files it covers now; empty if it has no path pattern or is for another project."""
    if not isinstance(grant, Grant) or grant.path is UNSET or grant.project not in ("*", files.location):
        return {}
    is_covered = matcher(grant.path)

    def count() -> dict[str, Any]:
        paths = list(islice((path for path, entry in files.walk(".") if not entry.is_folder), MAX_FILES + 1))
        names = [path for path in paths if is_covered(path)]
        return {
            "count": len(names),
            "names": [one_line(name) for name in names[:_MAX_NAMES]],
            "isWhole": len(paths) <= MAX_FILES,
        }

    return {"files": await asyncio.to_thread(count)}
