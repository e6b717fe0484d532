"""The bus of a running `handrail up`, for handrail's other processes."""

from handrail.backends.remote_bus.bus import BusAddress, RemoteBus

__all__ = ["BusAddress", "RemoteBus"]
