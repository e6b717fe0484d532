"""WebGAL games: check scripts, list resources, define characters, show scenes, run the project's scripts."""

from handrail.kernel.feature import Command, Extra, Feature

EXTRA = Extra("webgal", "lsprotocol", "pygls")

FEATURE = Feature(
    "webgal",
    "WebGAL games",
    rank=20,
    listed_first="handrail.features.webgal.opening:has_game",
    tools="handrail.features.webgal.tool_list:TOOLS",
    prompts="handrail.features.webgal.tool_list:PROMPTS",
    opening="handrail.features.webgal.opening:open_webgal",
    routes="handrail.features.webgal.routes:mount",
    checks="handrail.features.webgal.checks:checks",
    offers={"review": "handrail.features.webgal.opening:review"},
    resources="handrail.features.webgal.tool_list:RESOURCES",
    settings="handrail.features.webgal.settings:WebGalSettings",
    commands=[
        Command(
            "webgal", "handrail.features.webgal.cli.webgal:webgal", "Check a WebGAL game, here or in your editor.", 170
        )
    ],
    extra=EXTRA,
)
