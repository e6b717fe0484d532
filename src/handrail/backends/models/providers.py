"""Who provides models, by the name before the colon: `anthropic:…`. Imports nothing of theirs."""

from collections.abc import Mapping
from dataclasses import dataclass

from handrail.contract.errors import InvalidParams

SCRIPT = "script"
COMPATIBLE = "openai-compatible"


@dataclass(frozen=True, slots=True)
class Provider:
    """`variables` may hold the key, the first that is set counts; `models` are a few that people ask for."""

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
    """The provider and its own name of the model."""
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model:
        raise InvalidParams(
            f"{name[:100]!r} is no model.",
            hint=f"Name it as PROVIDER:MODEL; providers are {', '.join(PROVIDERS)}.",
        )
    return provider, model


def checked_provider(name: str) -> str:
    """Of whom a key is kept."""
    if name not in PROVIDERS or not PROVIDERS[name].variables:
        known = ", ".join(provider for provider, its in PROVIDERS.items() if its.variables)
        raise InvalidParams(f"{name[:100]!r} is no provider of models.", hint=f"Known are {known}.")
    return name
