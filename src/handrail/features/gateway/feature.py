"""Other MCP servers behind the same gate: their tools, prompts and resources, and one search over all tools."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "gateway",
    "Servers",
    rank=55,
    works_in_teams=True,
    listed_first="handrail.features.gateway.open_gateway:selects_servers",
    tools="handrail.features.gateway.tool_list:TOOLS",
    dynamic_tools="handrail.features.gateway.open_gateway:gateway_of",
    opening="handrail.features.gateway.open_gateway:open_gateway",
    offers={"servers": "handrail.features.gateway.open_gateway:gateway_of"},
    routes="handrail.features.gateway.routes:mount",
    dialect="handrail.features.gateway.dialect:DIALECT",
    settings="handrail.features.gateway.settings:GatewaySettings",
    checks="handrail.features.gateway.checks:checks",
    commands=[
        Command("servers", "handrail.features.gateway.cli.servers:servers", "Put MCP servers behind the gate.", 52),
        Command("wrap", "handrail.features.gateway.cli.wrap:wrap", "Run one MCP server behind the gate.", 53),
    ],
)
