"""prompt_key_values: asks the person to fill in a form (contract 5 §5)."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.people.asking import PATIENCE_MS, ask
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InputOutput, InvalidParams
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.prompt_response import Status
from handrail.ports.prompts import MASK


class Params(msgspec.Struct, frozen=True):
    fields: list[dict[str, Any]]
    title: str | None = None
    message: str | None = None
    allow_cancel: bool = True
    timeout_ms: int | None = None
    run_id: str | None = None


class Result(msgspec.Struct, frozen=True):
    status: Status
    request_id: str
    run_id: str | UnsetType = UNSET
    values: dict[str, str] = {}


async def prompt_key_values(queue: PromptQueue, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Ask the person to fill in a form, and wait. `status` is ok, canceled or timeout; `values` are the answers by key.
    Mark passwords and keys as `secret`: you get them, no log does.
    """
    prompt = {
        "kind": "kv",
        "fields": params.fields,
        "allowCancel": params.allow_cancel,
        **({"title": params.title} if params.title is not None else {}),
        **({"message": params.message} if params.message is not None else {}),
    }
    answer = await ask(queue, call, prompt, params.timeout_ms, params.run_id)
    values = answer.response.values if answer.response.status == "ok" else UNSET
    entered = {} if values is UNSET else values
    result = Result(answer.response.status, answer.request_id, params.run_id or call.task or UNSET, entered)
    secret = {field["key"] for field in params.fields if field.get("secret")} & entered.keys()
    if not secret:
        return Reply(result)
    return Reply(result, kept_result=msgspec.structs.replace(result, values=entered | dict.fromkeys(secret, MASK)))


_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}

TOOL = Tool(
    name="prompt_key_values",
    title="Ask for values",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": _TEXT,
            "message": _TEXT,
            "fields": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "key": {"type": "string", "minLength": 1},
                        "label": _TEXT,
                        "description": _TEXT,
                        "placeholder": _TEXT,
                        "default": _TEXT,
                        "required": _FLAG,
                        "multiline": _FLAG,
                        "secret": _FLAG,
                    },
                    "required": ["key"],
                },
            },
            "allow_cancel": {"type": "boolean", "default": True},
            "timeout_ms": {"type": "integer", "minimum": 1},
            "run_id": _TEXT,
        },
        "required": ["fields"],
    },
    output_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "status": {"type": "string", "enum": ["ok", "canceled", "timeout"]},
            "request_id": _TEXT,
            "run_id": _TEXT,
            "values": {"type": "object", "additionalProperties": _TEXT},
        },
        "required": ["status", "request_id", "values"],
    },
    effect=Effect.ASK,
    errors=(InvalidParams, InputOutput),
    deadline_ms=PATIENCE_MS,
    run=prompt_key_values,
)
