"""The files of one project: list, read, search, change, undo."""

from handrail.kernel.feature import Feature

FEATURE = Feature(
    "workspace",
    "Project files",
    rank=10,
    tools="handrail.features.workspace.tool_list:TOOLS",
)
