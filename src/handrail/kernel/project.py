"""An open project, and its background work while a server runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handrail.kernel.feature import load
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from handrail.kernel.audit import Audit
    from handrail.kernel.evidence import Evidence
    from handrail.kernel.feature import Feature
    from handrail.kernel.gate import Gate
    from handrail.kernel.policy_source import PolicySource
    from handrail.kernel.registry import Registry
    from handrail.kernel.settings import AllSettings, Kind, Settings
    from handrail.ports.files import Folder
    from handrail.ports.machine import Machine
    from handrail.ports.observer import Observer
    from handrail.ports.stores import Stores

_TIDIED_AFTER_SECONDS = 5
_TIDIED_EVERY_SECONDS = 6 * 3600

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Project:
    """Features are opened when they are first needed.

    `is_server` is true in `handrail up`, which runs the parts that other processes use through it.
    """

    files: Folder
    stores: Stores
    machine: Machine
    all_settings: AllSettings
    policy: PolicySource
    audit: Audit
    evidence: Evidence
    features: Mapping[str, Feature]
    is_server: bool = False
    observer: Observer | None = None
    """Measures a server's gate if a setting turns that on."""
    _parts: dict[str, Any] = field(default_factory=dict)
    _gate: Gate | None = None

    @property
    def settings(self) -> Settings:
        return self.all_settings.common

    def settings_of(self, kind: type[Kind]) -> Kind:
        """A feature's settings, by their type."""
        return self.all_settings.of(kind)

    @property
    def location(self) -> str:
        return self.files.location

    @property
    def running_features(self) -> list[Feature]:
        return [feature for feature in self.features.values() if feature.missing_extra is None]

    @property
    def gate(self) -> Gate:
        assert self._gate is not None
        return self._gate

    @property
    def registry(self) -> Registry:
        return self.gate.registry

    def set_gate(self, gate: Gate) -> None:
        self._gate = gate

    def part(self, feature: str) -> Any:
        """What a feature has opened for this project; its tools get it as their first argument, or None."""
        if feature not in self._parts:
            opening = self.features[feature].opening
            self._parts[feature] = load(opening)(self) if opening else None
        return self._parts[feature]

    def offer(self, feature: str, what: str) -> Any:
        """What a feature offers to other features under this name."""
        return load(self.features[feature].offers[what])(self)

    def offered(self, what: str) -> Any:
        """What the one feature that offers something under this name gives, for those who know no feature."""
        return next(self.offer(feature.name, what) for feature in self.features.values() if what in feature.offers)

    @asynccontextmanager
    async def in_use(self) -> AsyncIterator[None]:
        """On leaving, ends the parts' connections and processes in order, and closes the queue's files."""
        try:
            yield
        finally:
            for part in reversed(list(self._parts.values())):
                if (end := getattr(part, "disconnect", None)) is not None:
                    await end()
            await self.stores.prompts.close()

    def close(self) -> None:
        self.release(keeps_files=True)
        self.audit.close()
        self.stores.close()
        self.files.close()

    def release(self, *, keeps_files: bool = False) -> None:
        """Closes only its own parts; stores and audit belong to the project with which it shares them."""
        for part in reversed(list(self._parts.values())):
            if (release := getattr(part, "release", None)) is not None:
                release()
        if not keeps_files:
            self.files.close()


@asynccontextmanager
async def background_work(project: Project) -> AsyncIterator[None]:
    """Runs features' background services, and their cleanup soon after the start and then every few hours."""
    tidying = asyncio.create_task(_tidy(project))
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(project.in_use())
            for feature in project.running_features:
                if feature.serving:
                    await stack.enter_async_context(load(feature.serving)(project))
            yield
    finally:
        tidying.cancel()
        await asyncio.gather(tidying, return_exceptions=True)


async def _tidy(project: Project) -> None:
    await asyncio.sleep(_TIDIED_AFTER_SECONDS)
    while True:
        for feature in project.running_features:
            if feature.tidy:
                try:
                    await asyncio.to_thread(load(feature.tidy), project)
                except Failure as failure:
                    logger.warning("%s could not tidy up: %s", feature.name, failure.message)
        await asyncio.sleep(_TIDIED_EVERY_SECONDS)
