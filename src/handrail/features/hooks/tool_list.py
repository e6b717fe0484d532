"""The tools that stand for clients' own tool calls at the gate. They aren't listed: only hooks call them."""

from handrail.features.hooks.tools import native_calls, native_edit, native_outcome, native_read, native_shell

TOOLS = (
    native_shell.TOOL,
    native_edit.TOOL,
    native_read.TOOL,
    native_calls.FETCH,
    native_calls.MCP,
    native_calls.OTHER,
    native_outcome.TOOL,
)
