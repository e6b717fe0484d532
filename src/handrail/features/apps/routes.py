"""`/api/apps`: apps, consents and sign-ins, for the console.

Only for people: no route accepts the API token. Apps are called like any other tool.
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

_ACTIVITY = "Managing apps in the console"
_SIGN_IN_SECONDS = 600.0


def mount(context: HttpContext) -> Mount:
    apps = app_manager(context.project.stores, context.project.audit)
    sign_ins = _SignIns(apps)
    proofs = PersonProof(context.project.stores.presence, context.windows)

    async def overview(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success(await apps.overview())

    async def description(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success(sign_ins.with_outcome(await apps.description(request.path_params["id"])))

    async def consents(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success({"consents": await apps.consents()})

    async def revoke(request: Request) -> Response:
        require_person(request, "Revoking a consent")
        await apps.revoke(request.path_params["id"], caller(request, context.person))
        return success({"consents": await apps.consents()})

    async def restore(request: Request) -> Response:
        require_person(request, "Restoring a consent")
        body, consent = await json_object(request, {"presence"}), apps.revoked(request.path_params["id"])
        facts = {"app": consent.app, "tool": consent.tool or "*", "agent": consent.caller}
        action = Action("rule", "Restoring a consent", facts, "")
        proof = await proofs.for_action(request, body.get("presence"), action)
        await apps.restore(consent.id, caller(request, context.person), proof)
        return success({"consents": await apps.consents()})

    async def store_key(request: Request) -> Response:
        require_person(request, "Signing in to an app")
        id, body = request.path_params["id"], await json_object(request, {"key"})
        await apps.store_key(id, Secret(text_field(body, "key")), caller(request, context.person))
        return success(sign_ins.with_outcome(await apps.description(id)))

    async def sign_in(request: Request) -> Response:
        require_person(request, "Signing in to an app")
        body = await json_object(request, {"clientId"})
        person, id = caller(request, context.person), request.path_params["id"]
        address = await sign_ins.begin(id, optional_text(body, "clientId"), person)
        return success({"address": address})

    async def sign_out(request: Request) -> Response:
        require_person(request, "Signing out of an app")
        id = request.path_params["id"]
        sign_ins.end(id)
        await apps.sign_out(id, caller(request, context.person))
        return success(sign_ins.with_outcome(await apps.description(id)))

    return Mount(
        [
            Route("/api/apps", overview),
            Route("/api/apps/consents", consents),
            Route("/api/apps/consents/{id}", revoke, methods=["DELETE"]),
            Route("/api/apps/consents/{id}/restore", restore, methods=["POST"]),
            Route("/api/apps/{id}", description),
            Route("/api/apps/{id}/key", store_key, methods=["POST"]),
            Route("/api/apps/{id}/sign-in", sign_in, methods=["POST"]),
            Route("/api/apps/{id}/sign-in", sign_out, methods=["DELETE"]),
        ]
    )


class _SignIns:
    """Sign-ins that are waiting for a person in the browser: one per app; a new one replaces the previous one."""

    def __init__(self, apps: AppManager) -> None:
        self._apps = apps
        self._pending: dict[str, asyncio.Task[Any]] = {}
        self._problems: dict[str, str] = {}

    async def begin(self, id: str, client_id: str | None, by: Caller) -> str:
        """Returns the address at which the person signs in. Fails if the sign-in can't begin."""
        self.end(id)
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        sign_in = self._apps.sign_in(id, address.set_result, by, client_id=client_id, timeout_seconds=_SIGN_IN_SECONDS)
        task = asyncio.ensure_future(sign_in)
        waiting: list[asyncio.Future[Any]] = [address, task]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not address.done():
            await task  # raises the failure
        self._pending[id] = task
        task.add_done_callback(lambda done: self._record_outcome(id, done))
        return address.result()

    def end(self, id: str) -> None:
        self._problems.pop(id, None)
        if (task := self._pending.pop(id, None)) is not None:
            task.cancel()

    def with_outcome(self, description: dict[str, Any]) -> dict[str, Any]:
        """Adds the outcome of the last attempt."""
        id, auth = description["id"], description["auth"]
        more: dict[str, Any] = {"isWaiting": id in self._pending}
        if id in self._problems:
            more["problem"] = self._problems[id]
        return {**description, "auth": {**auth, **more}}

    def _record_outcome(self, id: str, task: "asyncio.Task[Any]") -> None:
        if self._pending.get(id) is task:
            del self._pending[id]
        with contextlib.suppress(asyncio.CancelledError):
            failure = task.exception()
            if failure is not None:
                self._problems[id] = failure.message if isinstance(failure, Failure) else "handrail failed."
