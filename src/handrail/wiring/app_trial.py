"""A vendor's own app, tried: its tools called by the real transport, without the gate. For `handrail apps check`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.stores.local.state import state_path
from handrail.wiring.apps import Connections
from handrail.wiring.sign_ins import credentials_in


@asynccontextmanager
async def open_switchboard(state: Path | None) -> AsyncIterator[AppCaller]:
    """With the sign-ins of a state directory; everything that was started ends with it."""
    connections = Connections(credentials_in(state_path(state)))
    try:
        yield AppCaller(connections.transport, Checks())
    finally:
        await connections.close()
