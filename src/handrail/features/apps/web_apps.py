"""Apps that a web site offers: read from there, and written to the user's own descriptors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.apps.backends.catalogue import Catalogue, usual_places
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import BadAnswer, Conflict, NotFound

if TYPE_CHECKING:
    from handrail.features.apps.model import App

_MAX_REDIRECTS = 3
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def read_web_app(given: str) -> App:
    """The descriptor that a site publishes. InvalidParams, Offline, BadAnswer, NotFound, BrokenDescriptor."""
    from handrail.features.apps.backends.network import fetch
    from handrail.features.apps.descriptors.descriptor import MAX_BYTES, read
    from handrail.features.apps.descriptors.web_app import check_web_app, descriptor_address, onward

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
    """Writes the descriptor to the user's own, whole or not at all. Conflict: another's app has this id."""
    from handrail.features.apps.descriptors.web_app import spelled

    _check_that_it_is_free(app)
    own, _ = usual_places(Path.home())
    folder = own / app.id
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "aai.json"
    replace_file(target, spelled(app), 0o644)
    return target


def _check_that_it_is_free(app: App) -> None:
    """A site may bring its own app up to date, and take no other's place."""
    from handrail.features.apps.descriptors.web_app import is_same_place
    from handrail.features.apps.model import BrokenDescriptor, UnknownApp

    try:
        known = Catalogue(*usual_places(Path.home())).find(app.id)
    except (UnknownApp, BrokenDescriptor):
        return
    if not is_same_place(known, app):
        raise Conflict(
            f"There is another app with the id {app.id}: {known.source}.",
            hint="If it is to be replaced, remove that descriptor first.",
        )
