"""Managing apps, from the command line and the console: descriptions, consents, sign-ins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.apps.backends.catalogue import Catalogue, default_folders
from handrail.features.apps.calls.consent import describe_place
from handrail.features.apps.sign_ins import open_credentials, sign_in_lock, sign_in_to
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
    """Descriptors are read in a thread, one at a time. Changes that a person makes are recorded in the audit."""

    stores: Stores
    catalogue: Catalogue
    audit: Audit
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _revoked: RecentlyRemoved[Consent] = field(default_factory=lambda: RecentlyRemoved("consent"))

    async def overview(self) -> dict[str, Any]:
        return await asyncio.to_thread(self._overview)

    async def description(self, id: str) -> dict[str, Any]:
        """UnknownApp, BrokenDescriptor."""
        return _description(app := await self.find(id), await self._sign_in(app))

    async def consents(self) -> list[dict[str, Any]]:
        """Every consent, and whether it is still valid: the app's descriptor may have changed."""
        consents = await self.stores.consents.all()
        return await asyncio.to_thread(lambda: [_consent(one, is_valid=self._is_valid(one)) for one in consents])

    async def find(self, id: str) -> App:
        return await asyncio.to_thread(self._find, id)

    async def revoke(self, id: str, by: Caller) -> None:
        """NotFound."""
        consents = [consent for consent in await self.stores.consents.all() if consent.id == id]
        if not await self.stores.consents.revoke(id):
            hint = "`handrail apps consents` lists them."
            raise NotFound(f"There is no consent {id[:100]!r}.", hint=hint)
        for consent in consents:
            self._revoked.keep(id, consent)
        await record_access(self.audit, by, f"revoked the consent {id}")

    def revoked(self, id: str) -> Consent:
        """NotFound if it wasn't revoked here a moment ago."""
        return self._revoked.find(id)

    async def restore(self, id: str, by: Caller, proof: Mapping[str, Any] | None) -> None:
        """Undoes a recent revocation. NotFound."""
        await self.stores.consents.restore(self._revoked.take(id))
        await record_access(self.audit, by, f"restored the consent {id}", proof)

    def _find(self, id: str) -> App:
        with self._lock:
            return self.catalogue.find(id)

    def _overview(self) -> dict[str, Any]:
        with self._lock:
            problems = self.catalogue.problems()  # first, because broken apps are not listed afterwards
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

    async def store_key(self, id: str, key: Secret, by: Caller) -> SecretInfo:
        from handrail.features.apps.sign_in.signing_in import store_key

        stored = await store_key(await self.find(id), key, self.stores.secrets, sign_in_lock(self.stores))
        await record_access(self.audit, by, f"signed in to {id} with a key")
        return stored

    async def sign_in(
        self,
        id: str,
        show: Callable[[str], None],
        by: Caller,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        timeout_seconds: float,
    ) -> SecretInfo:
        app = await self.find(id)
        stored = await sign_in_to(
            app, self.stores, show, client_id=client_id, client_secret=client_secret, timeout_seconds=timeout_seconds
        )
        await record_access(self.audit, by, f"signed in to {id}")
        return stored

    async def sign_out(self, id: str, by: Caller) -> bool:
        from handrail.features.apps.sign_in.signing_in import sign_out

        was_signed_in = await sign_out(id, self.stores.secrets, sign_in_lock(self.stores))
        if was_signed_in:
            await record_access(self.audit, by, f"signed out of {id}")
        return was_signed_in

    async def _sign_in(self, app: App) -> dict[str, Any]:
        from handrail.features.apps.calls.consent import sign_in_hosts
        from handrail.features.apps.model import OAuth2

        state = await open_credentials(self.stores).state(app)
        fields = {
            "type": state.kind,
            "signedIn": state.is_signed_in,
            "source": state.source,
            "expiresAt": None if state.expires_at is None else round(state.expires_at),
            "reason": state.reason,
        }
        hosts = {"hosts": sign_in_hosts(app.auth)} if isinstance(app.auth, OAuth2) else {}
        return {name: value for name, value in fields.items() if value is not None} | hosts

    def _is_valid(self, consent: Consent) -> bool:
        from handrail.features.apps.calls.consent import consent_to
        from handrail.features.apps.model import BrokenDescriptor, UnknownApp

        try:
            app = self._find(consent.app)
        except (UnknownApp, BrokenDescriptor):
            return False
        tool = app.tools[0] if consent.tool is None else app.tool(consent.tool)
        if tool is None:
            return False
        current = consent_to(app, tool)
        return consent.digest == (current.app_digest if consent.tool is None else current.tool_digest)


def app_manager(stores: Stores, audit: Audit | None = None) -> AppManager:
    return AppManager(stores, Catalogue(*default_folders(Path.home())), audit or Audit(stores.audit))


def _description(app: App, auth: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": app.id,
        "name": app.name,
        "description": app.description,
        **({"version": app.version} if app.version is not None else {}),
        "source": app.source,
        "execution": {"type": app.execution.__struct_config__.tag, "place": describe_place(app.execution)},
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


def _consent(consent: Consent, *, is_valid: bool) -> dict[str, Any]:
    return {
        "id": consent.id,
        "caller": consent.caller,
        "app": consent.app,
        "appName": consent.app_name,
        "tool": consent.tool,
        "at": consent.at,
        "by": consent.by,
        "valid": is_valid,
    }
