"""A model by its name. What providers need is loaded here, with the first of them: it takes a second or two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from handrail.backends.models.providers import COMPATIBLE, SCRIPT, split
from handrail.contract.model import NoModel

if TYPE_CHECKING:
    from handrail.contract.model import Model
    from handrail.contract.secrets import Secret

_NO_KEY = "not-needed"
"""Local servers want none, and their client wants one."""


def open_model(name: str, base_url: str | None, key: Secret | None) -> Model:
    """Blocks while it loads. InvalidParams, NoModel."""
    provider, model = split(name)
    if provider == SCRIPT:
        from handrail.backends.models.scripted import ScriptedModel

        return ScriptedModel(Path(model))
    if provider == COMPATIBLE and base_url is None:
        raise NoModel(
            f"{name} needs the address of its server.",
            hint="Set model_base_url, as in `handrail model use NAME --base-url http://127.0.0.1:11434/v1`.",
        )
    from handrail.backends.models.declarations import to_anthropic, to_openai
    from handrail.backends.models.provided import ProvidedModel

    value = None if key is None else key.reveal()
    match provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            claude = AnthropicModel(model, provider=AnthropicProvider(api_key=value, base_url=base_url))
            return ProvidedModel(name, claude, declare=to_anthropic, max_tokens=_MOST_TOKENS)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return ProvidedModel(name, GoogleModel(model, provider=GoogleProvider(api_key=value, base_url=base_url)))
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.profiles import ModelProfile
            from pydantic_ai.providers.openai import OpenAIProvider

            known = OpenAIProvider(api_key=value or _NO_KEY, base_url=base_url)
            plain = ModelProfile(json_schema_transformer=None)  # our schemas are plain: walking them again takes time
            return ProvidedModel(name, OpenAIChatModel(model, provider=known, profile=plain), declare=to_openai)


_MOST_TOKENS = 16_000
"""Of one reply: Anthropic wants to be told."""
