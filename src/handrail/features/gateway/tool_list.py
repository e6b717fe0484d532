"""The tools that find and call all other tools."""

from handrail.features.gateway.tools import tools_call, tools_describe, tools_search

TOOLS = (tools_search.TOOL, tools_describe.TOOL, tools_call.TOOL)
