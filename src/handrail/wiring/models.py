"""The models of a state directory: which one is set, whose keys are there, and the model itself once it is needed."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.extras import how_to_install, is_installed
from handrail.features.agent.model_desk import KnownModel, ModelOverview
from handrail.features.agent.models.providers import (
    COMPATIBLE,
    PROVIDERS,
    SCRIPT,
    LazyModel,
    checked_provider,
    open_model,
    split,
)
from handrail.kernel.web_address import read as read_address
from handrail.ports.errors import InvalidParams
from handrail.ports.model import NoModel, WrongKey
from handrail.ports.secrets import KeyringAway, Secret
from handrail.stores.local import settings as settings_file
from handrail.stores.local.model_choice import choose
from handrail.stores.local.state import open_state
from handrail.wiring.secrets import secrets_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from handrail.ports.model import Model
    from handrail.ports.secrets import Kept
    from handrail.stores.local.settings import Settings

_LONGEST_KEY = 4096
_HOW = "`handrail model use anthropic:…` and `handrail model key anthropic`, or Settings in the console, connect one."


class StateModels:
    """Settings and keys are read anew each time: a change counts for the next words."""

    def __init__(self, state: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._state = state
        self._environ = environ
        self._secrets = secrets_in(state)
        self._opened: dict[tuple[str, str, Secret | None], Model] = {}

    async def overview(self) -> ModelOverview:
        settings = await self._settings()
        offered = PROVIDERS if is_installed("agent") else {}
        names = [f"{provider}:{model}" for provider, its in offered.items() for model in its.models]
        if settings.model and settings.model not in names:
            names.insert(0, settings.model)
        kept = await self._kept()
        has_key = {
            provider: not its.needs_key or self._in_environment(provider) is not None or _name(provider) in kept
            for provider, its in PROVIDERS.items()
        }
        known = [
            KnownModel(name=name, provider=name.partition(":")[0], has_key=has_key.get(name.partition(":")[0], False))
            for name in names
        ]
        return ModelOverview(models=known, current=settings.model, base_url=_checked(settings.model_base_url))

    async def use(self, name: str, base_url: str | None) -> None:
        split(name)
        address = _checked(base_url or "")
        await asyncio.to_thread(choose, self._state, model=name, model_base_url=address)

    async def keep_key(self, provider: str, key: Secret) -> Kept:
        value = key.reveal()
        if not value or len(value) > _LONGEST_KEY or not value.isascii() or not value.isprintable() or " " in value:
            raise InvalidParams("This is no key: one is a line of letters, digits and signs, without spaces.")
        return await self._secrets.put(_name(checked_provider(provider)), key)

    async def forget_keys(self) -> int:
        self._opened.clear()
        names = [kept.name for kept in await self._secrets.kept() if kept.name.startswith(_PREFIX)]
        return sum([await self._secrets.forget(name) for name in names])

    async def open(self, name: str) -> Model:
        settings = await self._settings()
        if not (wanted := name or settings.model):
            raise NoModel("No model is connected, so nobody answers in this chat.", hint=_HOW)
        provider, _ = split(wanted)
        if provider != SCRIPT and not is_installed("agent"):
            raise NoModel("handrail is installed without its agent.", hint=how_to_install("agent"))
        key = await self._key(provider)
        if key is None and PROVIDERS[provider].needs_key:
            its = PROVIDERS[provider]
            hint = f"`handrail model key {provider}` keeps one; ${its.variables[0]} is used where it is set."
            raise WrongKey(f"There is no key for {its.title}.", hint=hint)
        base_url = _checked(settings.model_base_url) if _has_base_url(provider, settings.model) else ""
        place = (wanted, base_url, key)
        if place not in self._opened:
            self._opened[place] = LazyModel(wanted, partial(open_model, wanted, base_url or None, key))
        return self._opened[place]

    async def _settings(self) -> Settings:
        return await asyncio.to_thread(settings_file.load, self._state, {}, self._environ)

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


def open_models(state_dir: Path | None) -> StateModels:
    return StateModels(open_state(state_dir).path)


_PREFIX = "model:"


def _has_base_url(provider: str, chosen: str) -> bool:
    """The address is that of the model that was chosen: another provider's key is none of its business."""
    return provider == (split(chosen)[0] if chosen else COMPATIBLE)


def _checked(base_url: str) -> str:
    """InvalidParams. A name or password would be shown wherever the address is."""
    if base_url and ("?" in base_url or "#" in base_url or read_address(base_url, "baseUrl").host is None):
        raise InvalidParams("The base URL must begin with http:// or https://, and end with a path.")
    return base_url


def _name(provider: str) -> str:
    return f"{_PREFIX}{provider}:key"
