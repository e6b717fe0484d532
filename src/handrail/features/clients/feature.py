"""Connects the AI clients on this machine to handrail."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "clients",
    "Clients",
    rank=15,
    routes="handrail.features.clients.routes:mount",
    commands=[
        Command("connect", "handrail.features.clients.cli:connect", "Connect an AI client, or list them.", 5),
        Command("disconnect", "handrail.features.clients.cli:disconnect", "Undo `handrail connect`.", 6),
    ],
)
