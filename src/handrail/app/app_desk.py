"""Apps as a person sees them, on the command line and in the console: what they do, who may call them, sign-ins."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from handrail.app.secrets import secrets_in
from handrail.app.sign_ins import credentials_in, sign_in_to
from handrail.backends.apps.catalogue import Catalogue, usual_places
from handrail.contract.errors import BadAnswer, NotFound
from handrail.store.consents import SqliteConsents

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.contract.apps import App, AppCatalogue
    from handrail.contract.consents import Given
    from handrail.contract.secrets import Kept, Secret
    from handrail.store.state import State

_MAX_REDIRECTS = 3
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class AppDesk:
    state: Path
    catalogue: AppCatalogue
    consents: SqliteConsents

    def overview(self) -> dict[str, Any]:
        apps = [
            {
                "id": app.id,
                "name": app.name,
                "description": app.description,
                "source": app.source,
                "tools": [{"name": tool.name, "description": tool.description} for tool in app.tools],
            }
            for app in self.catalogue.apps()
        ]
        problems = [
            {"source": each.source, "field": each.field, "reason": each.reason} for each in self.catalogue.problems()
        ]
        return {"apps": apps, "problems": problems}

    async def description(self, id: str) -> dict[str, Any]:
        """UnknownApp, BrokenDescriptor."""
        app = self.catalogue.find(id)
        return {
            "id": app.id,
            "name": app.name,
            "description": app.description,
            **({"version": app.version} if app.version is not None else {}),
            "source": app.source,
            "execution": msgspec.to_builtins(app.execution),
            "auth": await self._sign_in(app),
            "tools": [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    **({"returns": tool.returns} if tool.returns is not None else {}),
                    "idempotent": tool.is_idempotent,
                }
                for tool in app.tools
            ],
        }

    def given(self) -> list[dict[str, Any]]:
        """Every consent, and whether it still counts: what was declared then may be declared otherwise now."""
        return [_consent(one, is_valid=self._is_valid(one)) for one in self.consents.given()]

    async def keep_key(self, id: str, key: Secret) -> Kept:
        from handrail.core.apps.signing_in import keep_key

        return await keep_key(self.catalogue.find(id), key, secrets_in(self.state))

    async def sign_in(
        self,
        id: str,
        show: Callable[[str], None],
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        patience: float,
    ) -> Kept:
        app = self.catalogue.find(id)
        return await sign_in_to(
            app, self.state, show, client_id=client_id, client_secret=client_secret, patience=patience
        )

    def sign_out(self, id: str) -> bool:
        from handrail.core.apps.signing_in import sign_out

        return sign_out(id, secrets_in(self.state))

    async def _sign_in(self, app: App) -> dict[str, Any]:
        state = await credentials_in(self.state).state(app)
        shown = {
            "type": state.kind,
            "signedIn": state.is_signed_in,
            "source": state.source,
            "expiresAt": None if state.expires_at is None else round(state.expires_at),
            "reason": state.reason,
        }
        return {name: value for name, value in shown.items() if value is not None}

    def _is_valid(self, given: Given) -> bool:
        from handrail.core.apps.conditions import BrokenDescriptor, UnknownApp
        from handrail.core.apps.consent import consent_to

        try:
            app = self.catalogue.find(given.app)
        except (UnknownApp, BrokenDescriptor):
            return False
        tool = app.tools[0] if given.tool is None else app.tool(given.tool)
        if tool is None:
            return False
        to = consent_to(app, tool)
        return given.digest == (to.app_digest if given.tool is None else to.tool_digest)


def app_desk(state: State, catalogue: AppCatalogue) -> AppDesk:
    return AppDesk(state.path, catalogue, SqliteConsents(state.database))


def open_app_desk(state_dir: Path | None) -> AppDesk:
    from handrail.store.state import open_state

    return app_desk(open_state(state_dir), Catalogue(*usual_places(Path.home())))


async def read_web_app(given: str) -> App:
    """The descriptor that a site publishes. InvalidParams, Offline, BadAnswer, NotFound, BrokenDescriptor."""
    from handrail.backends.apps.fetching import fetch
    from handrail.core.apps.descriptor import MAX_BYTES, read
    from handrail.core.apps.web_app import check_web_app, descriptor_address, onward

    first = address = descriptor_address(given)
    for _ in range(_MAX_REDIRECTS + 1):
        fetched = await fetch("GET", address, {"accept": "application/json"}, None, most_bytes=MAX_BYTES)
        if fetched.status not in _REDIRECTS:
            break
        address = onward(address, fetched.location)
    else:
        raise BadAnswer(f"{first} answers with one redirect after the other.")
    if fetched.status != _OK:
        raise NotFound(f"There is no descriptor at {address}: status {fetched.status}.", status=fetched.status)
    app = read(fetched.body, address)
    check_web_app(app, address)
    return app


def add_web_app(app: App) -> Path:
    """Writes the descriptor to the user's own, whole or not at all."""
    from handrail.core.apps.first_generation import spelled

    own, _ = usual_places(Path.home())
    folder = own / app.id
    folder.mkdir(parents=True, exist_ok=True)
    target, new = folder / "aai.json", folder / f".aai.json.{secrets.token_hex(6)}"
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        with open(descriptor, "wb") as file:
            file.write(spelled(app))
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    return target


def revoked(desk: AppDesk, ids: Sequence[str]) -> None:
    """NotFound names the first that is none."""
    for id in ids:
        if not desk.consents.revoke(id):
            raise NotFound(f"There is no consent {id!r}.", hint="`handrail apps consents` lists those that there are.")


def _consent(given: Given, *, is_valid: bool) -> dict[str, Any]:
    return {
        "id": given.id,
        "caller": given.caller,
        "app": given.app,
        "appName": given.app_name,
        "tool": given.tool,
        "at": given.at,
        "by": given.by,
        "valid": is_valid,
    }
