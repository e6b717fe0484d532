"""prompt_choices: asks the person to choose one or several of up to 60 options (contract 5 §6)."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.people.asking import PATIENCE_MS, ask
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InputOutput, InvalidParams
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.prompt_response import Status

_WIRE_NAMES = {
    "title": "title",
    "message": "message",
    "default": "default",
    "min_selections": "minSelections",
    "max_selections": "maxSelections",
}


class Params(msgspec.Struct, frozen=True):
    options: list[dict[str, Any]]
    title: str | None = None
    message: str | None = None
    multiple: bool = False
    default: str | list[str] | None = None
    min_selections: int | None = None
    max_selections: int | None = None
    allow_cancel: bool = True
    timeout_ms: int | None = None
    run_id: str | None = None


class Result(msgspec.Struct, frozen=True):
    status: Status
    request_id: str
    multiple: bool
    selection: str | list[str]
    run_id: str | UnsetType = UNSET


async def prompt_choices(queue: PromptQueue, call: Call, params: Params, preview: Preview | None) -> Result:
    """Ask the person to choose an option, or several with `multiple`, and wait. `status` is ok, canceled or timeout;
    `selection` is the value or the list of values.
    """
    prompt = {
        "kind": "choice",
        "options": params.options,
        "multiple": params.multiple,
        "allowCancel": params.allow_cancel,
        **{wire: value for name, wire in _WIRE_NAMES.items() if (value := getattr(params, name)) is not None},
    }
    answer = await ask(queue, call, prompt, params.timeout_ms, params.run_id)
    chosen = answer.response.selection if answer.response.status == "ok" else UNSET
    selection: str | list[str] = [] if params.multiple else ""
    if chosen is not UNSET:
        selection = chosen if isinstance(chosen, str) else list(chosen)
    return Result(
        answer.response.status, answer.request_id, params.multiple, selection, params.run_id or call.task or UNSET
    )


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}

TOOL = Tool(
    name="prompt_choices",
    title="Ask for a choice",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": _TEXT,
            "message": _TEXT,
            "options": {
                "type": "array",
                "minItems": 1,
                "maxItems": 60,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"value": {"type": "string", "minLength": 1}, "label": _TEXT, "description": _TEXT},
                    "required": ["value"],
                },
            },
            "multiple": {"type": "boolean", "default": False},
            "default": {"anyOf": [_TEXT, _TEXTS]},
            "min_selections": {"type": "integer", "minimum": 0},
            "max_selections": {"type": "integer", "minimum": 1},
            "allow_cancel": {"type": "boolean", "default": True},
            "timeout_ms": {"type": "integer", "minimum": 1},
            "run_id": _TEXT,
        },
        "required": ["options"],
    },
    output_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "status": {"type": "string", "enum": ["ok", "canceled", "timeout"]},
            "request_id": _TEXT,
            "run_id": _TEXT,
            "multiple": {"type": "boolean"},
            "selection": {"anyOf": [_TEXT, _TEXTS]},
        },
        "required": ["status", "request_id", "multiple", "selection"],
    },
    effect=Effect.ASK,
    errors=(InvalidParams, InputOutput),
    deadline_ms=PATIENCE_MS,
    run=prompt_choices,
)
