"""Passes clients' own tools (shell, files, web) through handrail's gate by means of the clients' hooks."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "hooks",
    "Clients' own tools",
    rank=16,
    tools="handrail.features.hooks.tool_list:TOOLS",
    opening="handrail.features.hooks.project_hooks:open_hooks",
    checks="handrail.features.hooks.checks:checks",
    services={"hook": "handrail.features.hooks.service:serve"},
    commands=[Command("hook", "handrail.features.hooks.cli.hook:hook", "Allow or deny a client's own tool calls.", 72)],
)
