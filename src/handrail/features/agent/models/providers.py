"""Model providers, by the name before the colon (`anthropic:…`), and how to open their models.

A provider's library takes a second or two to import, so it is imported when a model is first opened.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.errors import InvalidParams
from handrail.ports.model import Model, NoModel, Piece, Reply, ToolOffer, Turn

if TYPE_CHECKING:
    from handrail.ports.secrets import Secret

SCRIPT = "script"
COMPATIBLE = "openai-compatible"
_NO_KEY = "not-needed"
"""Local servers need no key, but their client library does."""
_MAX_REPLY_TOKENS = 16_000
"""Anthropic requires a limit for each reply."""


@dataclass(frozen=True, slots=True)
class Provider:
    """`variables`: environment variables for the key; the first one that is set is used. `models`: suggestions."""

    title: str
    variables: tuple[str, ...]
    models: tuple[str, ...] = ()
    needs_key: bool = True


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        "Anthropic", ("ANTHROPIC_API_KEY",), ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
    ),
    "openai": Provider("OpenAI", ("OPENAI_API_KEY",), ("gpt-5.5", "gpt-5.4", "gpt-5.4-mini")),
    "google": Provider("Google", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("gemini-3.1-pro-preview", "gemini-3.8-flash")),
    COMPATIBLE: Provider("an OpenAI-compatible server", ("OPENAI_COMPATIBLE_API_KEY",), needs_key=False),
    SCRIPT: Provider("a script", (), needs_key=False),
}


def split(name: str) -> tuple[str, str]:
    """The provider and its name for the model. Raises InvalidParams."""
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model:
        raise InvalidParams(
            f"Unknown model {name[:100]!r}.",
            hint=f"Write it as PROVIDER:MODEL; providers are {', '.join(PROVIDERS)}.",
        )
    return provider, model


def checked_provider(name: str) -> str:
    """The name of a provider that uses a key. Raises InvalidParams for others."""
    if name not in PROVIDERS or not PROVIDERS[name].variables:
        names = ", ".join(provider for provider, details in PROVIDERS.items() if details.variables)
        raise InvalidParams(f"Unknown provider {name[:100]!r}.", hint=f"Providers are {names}.")
    return name


class LazyModel:
    def __init__(self, name: str, load: Callable[[], Model]) -> None:
        self.name = name
        self._load = load
        self._loading: asyncio.Task[Model] | None = None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(_load_frozen, self._load))
        try:
            model = await asyncio.shield(self._loading)
        except Exception:
            self._loading = None  # the next one tries again
            raise
        async for piece in model.stream(instructions, turns, tools):
            yield piece


def _load_frozen(load: Callable[[], Model]) -> Model:
    """Loads a model and exempts its library's objects from garbage collection, which would otherwise stall streams."""
    modules = len(sys.modules)
    model = load()
    if len(sys.modules) > modules:
        gc.freeze()
    return model


def open_model(name: str, base_url: str | None, key: Secret | None, effort: str = "") -> Model:
    """Blocks while it imports. Raises InvalidParams or NoModel."""
    provider, model = split(name)
    if provider == SCRIPT:
        from handrail.features.agent.models.scripted import ScriptedModel

        return ScriptedModel(Path(model))
    if provider == COMPATIBLE and base_url is None:
        raise NoModel(
            f"{name} needs the address of its server.",
            hint="Set model_base_url, as in `handrail model use NAME --base-url http://127.0.0.1:11434/v1`.",
        )
    from handrail.features.agent.models.provided import ProvidedModel, to_anthropic, to_openai

    value = None if key is None else key.reveal()
    match provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            claude = AnthropicModel(model, provider=AnthropicProvider(api_key=value, base_url=base_url))
            return ProvidedModel(name, claude, declare=to_anthropic, max_tokens=_MAX_REPLY_TOKENS, effort=effort)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return ProvidedModel(
                name, GoogleModel(model, provider=GoogleProvider(api_key=value, base_url=base_url)), effort=effort
            )
        case _:
            from pydantic_ai.profiles import ModelProfile
            from pydantic_ai.providers.openai import OpenAIProvider

            from handrail.features.agent.models.compatible import CompatibleModel
            from handrail.features.agent.models.event_stream import http_client
            from handrail.features.agent.models.provider_errors import no_quote, server_words

            server = OpenAIProvider(api_key=value or _NO_KEY, base_url=base_url, http_client=http_client())
            quote = partial(server_words, key=value or "") if provider == COMPATIBLE else no_quote
            plain = ModelProfile(json_schema_transformer=None)  # our schemas need no rewriting, which would take time
            if provider == COMPATIBLE:  # a model that doesn't know the effort is asked again without it
                plain["supports_thinking"] = True
                effort = "low" if effort == "minimal" else effort  # Ollama and vLLM know low, medium and high
            compatible = CompatibleModel(model, provider=server, profile=plain)
            return ProvidedModel(name, compatible, declare=to_openai, effort=effort, quote=quote)
