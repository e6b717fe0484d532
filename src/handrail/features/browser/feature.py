"""The person's browser, through the extension that carries out the actions of contract 2."""

from handrail.kernel.feature import Command, Extra, Feature

FEATURE = Feature(
    "browser",
    "Browser",
    rank=30,
    works_in_teams=True,
    tools="handrail.features.browser.tool_list:TOOLS",
    routes="handrail.features.browser.routes.mount:mount",
    opening="handrail.features.browser.opening:open_browser",
    offers={
        "local_browser": "handrail.features.browser.opening:local_browser",
        "server": "handrail.features.browser.opening:server_of",
    },
    checks="handrail.features.browser.checks:checks",
    dialect="handrail.features.browser.dialect:DIALECT",
    settings="handrail.features.browser.settings:BrowserSettings",
    commands=[
        Command("extension", "handrail.features.browser.cli:extension", "Pair browsers with the running server.", 20)
    ],
    extra=Extra("browser"),  # names no package: the base install has all that it needs
)
