"""The manifest of the desktop feature: tools that read and use the person's desktop through the desktop host."""

from handrail.kernel.feature import Command, Extra, Feature

EXTRA = Extra("desktop", "mss", "Xlib", "zlib_ng")

FEATURE = Feature(
    "desktop",
    "Desktop",
    rank=40,
    tools="handrail.features.desktop.tool_list:TOOLS",
    opening="handrail.features.desktop.opening:open_desktop",
    routes="handrail.features.desktop.routes:mount",
    tidy="handrail.features.desktop.opening:tidy",
    checks="handrail.features.desktop.opening:checks",
    keeps_evidence_openly=True,
    serving="handrail.features.desktop.opening:host_beside_server",
    dialect="handrail.features.desktop.dialect:DIALECT",
    switched_on="handrail.features.desktop.opening:is_on",
    settings="handrail.features.desktop.settings:DesktopSettings",
    commands=[
        Command(
            "desktop",
            "handrail.features.desktop.cli.desktop:desktop",
            "Run desktop recipes; delete stored passwords.",
            30,
        ),
        Command(
            "desktop-host",
            "handrail.features.desktop.cli.desktop_host:desktop_host",
            "Serve the desktop on a Unix socket.",
            40,
        ),
    ],
    extra=EXTRA,
)
