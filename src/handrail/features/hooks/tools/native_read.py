"""native_read: a file or folder that a client's own tools would read, list or search."""

from msgspec.structs import replace

from handrail.features.hooks.native import Read
from handrail.features.hooks.path_place import is_within
from handrail.features.hooks.plan import secret_below
from handrail.features.hooks.port import Hooks
from handrail.features.hooks.result import ALLOWED, Allowed
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, InvalidParams


async def locate(hooks: Hooks, call: Call, params: Read) -> Target:
    return await in_thread(call, lambda: _target(hooks, params))


def _target(hooks: Hooks, params: Read) -> Target:
    """A search that would read closed files asks, like everything beyond the project's own files."""
    ground = hooks.ground
    ground.refuse_own([params.path])
    if params.is_search and not is_within(ground.state, ground.root):
        ground.refuse_own([params.path], is_whole=True)  # the search would read handrail's state with the rest
    target = ground.target(params.path)
    if params.is_listing and not target.is_outside:
        return replace(target, is_closed=False)
    options = ("--hidden",) if params.glob is None else ("--hidden", "--iglob", params.glob)
    if params.is_search and secret_below([params.path], options, hooks.ripgrep) is not None:
        return replace(target, is_closed=True)
    return target


async def native_read(hooks: Hooks, call: Call, params: Read, preview: Preview | None) -> Allowed:
    """A read by the client's own tools. Allowed or refused here; the client reads."""
    return ALLOWED


TOOL = Tool(
    name="native_read",
    title="Read files",
    params=Read,
    input_schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 4096},
            "isSearch": {"type": "boolean"},
            "isListing": {"type": "boolean"},
            "glob": {"type": "string", "maxLength": 1000},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effect=Effect.READ,
    errors=(Declined, InvalidParams),
    locate=locate,
    run=native_read,
    is_for_agents=False,
    face="hook",
)
