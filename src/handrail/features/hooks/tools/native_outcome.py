"""native_outcome: records the result of a native call, as the client reports it and as the files show it."""

import msgspec

from handrail.features.hooks.native import Outcome
from handrail.features.hooks.project_hooks import Hooks
from handrail.features.hooks.tools.native_edit import digest_of, read_content
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure, InvalidParams


class Result(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`as_shown` is whether each file has the content that was shown before the call."""

    of: str | None = None
    report: str = ""
    as_shown: dict[str, bool] = {}
    found: dict[str, str] = {}


async def native_outcome(hooks: Hooks, call: Call, params: Outcome, preview: Preview | None) -> Result:
    """Records the result of a call that the client ran."""
    found = await in_thread(call, lambda: {path: _digest(path) for path in params.paths})
    as_shown = {path: found.get(path) == expected for path, expected in params.expected.items()}
    result = Result(params.of, params.report, as_shown, found)
    call.add_evidence("outcome.json", msgspec.to_builtins(result))
    return result


def _digest(path: str) -> str:
    try:
        return digest_of(read_content(path))
    except (Failure, OSError):
        return "unreadable"


TOOL = Tool(
    name="native_outcome",
    title="Record an outcome",
    params=Outcome,
    input_schema={
        "type": "object",
        "properties": {
            "tool": {"type": "string"},
            "of": {"type": "string"},
            "report": {"type": "string", "maxLength": 200},
            "paths": {"type": "array", "items": {"type": "string"}},
            "expected": {"type": "object"},
        },
        "required": ["tool"],
        "additionalProperties": False,
    },
    effect=Effect.READ,
    errors=(InvalidParams,),
    run=native_outcome,
    is_for_agents=False,
    face="hook",
)
