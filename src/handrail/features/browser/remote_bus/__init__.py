"""Lets handrail's other processes use the running `handrail up`: its bus to browsers, and previews."""

from handrail.features.browser.remote_bus.bus import RemoteBus
from handrail.features.browser.remote_bus.server_client import ServerAddress

__all__ = ["RemoteBus", "ServerAddress"]
