"""A configured server address is only used with its own provider's key."""

from pathlib import Path

import pytest

from handrail.features.agent.settings import open_models
from handrail.ports.model import Model, NoModel
from handrail.ports.secrets import Secret
from handrail.wiring import Wiring

KEYS = {"ANTHROPIC_API_KEY": "sk-anthropic", "OPENAI_API_KEY": "sk-openai", "OPENAI_COMPATIBLE_API_KEY": "sk-own"}


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("openai-compatible:other", "http://localhost:11434/v1"),
        ("anthropic:any", None),
        ("openai:any", None),
    ],
)
async def test_only_the_chosen_providers_models_are_asked_for_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, base_url: str | None
) -> None:
    connections: list[tuple[str, str | None]] = []

    def open_model(name: str, base_url: str | None, key: Secret | None, effort: str) -> Model:
        connections.append((name, base_url))
        raise NoModel("Enough is seen.")

    monkeypatch.setattr("handrail.features.agent.models.catalog.open_model", open_model)
    models = open_models(Wiring().open_stores(tmp_path), KEYS)
    await models.use("openai-compatible:chosen", "http://localhost:11434/v1")
    model = await models.open(name)
    with pytest.raises(NoModel):
        await anext(aiter(model.stream("", (), ())))
    assert connections == [(name, base_url)]
