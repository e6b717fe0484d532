"""Contract 2 §2.3: the list of plugins. Also pairs and revokes them."""

import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from handrail.faces.http.answers import refused
from handrail.faces.http.codes import LIFETIME, TooManyCodes, WrongCode
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import Credential, credential_of, require_person, require_person_or_key, source_of
from handrail.faces.http.endpoint import Endpoint
from handrail.faces.http.headers import header
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.routes.bodies import (
    Pair,
    PairCode,
    PairedToken,
    PairToken,
    Registered,
    Registration,
    Revoked,
    SelectPlugin,
)
from handrail.features.browser.routes.pairing_codes import PairingCodes
from handrail.ports.browser import EXTENSION_ORIGIN, PluginRecord
from handrail.ports.errors import Declined

REGISTER = "/api/extension/extension-id"
PAIR = "/api/extension/pair"
LAUNCH_CODE = "/api/extension/launch-code"
LAUNCHED = "launched-"
"""The prefix of codes for browsers that handrail started."""


def endpoints(bus: LocalBus, pairings: Pairings, codes: PairingCodes, key: ConsoleKey) -> Sequence[Endpoint]:
    async def register(request: Request, body: Registration) -> Registered:
        _check_is_own(request, pairings, body.client_id)
        await bus.plugins.describe(
            body.client_id,
            extension_id=body.extension_id,
            extension_name=body.extension_name,
            ua=body.ua,
            version=body.version,
            browser_name=body.browser_name,
            allow_other_client=body.allow_other_client,
        )
        return Registered()

    async def list_plugins(request: Request, body: None) -> list[PluginRecord]:
        return list(await bus.plugin_list())

    async def choose(request: Request, body: SelectPlugin) -> PluginRecord:
        require_person(request, "Choosing the browser for new tasks")
        return await bus.choose_for_new_tasks(body.client_id)

    async def make_code(request: Request, body: None) -> PairCode:
        require_person_or_key(request, key, "Pairing a browser", "Use the console, or `handrail extension pair`.")
        return PairCode(code=await codes.make(), expires_at=int((time.time() + LIFETIME) * 1000))

    async def make_launch_code(request: Request, body: None) -> PairCode:
        require_person_or_key(request, key, "Launching a browser", "Use `handrail extension launch`.")
        return PairCode(code=await codes.make(LAUNCHED), expires_at=int((time.time() + LIFETIME) * 1000))

    async def pair(request: Request, body: Pair) -> PairToken | Response:
        if header(request.scope, b"origin") != EXTENSION_ORIGIN:
            raise Declined("Only handrail's own extension can be paired.", reason="origin")
        try:
            await codes.use(body.code, source_of(request))
        except WrongCode as wrong:
            return refused("UNAUTHORIZED", f"{wrong.message} {wrong.hint}")
        except TooManyCodes as limited:
            return refused("RATE_LIMITED", f"{limited.message} {limited.hint}")
        is_launched = body.code.startswith(LAUNCHED)
        token = await pairings.pair(body.client_id, body.extension_id, body.name, is_launched=is_launched)
        await bus.drop(body.client_id)
        return PairToken(token=token)

    async def list_tokens(request: Request, body: None) -> list[PairedToken]:
        return [
            PairedToken(
                client_id=paired.client_id,
                extension_id=paired.extension_id,
                name=paired.name,
                created_at=paired.created_at,
                is_launched=paired.is_launched,
                is_enrolled=paired.is_enrolled,
                socket_connected=(plugin := bus.plugins.find(paired.client_id)) is not None and plugin.is_connected,
            )
            for paired in pairings.all()
        ]

    async def revoke(request: Request, body: None) -> Revoked:
        require_person_or_key(
            request, key, "Revoking a browser's access", "Use the console, or `handrail extension revoke`."
        )
        client_id = request.path_params["clientId"]
        await pairings.unpair(client_id)
        await bus.drop(client_id)
        return Revoked()

    async def restore(request: Request, body: None) -> Revoked:
        require_person_or_key(request, key, "Restoring a browser's access", "Use the console.")
        await pairings.restore(request.path_params["clientId"])
        return Revoked()

    tokens = "/api/extension/tokens"
    return [
        Endpoint("POST", REGISTER, "Registers a plugin.", register, Registered, Registration, access="plugin"),
        Endpoint("GET", "/api/extension/extension-list", "Lists the plugins.", list_plugins, list[PluginRecord]),
        Endpoint(
            "POST", "/api/extension/chosen", "Chooses the browser for new tasks.", choose, PluginRecord, SelectPlugin,
            access="person",
        ),
        Endpoint("POST", f"{PAIR}-code", "Creates a one-time code to pair an extension.", make_code, PairCode),
        Endpoint("POST", LAUNCH_CODE, "Creates a code for a browser that handrail starts.", make_launch_code, PairCode),
        Endpoint(
            "POST", PAIR, "Exchanges a code for the extension's token.", pair, PairToken, Pair, access="open",
            errors=(429,),
        ),
        Endpoint("GET", tokens, "Lists paired extensions.", list_tokens, list[PairedToken]),
        Endpoint(
            "DELETE", f"{tokens}/{{clientId}}", "Revokes an extension's token.", revoke, Revoked, errors=(404,),
        ),
        Endpoint(
            "POST", f"{tokens}/{{clientId}}/restore", "Undoes a revocation of the last ten minutes.", restore, Revoked,
            errors=(404, 409),
        ),
    ]  # fmt: skip


def _check_is_own(request: Request, pairings: Pairings, client_id: str) -> None:
    """Raises Declined unless the request has this plugin's own token."""
    if credential_of(request.scope) is not Credential.PLUGIN:
        raise Declined("A browser registers with the token that it was paired with.", reason="client")
    token = (header(request.scope, b"authorization") or "").partition(" ")[2]
    if pairings.client_of(token) != client_id:
        raise Declined("This token belongs to another plugin.", reason="client")
