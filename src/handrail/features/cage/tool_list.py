"""The cage's tools."""

from handrail.features.cage.tools import net_connect

TOOLS = (net_connect.TOOL,)
