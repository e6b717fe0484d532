"""`/api/apps`: the apps as a person sees them, what they have allowed for good, and their sign-ins.

Only for people: no route is open to the token. Apps are called like every other tool.
"""

import asyncio
import contextlib
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.json_body import json_object, optional_text, text_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.apps.manager import AppManager, app_manager
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.ports.secrets import Secret

_LOOKING = "Looking after apps in the console"
_SIGN_IN_SECONDS = 600.0


def mount(context: HttpContext) -> Mount:
    apps = app_manager(context.project.stores, context.project.audit)
    sign_ins = _SignIns(apps)
    proofs = PersonProof(context.project.stores.presence, context.windows)

    async def overview(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(await apps.overview())

    async def description(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(sign_ins.told(await apps.description(request.path_params["id"])))

    async def consents(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success({"consents": await apps.given()})

    async def revoke(request: Request) -> Response:
        require_person(request, "Revoking a consent")
        await apps.revoke(request.path_params["id"], caller(request, context.person))
        return success({"consents": await apps.given()})

    async def restore(request: Request) -> Response:
        require_person(request, "Restoring a consent")
        given, consent = await json_object(request, {"presence"}), apps.revoked(request.path_params["id"])
        shown = {"app": consent.app, "tool": consent.tool or "*", "agent": consent.caller}
        action = Action("rule", "Restoring a consent", shown, "")
        proof = await proofs.for_action(request, given.get("presence"), action)
        await apps.restore(consent.id, caller(request, context.person), proof)
        return success({"consents": await apps.given()})

    async def keep_key(request: Request) -> Response:
        require_person(request, "Signing in to an app")
        id, given = request.path_params["id"], await json_object(request, {"key"})
        await apps.keep_key(id, Secret(text_field(given, "key")), caller(request, context.person))
        return success(sign_ins.told(await apps.description(id)))

    async def sign_in(request: Request) -> Response:
        require_person(request, "Signing in to an app")
        given = await json_object(request, {"clientId"})
        who, id = caller(request, context.person), request.path_params["id"]
        address = await sign_ins.begin(id, optional_text(given, "clientId"), who)
        return success({"address": address})

    async def sign_out(request: Request) -> Response:
        require_person(request, "Signing out of an app")
        id = request.path_params["id"]
        sign_ins.end(id)
        await apps.sign_out(id, caller(request, context.person))
        return success(sign_ins.told(await apps.description(id)))

    return Mount(
        [
            Route("/api/apps", overview),
            Route("/api/apps/consents", consents),
            Route("/api/apps/consents/{id}", revoke, methods=["DELETE"]),
            Route("/api/apps/consents/{id}/restore", restore, methods=["POST"]),
            Route("/api/apps/{id}", description),
            Route("/api/apps/{id}/key", keep_key, methods=["POST"]),
            Route("/api/apps/{id}/sign-in", sign_in, methods=["POST"]),
            Route("/api/apps/{id}/sign-in", sign_out, methods=["DELETE"]),
        ]
    )


class _SignIns:
    """Sign-ins that wait for a person in the browser: one per app; a new one replaces the old."""

    def __init__(self, apps: AppManager) -> None:
        self._apps = apps
        self._waiting: dict[str, asyncio.Task[Any]] = {}
        self._ended: dict[str, str] = {}

    async def begin(self, id: str, client_id: str | None, by: Caller) -> str:
        """The address at which the person signs in. Failures if it can't begin."""
        self.end(id)
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        signing_in = self._apps.sign_in(id, address.set_result, by, client_id=client_id, patience=_SIGN_IN_SECONDS)
        task = asyncio.ensure_future(signing_in)
        waiting: list[asyncio.Future[Any]] = [address, task]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not address.done():
            await task  # raises why
        self._waiting[id] = task
        task.add_done_callback(lambda done: self._note(id, done))
        return address.result()

    def end(self, id: str) -> None:
        self._ended.pop(id, None)
        if (task := self._waiting.pop(id, None)) is not None:
            task.cancel()

    def told(self, description: dict[str, Any]) -> dict[str, Any]:
        """Adds the outcome of the last try."""
        id, auth = description["id"], description["auth"]
        more: dict[str, Any] = {"isWaiting": id in self._waiting}
        if id in self._ended:
            more["problem"] = self._ended[id]
        return {**description, "auth": {**auth, **more}}

    def _note(self, id: str, task: "asyncio.Task[Any]") -> None:
        if self._waiting.get(id) is task:
            del self._waiting[id]
        with contextlib.suppress(asyncio.CancelledError):
            failure = task.exception()
            if failure is not None:
                self._ended[id] = failure.message if isinstance(failure, Failure) else "handrail failed."
