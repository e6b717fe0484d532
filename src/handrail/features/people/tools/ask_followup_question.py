"""ask_followup_question: asks the person one question (contract 3 §3.1)."""

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.people.asking import PATIENCE_MS, ask
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InputOutput, InvalidParams
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.schemas import schema

_KEY = "answer"


class Params(msgspec.Struct, frozen=True):
    question: str


class Result(msgspec.Struct, frozen=True):
    answer: str | UnsetType = UNSET
    ack: bool = True


async def ask_followup_question(queue: PromptQueue, call: Call, params: Params, preview: Preview | None) -> Result:
    """Ask the person one question and wait for the answer. A result without `answer` means they declined."""
    field = {"key": _KEY, "label": "Answer", "multiline": True, "required": True}
    prompt = {"kind": "kv", "title": "A question", "message": params.question, "fields": [field]}
    answer = await ask(queue, call, prompt)
    values = answer.response.values if answer.response.status == "ok" else UNSET
    return Result(values.get(_KEY, UNSET) if values is not UNSET else UNSET)


TOOL = Tool(
    name="ask_followup_question",
    title="Ask a question",
    params=Params,
    input_schema=schema("webgal", "ask_followup_question.request"),
    output_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {"ack": {"type": "boolean", "const": True}, "answer": {"type": "string"}},
        "required": ["ack"],
    },
    effect=Effect.ASK,
    errors=(InvalidParams, InputOutput),
    deadline_ms=PATIENCE_MS,
    run=ask_followup_question,
)
