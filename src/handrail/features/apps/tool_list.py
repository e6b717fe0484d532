"""The tools that list, describe and call apps."""

from handrail.features.apps.tools import apps_call, apps_describe, apps_list

TOOLS = (apps_list.TOOL, apps_describe.TOOL, apps_call.TOOL)
RESOURCES = (apps_describe.RESOURCE,)
