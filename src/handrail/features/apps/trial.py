"""A vendor's own app, tried: its tools called by the real transport, without the gate. For `handrail apps check`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.opening import Connections
from handrail.features.apps.sign_ins import credentials_in
from handrail.ports.stores import Stores


@asynccontextmanager
async def open_switchboard(stores: Stores) -> AsyncIterator[AppCaller]:
    """With the sign-ins of a state directory; everything that was started ends with it."""
    connections = Connections(credentials_in(stores))
    try:
        yield AppCaller(connections.transport, Checks())
    finally:
        await connections.close()
