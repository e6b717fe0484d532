"""Apps as a person manages them, on the command line and in the console: descriptions, consents, sign-ins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.apps.backends.catalogue import Catalogue, usual_places
from handrail.features.apps.calls.consent import place_of
from handrail.features.apps.sign_ins import credentials_in, sign_in_lock_in, sign_in_to
from handrail.kernel.access import record_access
from handrail.kernel.audit import Audit
from handrail.kernel.recently_removed import RecentlyRemoved
from handrail.ports.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.features.apps.model import App
    from handrail.ports.consents import Consent
    from handrail.ports.identity import Caller
    from handrail.ports.secrets import Secret, SecretInfo
    from handrail.ports.stores import Stores


@dataclass(frozen=True, slots=True)
class AppManager:
    """Descriptors are read and checked in a thread, one after the other. What a person changes is in the audit."""

    stores: Stores
    catalogue: Catalogue
    audit: Audit
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _revoked: RecentlyRemoved[Consent] = field(default_factory=lambda: RecentlyRemoved("consent"))

    async def overview(self) -> dict[str, Any]:
        return await asyncio.to_thread(self._overview)

    async def description(self, id: str) -> dict[str, Any]:
        """UnknownApp, BrokenDescriptor."""
        return _described(app := await self.find(id), await self._sign_in(app))

    async def given(self) -> list[dict[str, Any]]:
        """Every consent, and whether it is still valid: the app may have changed its descriptor."""
        given = await self.stores.consents.all()
        return await asyncio.to_thread(lambda: [_consent(one, is_valid=self._is_valid(one)) for one in given])

    async def find(self, id: str) -> App:
        return await asyncio.to_thread(self._find, id)

    async def revoke(self, id: str, by: Caller) -> None:
        """NotFound."""
        found = [given for given in await self.stores.consents.all() if given.id == id]
        if not await self.stores.consents.revoke(id):
            hint = "`handrail apps consents` lists those that there are."
            raise NotFound(f"There is no consent {id[:100]!r}.", hint=hint)
        for given in found:
            self._revoked.keep(id, given)
        await record_access(self.audit, by, f"revoked the consent {id}")

    def revoked(self, id: str) -> Consent:
        """NotFound where it was not revoked here a moment ago."""
        return self._revoked.find(id)

    async def restore(self, id: str, by: Caller, proof: Mapping[str, Any] | None) -> None:
        """Undoes a revocation a moment later. NotFound."""
        await self.stores.consents.restore(self._revoked.take(id))
        await record_access(self.audit, by, f"restored the consent {id}", proof)

    def _find(self, id: str) -> App:
        with self._turn:
            return self.catalogue.find(id)

    def _overview(self) -> dict[str, Any]:
        with self._turn:
            problems = self.catalogue.problems()  # first: what is broken is not listed afterwards
            apps = self.catalogue.apps()
        return {
            "apps": [
                {
                    "id": app.id,
                    "name": app.name,
                    "description": app.description,
                    "source": app.source,
                    "tools": [{"name": tool.name, "description": tool.description} for tool in app.tools],
                }
                for app in apps
            ],
            "problems": [{"source": one.source, "field": one.field, "reason": one.reason} for one in problems],
        }

    async def keep_key(self, id: str, key: Secret, by: Caller) -> SecretInfo:
        from handrail.features.apps.sign_in.signing_in import keep_key

        kept = await keep_key(await self.find(id), key, self.stores.secrets, sign_in_lock_in(self.stores))
        await record_access(self.audit, by, f"signed in to {id} with a key")
        return kept

    async def sign_in(
        self,
        id: str,
        show: Callable[[str], None],
        by: Caller,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        patience: float,
    ) -> SecretInfo:
        app = await self.find(id)
        kept = await sign_in_to(
            app, self.stores, show, client_id=client_id, client_secret=client_secret, patience=patience
        )
        await record_access(self.audit, by, f"signed in to {id}")
        return kept

    async def sign_out(self, id: str, by: Caller) -> bool:
        from handrail.features.apps.sign_in.signing_in import sign_out

        was_signed_in = await sign_out(id, self.stores.secrets, sign_in_lock_in(self.stores))
        if was_signed_in:
            await record_access(self.audit, by, f"signed out of {id}")
        return was_signed_in

    async def _sign_in(self, app: App) -> dict[str, Any]:
        from handrail.features.apps.calls.consent import sign_in_hosts
        from handrail.features.apps.model import OAuth2

        state = await credentials_in(self.stores).state(app)
        shown = {
            "type": state.kind,
            "signedIn": state.is_signed_in,
            "source": state.source,
            "expiresAt": None if state.expires_at is None else round(state.expires_at),
            "reason": state.reason,
        }
        hosts = {"hosts": sign_in_hosts(app.auth)} if isinstance(app.auth, OAuth2) else {}
        return {name: value for name, value in shown.items() if value is not None} | hosts

    def _is_valid(self, given: Consent) -> bool:
        from handrail.features.apps.calls.consent import consent_to
        from handrail.features.apps.model import BrokenDescriptor, UnknownApp

        try:
            app = self._find(given.app)
        except (UnknownApp, BrokenDescriptor):
            return False
        tool = app.tools[0] if given.tool is None else app.tool(given.tool)
        if tool is None:
            return False
        to = consent_to(app, tool)
        return given.digest == (to.app_digest if given.tool is None else to.tool_digest)


def app_manager(stores: Stores, audit: Audit | None = None) -> AppManager:
    return AppManager(stores, Catalogue(*usual_places(Path.home())), audit or Audit(stores.audit))


def _described(app: App, auth: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": app.id,
        "name": app.name,
        "description": app.description,
        **({"version": app.version} if app.version is not None else {}),
        "source": app.source,
        "execution": {"type": app.execution.__struct_config__.tag, "place": place_of(app.execution)},
        "auth": auth,
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


def _consent(given: Consent, *, is_valid: bool) -> dict[str, Any]:
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
