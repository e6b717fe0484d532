"""Questions put to the MCP client as well, beside the queue, as forms of `elicitation/create`.

The client is the agent's own program: it is never asked for secrets, and for approvals only if the settings allow it.
A form can't express every prompt; what it can't express waits in the queue alone. So does everything else that a client
can't or won't answer.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec import UNSET

from handrail.faces.mcp.protocol import Request
from handrail.kernel.visible import visible
from handrail.ports.approval_card import Scope
from handrail.ports.prompt_queue import AnswerChannel, FindChannels, no_channels
from handrail.ports.prompts import (
    ChoiceOption,
    ChoicePrompt,
    FileChangePrompt,
    KvField,
    KvPrompt,
    Prompt,
    PromptResponse,
)

Schema = dict[str, Any]

_PLAIN = "2025-06-18"
# Before them there was no elicitation; since 2026-07-28 a server sends no requests (`input_rounds`).
_VERSIONS = frozenset({_PLAIN, "2025-11-25"})

_SELECTION, _DECISION, _REMARK = "selection", "decision", "remark"
_DENY = "deny"
_SCOPES: tuple[Scope, ...] = ("once", "task")
_DECISIONS = {
    "once": "Allow once",
    "task": "Allow for this task",
    _DENY: "Deny",
}
"""What reaches further needs proof that a person is present, which a client can't give."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Form:
    message: str
    schema: Schema


Ask = Callable[[Prompt, Form], Awaitable[PromptResponse | None]]


def channels(request: Request, *, has_approvals: bool, ask: Ask | None = None) -> FindChannels:
    """Where the questions of this request are put as well; `ask` where that is not by a request to the client."""
    if not takes_forms(request) or (ask is None and not (request.version in _VERSIONS and request.can_elicit)):
        return no_channels
    is_plain = request.version == _PLAIN

    def sides(prompt: Prompt) -> Sequence[AnswerChannel]:
        if isinstance(prompt, FileChangePrompt) and not has_approvals:
            return ()
        form = form_of(prompt, is_plain=is_plain)
        if form is None:
            return ()
        put = ask or partial(_elicit, request)
        return (AnswerChannel(f"client:{request.client}", lambda: put(prompt, form)),)

    return sides


def takes_forms(request: Request) -> bool:
    modes = request.capabilities.get("elicitation")
    # No mode named means forms: there was nothing else at first.
    return isinstance(modes, Mapping) and (modes.get("form") is not None or modes.get("url") is None)


async def _elicit(request: Request, prompt: Prompt, form: Form) -> PromptResponse | None:
    """Cancelled when somebody else answers first."""
    result = await request.elicit(form.message, form.schema)
    if result is None:
        logger.info("the client gave no answer")
        return None
    return response_of(prompt, result)


def form_of(prompt: Prompt, *, is_plain: bool) -> Form | None:
    """`is_plain` for protocol 2025-06-18: no presets of text, no choice of several, names apart from values."""
    match prompt:
        case KvPrompt() if not prompt.secret_keys:
            properties = {field.key: _text(field, is_plain) for field in prompt.fields}
            required = [field.key for field in prompt.fields if field.required is True]
            return Form(_message(prompt, "Please fill in this form."), _object(properties, required))
        case ChoicePrompt() if not (prompt.multiple and is_plain):
            schema = _several(prompt) if prompt.multiple else _one(prompt, is_plain)
            return Form(_message(prompt, "Please choose.", _explained(prompt)), _object({_SELECTION: schema}))
        case FileChangePrompt():
            remark: Schema = {"type": "string", "title": "Remark"} | _preset(prompt.default_remark, is_plain)
            properties = {_DECISION: _enum(_decisions(prompt), is_plain) | {"title": "Decision"}, _REMARK: remark}
            return Form(_message(prompt, "May this happen?", _shown(prompt)), _object(properties, [_DECISION]))
        case _:
            return None


def answer_of(prompt: Prompt, action: str, content: Mapping[str, Any]) -> PromptResponse | None:
    """None leaves the question open. Whether the rest keeps to the prompt's rules is for the queue to say."""
    if action == "decline":
        return None if prompt.allow_cancel is False else PromptResponse(status="canceled")
    if action != "accept":
        return None
    given = {name: value for name, value in content.items() if value is not None}
    match prompt:
        case KvPrompt():
            return PromptResponse(status="ok", values=given)
        case ChoicePrompt():
            return PromptResponse(status="ok", selection=given.get(_SELECTION, UNSET))
        case FileChangePrompt():
            decision, remark = given.get(_DECISION), given.get(_REMARK) or UNSET
            if decision == _DENY:
                return None if prompt.allow_cancel is False else PromptResponse(status="canceled", remark=remark)
            return PromptResponse(status="ok", scope=decision, remark=remark) if decision in _SCOPES else None
        case _:
            return None


def response_of(prompt: Prompt, result: Mapping[str, Any]) -> PromptResponse | None:
    """The same, of an `ElicitResult` as it came."""
    content = result.get("content")
    return answer_of(prompt, str(result.get("action")), content if isinstance(content, Mapping) else {})


def _decisions(prompt: FileChangePrompt) -> Mapping[str, str]:
    """Once or not at all; for the task where that is offered, with the rule that it creates."""
    for_task = [offer for offer in prompt.offers or () if offer.scope == "task"]
    if not for_task:
        return {name: text for name, text in _DECISIONS.items() if name != "task"}
    reach = f"{for_task[0].what}; in {for_task[0].where}; for {for_task[0].who}; until {for_task[0].until}"
    return {**_DECISIONS, "task": f"{_DECISIONS['task']}: {visible(reach)}"}


def _object(properties: Schema, required: Sequence[str] = (_SELECTION,)) -> Schema:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def _text(field: KvField, is_plain: bool) -> Schema:
    schema: Schema = {"type": "string"}
    if field.label:
        schema["title"] = visible(field.label)
    hints = [field.description or ""]
    if field.placeholder:
        hints.append(f"For example: {field.placeholder}")
    if field.multiline is True:
        hints.append("May have several lines.")
    if is_plain and field.default:
        hints.append(f"Usually: {field.default}")
    if any(hints):
        schema["description"] = visible(" ".join(hint for hint in hints if hint))
    if field.required is True:
        schema["minLength"] = 1
    return schema | _preset(field.default, is_plain)


def _one(prompt: ChoicePrompt, is_plain: bool) -> Schema:
    return _enum(_named(prompt.options), is_plain) | _preset(prompt.default, is_plain)


def _several(prompt: ChoicePrompt) -> Schema:
    names = _named(prompt.options)
    items: Schema = {"anyOf": _titled(names)} if _has_names(names) else {"type": "string", "enum": list(names)}
    schema: Schema = {"type": "array", "items": items}
    if prompt.min_selections is not UNSET:
        schema["minItems"] = prompt.min_selections
    if prompt.max_selections is not UNSET:
        schema["maxItems"] = prompt.max_selections
    return schema | _preset(prompt.default, is_plain=False)


def _enum(names: Mapping[str, str], is_plain: bool) -> Schema:
    if not _has_names(names):
        return {"type": "string", "enum": list(names)}
    if is_plain:
        return {"type": "string", "enum": list(names), "enumNames": list(names.values())}
    return {"type": "string", "oneOf": _titled(names)}


def _titled(names: Mapping[str, str]) -> list[Schema]:
    return [{"const": value, "title": name} for value, name in names.items()]


def _has_names(names: Mapping[str, str]) -> bool:
    return any(value != name for value, name in names.items())


def _named(options: Sequence[ChoiceOption]) -> dict[str, str]:
    return {option.value: visible(option.label or option.value) for option in options}


def _preset(value: Any, is_plain: bool) -> Schema:
    return {} if is_plain or value is UNSET else {"default": value}


def _explained(prompt: ChoicePrompt) -> list[str]:
    return [f"{option.label or option.value}: {option.description}" for option in prompt.options if option.description]


def _shown(prompt: FileChangePrompt) -> list[str]:
    facts = {"File": prompt.path, "Command": prompt.command, "In": prompt.cwd}
    lines = [f"{name}: {value}" for name, value in facts.items() if value]
    return [*lines, prompt.diff] if prompt.diff else lines


def _message(prompt: Prompt, otherwise: str, lines: Sequence[str] = ()) -> str:
    """Everything that there is to read, with nothing hidden in it."""
    images = [f"Picture: {image.alt or ''} {image.path}" for image in prompt.images or ()]
    parts = [prompt.title or "", prompt.message or "", "\n".join([*lines, *images])]
    return visible("\n\n".join(part for part in parts if part) or otherwise)
