"""Notifications of pending approvals: Web Push, and channels such as mail, Slack, Matrix or a webhook."""

from handrail.kernel.feature import Command, Extra, Feature

FEATURE = Feature(
    "notifications",
    "Notifications",
    rank=65,
    works_in_teams=True,
    settings="handrail.features.notifications.settings:NotificationSettings",
    routes="handrail.features.notifications.routes:mount",
    checks="handrail.features.notifications.checks:checks",
    commands=[
        Command("notify", "handrail.features.notifications.cli:notify", "Get notified about pending approvals.", 107)
    ],
    extra=Extra("notify", "apprise", "http_ece", "py_vapid"),
)
