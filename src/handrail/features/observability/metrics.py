"""Prometheus metrics of the gate. Labels are names of tools and conditions: never a path, an address or a person."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

import handrail

if TYPE_CHECKING:
    from handrail.ports.observer import Step

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 300.0, 1800.0)


class GateMetrics:
    """An observer with a registry of its own, so that one process can have several servers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.calls = Counter(
            "handrail_calls", "Calls that have ended.", ["tool", "effect", "decision", "outcome"],
            registry=self._registry,
        )  # fmt: skip
        self.running = Gauge("handrail_calls_running", "Calls that have not ended yet.", registry=self._registry)
        self.steps = Histogram(
            "handrail_step_seconds", "How long the steps of calls took.", ["step"], buckets=_BUCKETS,
            registry=self._registry,
        )  # fmt: skip
        self.pending = Gauge("handrail_prompts_pending", "Questions that wait for a person.", registry=self._registry)
        self.engines = Gauge(
            "handrail_engine_up", "Whether this server reaches an engine of its team.", ["engine"],
            registry=self._registry,
        )  # fmt: skip
        about = Gauge("handrail_info", "The version of this server.", ["version"], registry=self._registry)
        about.labels(handrail.__version__).set(1)

    def begin(self, tool: str, face: str, execution_id: str) -> CallMetrics:
        self.running.inc()
        return CallMetrics(self, tool)

    def close(self) -> None:
        """Nothing to do: metrics are pulled."""

    def exposition(self, pending: int, engines: Mapping[str, str | None]) -> bytes:
        """The metrics in Prometheus's text format. `engines` maps each name to its fault, or None."""
        self.pending.set(pending)
        for name, fault in engines.items():
            self.engines.labels(name).set(fault is None)
        return generate_latest(self._registry)


class CallMetrics:
    def __init__(self, metrics: GateMetrics, tool: str) -> None:
        self._metrics = metrics
        self._tool = tool

    @contextmanager
    def step(self, name: Step) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._metrics.steps.labels(name).observe(time.perf_counter() - began)

    def end(self, *, effect: str, decision: str, outcome: str) -> None:
        self._metrics.running.dec()
        self._metrics.calls.labels(self._tool, effect, decision, outcome).inc()
