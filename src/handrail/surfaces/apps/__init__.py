"""The apps of this machine that speak AAI, contract 4: found, described and called."""

from handrail.contract.tool import Surface
from handrail.surfaces.apps import apps_call, apps_describe, apps_list
from handrail.surfaces.apps.apps import Apps

TOOLS = (apps_list.TOOL, apps_describe.TOOL, apps_call.TOOL)


def surface(apps: Apps | None) -> Surface:
    """Without apps the tools can be described, not run."""
    return Surface("apps", "aai", apps, TOOLS)
