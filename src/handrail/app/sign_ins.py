"""Sign-ins to apps on a state directory: what every process that calls apps shares."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.app.secrets import secrets_in
from handrail.contract.errors import InvalidParams

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.contract.apps import App
    from handrail.contract.secrets import Kept
    from handrail.core.apps.credentials import StoredCredentials

_PATIENCE = 40.0  # longer than a token endpoint may take


def credentials_in(state: Path) -> StoredCredentials:
    from handrail.core.apps.credentials import StoredCredentials
    from handrail.store import locks

    async def post_form(url: str, form: str) -> tuple[int, bytes]:
        from handrail.backends.apps import fetching  # brings the HTTP client along

        return await fetching.post_form(url, form)

    def turn(app: str) -> AbstractContextManager[None]:
        return locks.exclusive(state / f"sign-in.{app}.lock", patience=_PATIENCE)

    return StoredCredentials(secrets_in(state), post_form, turn)


async def sign_in_to(
    app: App,
    state: Path,
    show: Callable[[str], None],
    *,
    client_id: str | None,
    client_secret: str | None,
    patience: float,
) -> Kept:
    """In the browser, to which `show` leads. InvalidParams, AuthRequired, Declined."""
    from handrail.backends.apps.fetching import post_form
    from handrail.backends.apps.loopback import loopback
    from handrail.contract.apps import OAuth2
    from handrail.core.apps.signing_in import client_of, sign_in

    if not isinstance(app.auth, OAuth2):
        raise InvalidParams(f"{app.name} has no sign-in in the browser.")
    client = client_of(app.auth, client_id, client_secret)
    return await sign_in(app, client, secrets_in(state), post_form, loopback, show, patience=patience)
