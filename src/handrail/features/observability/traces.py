"""OpenTelemetry traces of the gate: one span for each call, and one for each of its steps.

Attributes are names and the execution id, which also identifies the call in the audit: never parameters, paths or
results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

import handrail

if TYPE_CHECKING:
    from handrail.ports.observer import Step

_EXPORT_SECONDS = 5


class GateTraces:
    """An observer that sends spans in batches, from its own thread. Spans that can't be sent are dropped."""

    def __init__(self, endpoint: str) -> None:
        resource = Resource({"service.name": "handrail", "service.version": handrail.__version__})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_EXPORT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("handrail.gate", handrail.__version__)

    def begin(self, tool: str, face: str, execution_id: str) -> SpanTrace:
        names = {"handrail.tool": tool, "handrail.face": face, "handrail.execution_id": execution_id}
        return SpanTrace(self._tracer, self._tracer.start_span(f"call {tool}", kind=SpanKind.SERVER, attributes=names))

    def close(self) -> None:
        self._provider.shutdown()


class SpanTrace:
    def __init__(self, tracer: Tracer, span: Span) -> None:
        self._tracer = tracer
        self._span = span
        self._context = set_span_in_context(span)

    @contextmanager
    def step(self, name: Step) -> Iterator[None]:
        span = self._tracer.start_span(name, context=self._context)
        try:
            yield
        finally:
            span.end()

    def end(self, *, effect: str, decision: str, outcome: str) -> None:
        self._span.set_attributes(
            {"handrail.effect": effect, "handrail.decision": decision, "handrail.outcome": outcome}
        )
        self._span.set_status(Status(StatusCode.OK if outcome == "ok" else StatusCode.ERROR))
        self._span.end()
