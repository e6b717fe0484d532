"""The models of a state directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.stores.local import settings as settings_file
from handrail.stores.local.model_choice import choose
from handrail.stores.local.state import open_state
from handrail.wiring.secrets import secrets_in

if TYPE_CHECKING:
    from handrail.features.agent.models.catalog import ModelCatalog


def open_models(state_dir: Path | None, environ: Mapping[str, str] = os.environ) -> ModelCatalog:
    from handrail.features.agent.models.catalog import ModelCatalog

    state = open_state(state_dir).path

    def load() -> tuple[str, str]:
        settings = settings_file.load(state, {}, environ)
        return settings.model, settings.model_base_url

    def store(model: str, base_url: str) -> None:
        choose(state, model=model, model_base_url=base_url)

    return ModelCatalog(load, store, secrets_in(state), environ)
