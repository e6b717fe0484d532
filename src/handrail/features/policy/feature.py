"""Permission rules: which are in force, and whether the project's own policy is trusted."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "policy",
    "Permissions",
    rank=90,
    works_in_teams=True,
    routes="handrail.features.policy.routes:mount",
    commands=[
        Command("policy", "handrail.features.policy.cli.policy:policy", "Show permission rules.", 150),
        Command("rules", "handrail.features.policy.cli.rules:rules", "List, remove and restore permission rules.", 151),
    ],
)
