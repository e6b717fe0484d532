"""Finds the tool that a call names, and whether its caller may see that tool at all."""

from handrail.kernel.call import Call
from handrail.kernel.registry import RegisteredTool, Registry, UnknownTool
from handrail.ports.errors import InvalidParams
from handrail.ports.identity import CAGE_FACE, PERSONS_FACES

_MAX_FORWARDS = 3


def resolve_tool(registry: Registry, call: Call) -> RegisteredTool:
    """The tool of a call, after following tools that forward to another one. UnknownTool, Disabled, InvalidParams.

    A tool for people exists only where people call: on the command line and in the console.
    """
    entry = _follow_forwards(registry, call)
    tool, face = entry.tool, call.caller.face
    if tool.face is not None:
        is_for_others = face != tool.face
    else:
        is_for_others = not tool.is_for_agents and face not in {*PERSONS_FACES, CAGE_FACE}
    if entry.role != call.role or is_for_others:
        raise UnknownTool(f"There is no tool named {call.tool!r}.", hint="tools/list shows those that there are.")
    return entry


def _follow_forwards(registry: Registry, call: Call) -> RegisteredTool:
    """Rewrites the call's tool and parameters while the tool forwards to another one."""
    entry = registry.find(call.tool)
    for _ in range(_MAX_FORWARDS):
        if entry.tool.forwards_to is None or entry.role != call.role:
            call.tool = entry.tool.name
            return entry
        entry = registry.find_enabled(call.tool)
        assert entry.tool.forwards_to is not None
        call.tool, call.params = entry.tool.forwards_to(entry.surface.port, call.params)
        entry = registry.find(call.tool)
    raise InvalidParams(f"{call.tool} can't be called that way.", hint="Name the tool itself.")
