"""A team: several people, agents and servers on PostgreSQL, NATS and S3."""

from handrail.kernel.feature import Command, Extra, Feature

FEATURE = Feature(
    "team",
    "Team",
    rank=5,  # its sign-in takes the place of the one for a single person
    works_in_teams=True,
    routes="handrail.features.team.routes.mount:mount",
    serving="handrail.features.team.access_watch:watch_access_changes",
    checks="handrail.features.team.checks:checks",
    commands=[Command("team", "handrail.features.team.cli.team:team", "Run handrail for a team.", 190)],
    extra=Extra("team", "asyncpg", "nats", "obstore"),
)
