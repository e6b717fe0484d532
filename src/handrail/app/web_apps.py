"""Apps that a web site offers: read from there, and written to the user's own descriptors."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.backends.apps.catalogue import usual_places
from handrail.contract.errors import BadAnswer, NotFound

if TYPE_CHECKING:
    from handrail.contract.apps import App

_MAX_REDIRECTS = 3
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


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
