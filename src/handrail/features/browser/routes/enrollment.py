"""Enrolls browsers, in whose extension window a person can then confirm far-reaching approvals.

Browsers that handrail started can't be enrolled, because handrail controls their debugger.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from handrail.faces.http.confirm_windows import EnrolledBrowser
from handrail.faces.http.console_key import HEADER
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import caller, require_person_or_key
from handrail.faces.http.endpoint import Endpoint
from handrail.faces.http.headers import header
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.routes.bodies import Enroll, Enrollment
from handrail.kernel.access import record_access
from handrail.kernel.visible import one_line
from handrail.ports.browser import EXTENSION_ID, PROTOCOL
from handrail.ports.browser_store import PairedPlugin
from handrail.ports.errors import Declined, NotFound

PATH = "/api/extension/enrolled"
_HINT = "Use the console, or `handrail extension enroll`."


class EnrolledBrowsers:
    """Finds the enrolled browser in which to ask the person."""

    def __init__(self, bus: LocalBus, pairings: Pairings) -> None:
        self._bus = bus
        self._pairings = pairings

    def connected(self) -> EnrolledBrowser | None:
        """The connected one for new tasks, otherwise the one that sent something last."""
        candidates = [
            plugin for plugin in self._bus.plugins if plugin.is_connected and self._may_confirm(plugin.client_id)
        ]
        if not candidates:
            return None
        preferred = self._bus.plugins.preferred()
        plugin = (
            preferred if preferred in candidates else max(candidates, key=lambda plugin: plugin.record.last_seen_at)
        )
        assert plugin is not None
        paired = self._pairings.find(plugin.client_id)
        name = (paired.name if paired else "") or plugin.record.browser_name or plugin.client_id
        return EnrolledBrowser(plugin.client_id, one_line(name), lambda message: _send(plugin, message))

    def _may_confirm(self, client_id: str) -> bool:
        paired = self._pairings.find(client_id)
        return paired is not None and paired.is_enrolled and not paired.is_launched


def endpoints(bus: LocalBus, pairings: Pairings, context: HttpContext) -> Sequence[Endpoint]:
    proofs = PersonProof(context.project.stores.presence, context.windows)

    async def enroll(request: Request, body: Enroll) -> Enrollment:
        require_person_or_key(request, context.console_key, "Letting a browser confirm approvals", _HINT)
        paired = _check_may_confirm(pairings, body.client_id)
        proof = None
        if not context.console_key.matches(header(request.scope, HEADER.encode())):
            proof = await proofs.for_action(request, body.presence, _action(paired))
        await pairings.enroll(paired.client_id, is_enrolled=True)
        await _record(request, f"lets the browser {paired.client_id} confirm approvals", proof)
        return Enrollment(client_id=paired.client_id, is_enrolled=True)

    async def withdraw(request: Request, body: None) -> Enrollment:
        require_person_or_key(request, context.console_key, "Changing which browsers confirm approvals", _HINT)
        client_id = request.path_params["clientId"]
        await pairings.enroll(client_id, is_enrolled=False)
        context.windows.browser_left(client_id)
        await _record(request, f"no longer lets the browser {client_id} confirm approvals", None)
        return Enrollment(client_id=client_id, is_enrolled=False)

    async def _record(request: Request, done: str, proof: Mapping[str, Any] | None) -> None:
        await record_access(context.project.audit, caller(request, context.person), done, proof)

    return [
        Endpoint(
            "POST", PATH, "Lets a browser's window confirm approvals.", enroll, Enrollment, Enroll, errors=(404,),
        ),
        Endpoint(
            "DELETE", f"{PATH}/{{clientId}}", "Stops a browser's window from confirming approvals.", withdraw,
            Enrollment, errors=(404,), access="person",
        ),
    ]  # fmt: skip


def _check_may_confirm(pairings: Pairings, client_id: str) -> PairedPlugin:
    paired = pairings.find(client_id)
    if paired is None:
        raise NotFound(f"No browser {client_id!r} is paired.", hint="`handrail extension` lists them.")
    if paired.is_launched:
        raise Declined(
            "handrail started this browser, so it can't prove that a person is present.",
            hint="Pair a browser that you start yourself, or use a passkey.",
            reason="launched",
        )
    if paired.extension_id != EXTENSION_ID:
        raise Declined("Only handrail's own extension has a window to confirm in.", reason="extension")
    return paired


def _action(paired: PairedPlugin) -> Action:
    """The action to prove. It is bound to this pairing by the token's hash."""
    params = {"browser": paired.client_id, "name": paired.name, "pairing": paired.token_hash[:16]}
    command = f"handrail extension enroll {paired.client_id}"
    return Action("browser", "Letting a browser confirm approvals", params, command)


async def _send(plugin: Plugin, message: Mapping[str, Any]) -> None:
    await plugin.require_connection().send({"v": PROTOCOL, **message}, lambda _: None)
