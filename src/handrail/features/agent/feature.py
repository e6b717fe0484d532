"""The agent of our own: a loop over a model, in the chat."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "agent",
    "Agent",
    rank=70,
    commands=[Command("model", "handrail.features.agent.cli:model", "Connect the model that answers in the chat.", 60)],
    extra="agent",
    needs=("pydantic_ai", "anthropic", "openai"),
)
