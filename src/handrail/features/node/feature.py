"""Makes this machine a node of a team: it connects outward and stays behind its own gate."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "node",
    "Team node",
    rank=195,
    serving="handrail.features.node.serving:serving",
    offers={"join": "handrail.features.node.joining:make_join"},
    checks="handrail.features.node.checks:checks",
    commands=[Command("node", "handrail.features.node.cli.node:node", "Show or leave the team of this machine.", 191)],
)
