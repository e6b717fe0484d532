"""The tools as which clients' own tool calls pass the gate. They are in no list: only the hook service calls them."""

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
