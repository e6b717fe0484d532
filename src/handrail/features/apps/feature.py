"""The apps on this machine that speak AAI (contract 4): list, describe and call them."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "apps",
    "Apps",
    rank=50,
    listed_first="handrail.features.apps.opening:lists_app_tools",
    tools="handrail.features.apps.tool_list:TOOLS",
    routes="handrail.features.apps.routes:mount",
    opening="handrail.features.apps.opening:open_apps",
    dynamic_tools="handrail.features.apps.opening:app_tools",
    resources="handrail.features.apps.tool_list:RESOURCES",
    checks="handrail.features.apps.opening:checks",
    dialect="handrail.features.apps.dialect:DIALECT",
    settings="handrail.features.apps.settings:AppsSettings",
    commands=[
        Command(
            "apps", "handrail.features.apps.cli.apps:apps", "List, call and allow the apps that agents can use.", 50
        )
    ],
)
