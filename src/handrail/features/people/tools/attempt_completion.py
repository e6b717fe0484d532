"""attempt_completion: reports that the work is done (contract 3 §3.2)."""

import msgspec

from handrail.features.people.asking import own_origin
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InputOutput, InvalidParams
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True):
    result: str


class Result(msgspec.Struct, frozen=True):
    ack: bool = True


async def attempt_completion(queue: PromptQueue, call: Call, params: Params, preview: Preview | None) -> Result:
    """Report that the work is done, with the result as Markdown. Returns immediately."""
    prompt = {"kind": "result", "title": "Done", "markdown": params.result, "source": f"handrail/{call.tool}"}
    try:
        await queue.request(prompt, request_id=f"done_{call.execution_id}", run_id=call.task, origin=own_origin(call))
    except Conflict as conflict:  # a call that is repeated after a crash reports only once
        if conflict.details.get("reason") != "taken":
            raise
    return Result()


TOOL = Tool(
    name="attempt_completion",
    title="Report completion",
    params=Params,
    input_schema=schema("webgal", "attempt_completion.request"),
    output_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {"ack": {"type": "boolean", "const": True}},
        "required": ["ack"],
    },
    effect=Effect.ASK,
    errors=(InvalidParams, InputOutput),
    run=attempt_completion,
    ends_task=True,
)
