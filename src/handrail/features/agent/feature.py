"""handrail's own agent, in the chat."""

from handrail.kernel.feature import Command, Extra, Feature

EXTRA = Extra("agent", "pydantic_ai", "anthropic", "openai")

FEATURE = Feature(
    "agent",
    "Agent",
    rank=70,
    works_in_teams=True,
    tools="handrail.features.agent.acp.permission:TOOLS",
    opening="handrail.features.agent.acp.permission:no_port",
    offers={"mount": "handrail.features.agent.opening:mount_of"},
    settings="handrail.features.agent.settings:AgentSettings",
    commands=[Command("model", "handrail.features.agent.cli:model", "Connect the model that answers in the chat.", 60)],
    extra=EXTRA,
)
