"""The apps of this machine that speak AAI, contract 4: found, described and called."""

from handrail.features.apps import app_shelf
from handrail.features.apps.apps import Apps
from handrail.features.apps.tools import apps_call, apps_describe, apps_list
from handrail.kernel.tool import Surface

TOOLS = (apps_list.TOOL, apps_describe.TOOL, apps_call.TOOL)


def surface(apps: Apps | None) -> Surface:
    """Without apps the tools can be described, not run."""
    return Surface("apps", "aai", apps, TOOLS, shelves=(app_shelf.SHELF,))
