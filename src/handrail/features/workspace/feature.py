"""The files of one project: list, read, search, change, undo."""

from handrail.kernel.feature import Feature

FEATURE = Feature(
    "workspace",
    "Project files",
    rank=10,
    works_in_teams=True,
    listed_first=True,
    tools="handrail.features.workspace.tool_list:TOOLS",
    opening="handrail.features.workspace.opening:open_workspace",
    tidy="handrail.features.workspace.opening:tidy",
    checks="handrail.features.workspace.opening:checks",
    offers={
        "changes": "handrail.features.workspace.opening:changes",
        "unified": "handrail.features.workspace.opening:unified_diff",
        "ripgrep": "handrail.features.workspace.opening:ripgrep",
    },
)
