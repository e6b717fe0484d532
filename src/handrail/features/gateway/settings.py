"""Settings of the gateway."""

import msgspec


class GatewaySettings(msgspec.Struct, frozen=True):
    servers: tuple[str, ...] | None = None
    """Servers whose tools are offered; all if left out."""
    server_start_seconds: float = 60.0
    server_call_seconds: float = 300.0

    def __post_init__(self) -> None:
        if self.server_start_seconds <= 0 or self.server_call_seconds <= 0:
            raise ValueError("`server_start_seconds` and `server_call_seconds` must be more than 0")
