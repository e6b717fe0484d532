"""Prometheus metrics and OpenTelemetry traces of the gate. Both are off until a setting turns them on."""

from handrail.kernel.feature import Extra, Feature

EXTRA = Extra("observe", "prometheus_client", "opentelemetry")

FEATURE = Feature(
    "observability",
    "Metrics and traces",
    rank=110,
    works_in_teams=True,
    settings="handrail.features.observability.settings:ObservabilitySettings",
    offers={"observer": "handrail.features.observability.opening:observer_of"},
    serving="handrail.features.observability.opening:observing",
    routes="handrail.features.observability.routes:mount",
    checks="handrail.features.observability.checks:checks",
    further_extras=[EXTRA],
)
