"""native_read: reads, lists or searches files with a client's own tools."""

import re

from msgspec.structs import replace

from handrail.features.hooks.native import ALLOWED, Allowed, Read
from handrail.features.hooks.path_scope import is_within
from handrail.features.hooks.plan import search_below
from handrail.features.hooks.project_hooks import Hooks
from handrail.kernel.call import Call
from handrail.kernel.target import Step, Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, InvalidParams

_BRACES = re.compile(r"\{[^{}\s/]*\}")
_MORE_THAN_A_NAME = re.compile(r"[/,\s]")
"""Claude Code takes `*.py,.env` and `*.py .env` as two patterns, unlike ripgrep."""


async def locate(hooks: Hooks, call: Call, params: Read) -> Target:
    return await in_thread(call, lambda: _target(hooks, params))


def _target(hooks: Hooks, params: Read) -> Target:
    """A search that would read closed files needs approval, as does everything outside the project's own files."""
    scope = hooks.scope
    scope.refuse_handrails([params.path])
    if params.is_search and not is_within(scope.state, scope.root):
        scope.refuse_handrails([params.path], is_whole=True)  # the search would also read handrail's state
    target = scope.target(params.path)
    if params.is_listing and not target.is_outside:
        return replace(target, is_closed=False)
    if not params.is_search:
        return target
    found = search_below([params.path], _search_options(params), scope, hooks.ripgrep, params.path)
    steps = tuple(Step(Effect.READ, each) for each in found.restricted)
    return replace(target, is_closed=target.is_closed or found.doubt is not None, steps=steps)


def _search_options(params: Read) -> tuple[str, ...]:
    """A pattern with a folder counts as any, because clients differ in the folder that it begins at; so does a list."""
    glob = params.glob
    if params.reads_ignored or (glob is not None and _MORE_THAN_A_NAME.search(_BRACES.sub("", glob))):
        return ("--hidden", "--no-ignore")
    return ("--hidden",) if glob is None else ("--hidden", "--iglob", glob)


async def native_read(hooks: Hooks, call: Call, params: Read, preview: Preview | None) -> Allowed:
    """Reads files. It is allowed or denied here; the client reads them."""
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
            "readsIgnored": {"type": "boolean"},
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
