"""The agent's settings, and a state directory's models and keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import msgspec

from handrail.kernel.settings import load_one

if TYPE_CHECKING:
    from handrail.features.agent.models.catalog import ModelCatalog
    from handrail.ports.stores import Stores


_MIN_CONTEXT_TOKENS = 2_000


class AgentSettings(msgspec.Struct, frozen=True):
    model: str = ""
    model_base_url: str = ""
    model_context_tokens: int = 100_000
    model_effort: Literal["", "minimal", "low", "medium", "high"] = ""
    agent_most_steps: int = 100
    agent_most_cost: float = 5.0

    def __post_init__(self) -> None:
        if self.model_context_tokens < _MIN_CONTEXT_TOKENS:
            raise ValueError(f"`model_context_tokens` must be at least {_MIN_CONTEXT_TOKENS}")
        if self.agent_most_steps < 1 or not self.agent_most_cost >= 0:
            raise ValueError("`agent_most_steps` must be at least 1, and `agent_most_cost` no less than 0")


def open_models(stores: Stores, environ: Mapping[str, str] = os.environ) -> ModelCatalog:
    from handrail.features.agent.models.catalog import ModelCatalog, ModelChoice

    def load() -> ModelChoice:
        settings = load_one(AgentSettings, stores.path, environ)
        return ModelChoice(settings.model, settings.model_base_url, settings.model_effort)

    return ModelCatalog(load, stores.set_choice, stores.secrets, environ)
