"""Runs an agent in a cage: it works on the project freely, and reaches nothing else without approval."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "cage",
    "Cage",
    rank=17,
    tools="handrail.features.cage.tool_list:TOOLS",
    opening="handrail.features.cage.connections:open_connections",
    checks="handrail.features.cage.checks:checks",
    commands=[Command("run", "handrail.features.cage.cli.run:run", "Run an agent in a cage.", 7)],
)
