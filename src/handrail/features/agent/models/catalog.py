"""Lists models, sets the one in use and the providers' keys, and opens models. Never returns a key."""

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
from handrail.kernel.web_address import parse_address
from handrail.ports.browser import Wire
from handrail.ports.errors import InvalidParams
from handrail.ports.model import Model, NoModel, WrongKey
from handrail.ports.secrets import KeyringAway, Secret, SecretInfo, SecretStore

_MAX_KEY_LENGTH = 4096
_PREFIX = "model:"
_HOW_TO_CONNECT = (
    "Connect one in Settings, or with `handrail model use anthropic:…` and `handrail model key anthropic`."
)


Effort = Literal["", "minimal", "low", "medium", "high"]


class ModelChoice(NamedTuple):
    model: str
    """Empty if none is connected."""
    base_url: str
    """The server's address; empty for the provider's own."""
    effort: Effort = ""
    """How much the model thinks; empty for its default."""


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
    """`load` and `store` access the settings each time, so that a change takes effect with the next message."""

    def __init__(
        self,
        load: Callable[[], ModelChoice],
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
        available = PROVIDERS if EXTRA.is_installed else {}
        names = [f"{provider}:{model}" for provider, details in available.items() for model in details.models]
        names += [name for name in await self._models_of_server(current, _check_url(base_url)) if name not in names]
        if current and current not in names:
            names.insert(0, current)
        stored = await self._stored_names()
        has_key = {
            provider: not details.needs_key
            or self._key_in_environment(provider) is not None
            or _name(provider) in stored
            for provider, details in PROVIDERS.items()
        }
        models = [
            KnownModel(name=name, provider=name.partition(":")[0], has_key=has_key.get(name.partition(":")[0], False))
            for name in names
        ]
        models += (KnownModel(name=agent.model, provider="agent", has_key=True) for agent in installed())
        return ModelOverview(models=models, current=current, base_url=_check_url(base_url), effort=effort)

    async def _models_of_server(self, current: str, base_url: str) -> Sequence[str]:
        """The models that the configured server lists."""
        if not base_url or not EXTRA.is_installed:
            return ()
        provider = split(current)[0] if current else COMPATIBLE
        models = await self._server_models.fetch(base_url, await self._key(provider))
        return [f"{provider}:{model}" for model in models]

    async def use(self, name: str, base_url: str | None) -> None:
        """Sets the model for all tasks that have none of their own. Raises InvalidParams."""
        split(name)
        await asyncio.to_thread(self._store, model=name, model_base_url=_check_url(base_url or ""))

    async def set_effort(self, effort: Effort) -> None:
        """Sets how much models think, from the next message on."""
        await asyncio.to_thread(self._store, model_effort=effort)

    async def keep_key(self, provider: str, key: Secret) -> SecretInfo:
        value = key.reveal()
        if not value or len(value) > _MAX_KEY_LENGTH or not value.isascii() or not value.isprintable() or " " in value:
            raise InvalidParams("This isn't a key. A key is one line of letters, digits and signs, without spaces.")
        return await self._secrets.put(_name(checked_provider(provider)), key)

    async def forget_keys(self) -> int:
        """Deletes all keys of models and returns their number."""
        self._opened.clear()
        names = [secret.name for secret in await self._secrets.kept() if secret.name.startswith(_PREFIX)]
        return sum([await self._secrets.forget(name) for name in names])

    async def open(self, name: str) -> Model:
        """Opens a model; an empty name means the one in use. Raises NoModel or WrongKey."""
        current, address, effort = await asyncio.to_thread(self._load)
        if not (name := name or current):
            raise NoModel("No model is connected, so this chat has no agent.", hint=_HOW_TO_CONNECT)
        provider, _ = split(name)
        if provider != SCRIPT and not EXTRA.is_installed:
            raise NoModel("handrail is installed without its agent.", hint=EXTRA.how_to_install)
        key = await self._key(provider)
        if key is None and PROVIDERS[provider].needs_key:
            details = PROVIDERS[provider]
            hint = f"Store one with `handrail model key {provider}`, or set ${details.variables[0]}."
            raise WrongKey(f"There is no key for {details.title}.", hint=hint)
        base_url = _check_url(address) if _has_base_url(provider, current) else ""
        options = (name, base_url, key, effort)
        if options not in self._opened:
            self._opened[options] = LazyModel(name, partial(open_model, name, base_url or None, key, effort))
        return self._opened[options]

    async def _key(self, provider: str) -> Secret | None:
        if (value := self._key_in_environment(provider)) is not None:
            return Secret(value)
        return await self._secrets.get(_name(provider)) if PROVIDERS[provider].variables else None

    async def _stored_names(self) -> set[str]:
        try:
            return {secret.name for secret in await self._secrets.kept()}
        except KeyringAway:
            return set()

    def _key_in_environment(self, provider: str) -> str | None:
        values = (self._environ.get(variable) for variable in PROVIDERS[provider].variables)
        return next((value for value in values if value), None)


def _has_base_url(provider: str, current: str) -> bool:
    """Whether the configured address is this provider's. Another provider's key must never be sent there."""
    return provider == (split(current)[0] if current else COMPATIBLE)


def _check_url(base_url: str) -> str:
    """Raises InvalidParams, also for an address with a user name or password, which would be shown with it."""
    if base_url and ("?" in base_url or "#" in base_url or parse_address(base_url, "baseUrl").host is None):
        raise InvalidParams("The base URL must begin with http:// or https://, and end with a path.")
    return base_url


def _name(provider: str) -> str:
    return f"{_PREFIX}{provider}:key"
