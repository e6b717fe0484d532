"""The known models, which one is in use, which providers have a key, and the model itself.

No key is ever returned.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from handrail.features.agent.acp.known_agents import installed
from handrail.features.agent.feature import EXTRA
from handrail.features.agent.models.providers import (
    COMPATIBLE,
    PROVIDERS,
    SCRIPT,
    LazyModel,
    checked_provider,
    open_model,
    split,
)
from handrail.features.agent.models.server_models import ServerModels
from handrail.kernel.web_address import parse_address as read_address
from handrail.ports.browser import Wire
from handrail.ports.errors import InvalidParams
from handrail.ports.model import Model, NoModel, WrongKey
from handrail.ports.secrets import KeyringAway, Secret, SecretInfo, SecretStore

_LONGEST_KEY = 4096
_PREFIX = "model:"
_HOW = "`handrail model use anthropic:…` and `handrail model key anthropic`, or Settings in the console, connect one."


Effort = Literal["", "minimal", "low", "medium", "high"]


class Chosen(NamedTuple):
    model: str
    """Empty where none is connected."""
    base_url: str
    """Of its server; empty for the provider's own."""
    effort: Effort = ""
    """How much it thinks; empty for the model's own default."""


class KnownModel(Wire, frozen=True, kw_only=True):
    name: str
    provider: str
    has_key: bool


class ModelOverview(Wire, frozen=True, kw_only=True):
    models: Sequence[KnownModel]
    current: str
    base_url: str = ""
    effort: Effort = ""


class ModelCatalog:
    """`load` and `store` read and write settings by their names each time, so a change counts for the next message."""

    def __init__(
        self,
        load: Callable[[], Chosen],
        store: Callable[..., None],
        secrets: SecretStore,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._load = load
        self._store = store
        self._secrets = secrets
        self._environ = environ
        self._server_models = ServerModels()
        self._opened: dict[tuple[str, str, Secret | None, str], Model] = {}

    async def overview(self) -> ModelOverview:
        current, base_url, effort = await asyncio.to_thread(self._load)
        offered = PROVIDERS if EXTRA.is_installed else {}
        names = [f"{provider}:{model}" for provider, its in offered.items() for model in its.models]
        names += [name for name in await self._on_server(current, _checked(base_url)) if name not in names]
        if current and current not in names:
            names.insert(0, current)
        kept = await self._kept()
        has_key = {
            provider: not its.needs_key or self._in_environment(provider) is not None or _name(provider) in kept
            for provider, its in PROVIDERS.items()
        }
        known = [
            KnownModel(name=name, provider=name.partition(":")[0], has_key=has_key.get(name.partition(":")[0], False))
            for name in names
        ]
        known += (KnownModel(name=agent.model, provider="agent", has_key=True) for agent in installed())
        return ModelOverview(models=known, current=current, base_url=_checked(base_url), effort=effort)

    async def _on_server(self, current: str, base_url: str) -> Sequence[str]:
        """The models of the server whose address is set."""
        if not base_url or not EXTRA.is_installed:
            return ()
        provider = split(current)[0] if current else COMPATIBLE
        found = await self._server_models.of(base_url, await self._key(provider))
        return [f"{provider}:{model}" for model in found]

    async def use(self, name: str, base_url: str | None) -> None:
        """Sets the model for every task without one of its own. InvalidParams."""
        split(name)
        await asyncio.to_thread(self._store, model=name, model_base_url=_checked(base_url or ""))

    async def set_effort(self, effort: Effort) -> None:
        """Sets how much every model thinks, from the next message on."""
        await asyncio.to_thread(self._store, model_effort=effort)

    async def keep_key(self, provider: str, key: Secret) -> SecretInfo:
        value = key.reveal()
        if not value or len(value) > _LONGEST_KEY or not value.isascii() or not value.isprintable() or " " in value:
            raise InvalidParams("This isn't a key: one is a line of letters, digits and signs, without spaces.")
        return await self._secrets.put(_name(checked_provider(provider)), key)

    async def forget_keys(self) -> int:
        """Returns how many there were."""
        self._opened.clear()
        names = [kept.name for kept in await self._secrets.kept() if kept.name.startswith(_PREFIX)]
        return sum([await self._secrets.forget(name) for name in names])

    async def open(self, name: str) -> Model:
        """Opens a model; an empty name means the one in use. NoModel, WrongKey."""
        current, address, effort = await asyncio.to_thread(self._load)
        if not (wanted := name or current):
            raise NoModel("No model is connected, so this chat has no agent.", hint=_HOW)
        provider, _ = split(wanted)
        if provider != SCRIPT and not EXTRA.is_installed:
            raise NoModel("handrail is installed without its agent.", hint=EXTRA.how_to_install)
        key = await self._key(provider)
        if key is None and PROVIDERS[provider].needs_key:
            its = PROVIDERS[provider]
            hint = f"`handrail model key {provider}` keeps one; ${its.variables[0]} is used where it is set."
            raise WrongKey(f"There is no key for {its.title}.", hint=hint)
        base_url = _checked(address) if _has_base_url(provider, current) else ""
        place = (wanted, base_url, key, effort)
        if place not in self._opened:
            self._opened[place] = LazyModel(wanted, partial(open_model, wanted, base_url or None, key, effort))
        return self._opened[place]

    async def _key(self, provider: str) -> Secret | None:
        if (value := self._in_environment(provider)) is not None:
            return Secret(value)
        return await self._secrets.get(_name(provider)) if PROVIDERS[provider].variables else None

    async def _kept(self) -> set[str]:
        try:
            return {kept.name for kept in await self._secrets.kept()}
        except KeyringAway:
            return set()

    def _in_environment(self, provider: str) -> str | None:
        values = (self._environ.get(variable) for variable in PROVIDERS[provider].variables)
        return next((value for value in values if value), None)


def _has_base_url(provider: str, chosen: str) -> bool:
    """Whether the configured address belongs to this model. Another provider's key must never be sent there."""
    return provider == (split(chosen)[0] if chosen else COMPATIBLE)


def _checked(base_url: str) -> str:
    """The address without user name and password, which would be shown wherever it is. InvalidParams."""
    if base_url and ("?" in base_url or "#" in base_url or read_address(base_url, "baseUrl").host is None):
        raise InvalidParams("The base URL must begin with http:// or https://, and end with a path.")
    return base_url


def _name(provider: str) -> str:
    return f"{_PREFIX}{provider}:key"
