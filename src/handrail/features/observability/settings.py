"""Settings of metrics and traces."""

from urllib.parse import urlsplit

import msgspec


class ObservabilitySettings(msgspec.Struct, frozen=True):
    metrics: bool = False
    """Serve Prometheus metrics at /metrics, for programs with the server's token and signed-in people."""
    traces_endpoint: str = ""
    """Send OpenTelemetry traces to this address: OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.traces_endpoint)
        if self.traces_endpoint and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("`traces_endpoint` must be an http:// or https:// address")
        if parts.username or parts.password:
            raise ValueError("`traces_endpoint` must have no password; use OTEL_EXPORTER_OTLP_HEADERS")
