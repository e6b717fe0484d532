"""Opens the observers of a server's gate that the settings turn on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from handrail.features.observability.feature import EXTRA
from handrail.features.observability.settings import ObservabilitySettings
from handrail.ports.settings import BrokenSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from handrail.features.observability.metrics import GateMetrics
    from handrail.kernel.project import Project
    from handrail.ports.observer import CallTrace, Observer, Step


class GateObserver:
    """Forwards to all observers. `metrics` is one of them, if metrics are on."""

    def __init__(self, observers: Sequence[Observer], metrics: GateMetrics | None) -> None:
        self._observers = observers
        self.metrics = metrics

    def begin(self, tool: str, face: str, execution_id: str) -> CallTrace:
        return _Traces([each.begin(tool, face, execution_id) for each in self._observers])

    def close(self) -> None:
        for each in self._observers:
            each.close()


class _Traces:
    def __init__(self, traces: Sequence[CallTrace]) -> None:
        self._traces = traces

    def step(self, name: Step) -> AbstractContextManager[None]:
        return self._steps(name)

    @contextmanager
    def _steps(self, name: Step) -> Iterator[None]:
        with ExitStack() as stack:
            for each in self._traces:
                stack.enter_context(each.step(name))
            yield

    def end(self, *, effect: str, decision: str, outcome: str) -> None:
        for each in self._traces:
            each.end(effect=effect, decision=decision, outcome=outcome)


def observer_of(project: Project) -> GateObserver | None:
    settings = project.settings_of(ObservabilitySettings)
    if not settings.metrics and not settings.traces_endpoint:
        return None
    if not EXTRA.is_installed:
        raise BrokenSettings(f"`metrics` and `traces_endpoint` need another package. {EXTRA.how_to_install}")
    from handrail.features.observability.metrics import GateMetrics
    from handrail.features.observability.traces import GateTraces

    metrics = GateMetrics() if settings.metrics else None
    traces = GateTraces(settings.traces_endpoint) if settings.traces_endpoint else None
    return GateObserver([each for each in (metrics, traces) if each is not None], metrics)


@asynccontextmanager
async def observing(project: Project) -> AsyncIterator[None]:
    try:
        yield
    finally:
        if project.observer is not None:
            await asyncio.to_thread(project.observer.close)
