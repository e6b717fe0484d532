"""What a running `handrail up` does for handrail's other processes: the bus to browsers, and previews."""

from handrail.features.browser.remote_bus.bus import RemoteBus
from handrail.features.browser.remote_bus.server_client import ServerAddress

__all__ = ["RemoteBus", "ServerAddress"]
