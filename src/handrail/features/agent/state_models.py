"""The models of a state directory: which one is set, and whose keys are there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from handrail.features.agent.settings import AgentSettings
from handrail.kernel.settings import load_one

if TYPE_CHECKING:
    from handrail.features.agent.models.catalog import ModelCatalog
    from handrail.ports.stores import Stores


def open_models(stores: Stores, environ: Mapping[str, str] = os.environ) -> ModelCatalog:
    from handrail.features.agent.models.catalog import ModelCatalog

    def load() -> tuple[str, str]:
        settings = load_one(AgentSettings, stores.path, environ)
        return settings.model, settings.model_base_url

    def store(model: str, base_url: str) -> None:
        stores.set_choice(model=model, model_base_url=base_url)

    return ModelCatalog(load, store, stores.secrets, environ)
