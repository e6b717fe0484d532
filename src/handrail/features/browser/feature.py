"""The person's browser, through the extension that carries out contract 2's actions."""

from handrail.kernel.feature import Command, Extra, Feature

FEATURE = Feature(
    "browser",
    "Browser",
    rank=30,
    tools="handrail.features.browser.tool_list:TOOLS",
    dialect="handrail.faces.http.dialect:DIALECT",
    commands=[
        Command("extension", "handrail.features.browser.cli:extension", "Pair browsers with the running server.", 20)
    ],
    extra=Extra("browser"),  # names no package: the base install has all that it needs
)
