"""The cage's tools."""

from handrail.features.cage.tools import net_connect, net_publish

TOOLS = (net_connect.TOOL, net_publish.TOOL)
