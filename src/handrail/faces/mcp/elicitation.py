"""Also asks the MCP client questions from the queue, as forms of `elicitation/create`.

The client is the agent's own program: it is never asked for secrets, and for approvals only if the settings allow it.
A prompt that a form can't express, or that the client doesn't answer, waits in the queue only.
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
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ChoiceOption, ChoicePrompt, FileChangePrompt, KvField, KvPrompt, Prompt

Schema = dict[str, Any]

_PLAIN = "2025-06-18"
# Older versions have no elicitation; since 2026-07-28 a server sends no requests (`input_rounds`).
_VERSIONS = frozenset({_PLAIN, "2025-11-25"})

_SELECTION, _DECISION, _REMARK = "selection", "decision", "remark"
_DENY = "deny"
_SCOPES: tuple[Scope, ...] = ("once", "task")
_DECISIONS = {
    "once": "Allow once",
    "task": "Allow for this task",
    _DENY: "Deny",
}
"""Wider scopes need proof that a person is present, which a client can't give."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Form:
    message: str
    schema: Schema


Ask = Callable[[Prompt, Form], Awaitable[PromptResponse | None]]


def client_channels(request: Request, *, has_approvals: bool, ask: Ask | None = None) -> FindChannels:
    """The client as an additional place for the questions of this request; `ask` replaces a request to the client."""
    if not takes_forms(request) or (ask is None and not (request.version in _VERSIONS and request.can_elicit)):
        return no_channels
    is_plain = request.version == _PLAIN

    def channels(prompt: Prompt) -> Sequence[AnswerChannel]:
        if isinstance(prompt, FileChangePrompt) and not has_approvals:
            return ()
        form = form_of(prompt, is_plain=is_plain)
        if form is None:
            return ()
        ask_client = ask or partial(_elicit, request)
        return (AnswerChannel(f"client:{request.client}", lambda: ask_client(prompt, form)),)

    return channels


def takes_forms(request: Request) -> bool:
    modes = request.capabilities.get("elicitation")
    # Without a mode it means forms, which were the only mode at first.
    return isinstance(modes, Mapping) and (modes.get("form") is not None or modes.get("url") is None)


async def _elicit(request: Request, prompt: Prompt, form: Form) -> PromptResponse | None:
    """Cancelled when someone else answers first."""
    result = await request.elicit(form.message, form.schema)
    if result is None:
        logger.info("the client gave no answer")
        return None
    return response_of(prompt, result)


def form_of(prompt: Prompt, *, is_plain: bool) -> Form | None:
    """`is_plain` is protocol 2025-06-18: no defaults for text, no multiple choice, and titles in `enumNames`."""
    match prompt:
        case KvPrompt() if not prompt.secret_keys:
            properties = {field.key: _text(field, is_plain) for field in prompt.fields}
            required = [field.key for field in prompt.fields if field.required is True]
            return Form(_message(prompt, "Please fill in this form."), _object(properties, required))
        case ChoicePrompt() if not (prompt.multiple and is_plain):
            schema = _multiple_choice(prompt) if prompt.multiple else _single_choice(prompt, is_plain)
            return Form(_message(prompt, "Please choose.", _option_lines(prompt)), _object({_SELECTION: schema}))
        case FileChangePrompt():
            remark: Schema = {"type": "string", "title": "Remark"} | _default(prompt.default_remark, is_plain)
            properties = {_DECISION: _enum(_decisions(prompt), is_plain) | {"title": "Decision"}, _REMARK: remark}
            return Form(_message(prompt, "Allow this?", _change_lines(prompt)), _object(properties, [_DECISION]))
        case _:
            return None


def answer_of(prompt: Prompt, action: str, content: Mapping[str, Any]) -> PromptResponse | None:
    """The response for the queue, which checks it against the prompt's rules. None leaves the question open."""
    if action == "decline":
        return None if prompt.allow_cancel is False else PromptResponse(status="canceled")
    if action != "accept":
        return None
    values = {name: value for name, value in content.items() if value is not None}
    match prompt:
        case KvPrompt():
            return PromptResponse(status="ok", values=values)
        case ChoicePrompt():
            return PromptResponse(status="ok", selection=values.get(_SELECTION, UNSET))
        case FileChangePrompt():
            decision, remark = values.get(_DECISION), values.get(_REMARK) or UNSET
            if decision == _DENY:
                return None if prompt.allow_cancel is False else PromptResponse(status="canceled", remark=remark)
            return PromptResponse(status="ok", scope=decision, remark=remark) if decision in _SCOPES else None
        case _:
            return None


def response_of(prompt: Prompt, result: Mapping[str, Any]) -> PromptResponse | None:
    """As `answer_of`, for an `ElicitResult`."""
    content = result.get("content")
    return answer_of(prompt, str(result.get("action")), content if isinstance(content, Mapping) else {})


def _decisions(prompt: FileChangePrompt) -> Mapping[str, str]:
    """Allow once or deny; also allow for the task, with the rule that this creates, if the prompt offers it."""
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
    return schema | _default(field.default, is_plain)


def _single_choice(prompt: ChoicePrompt, is_plain: bool) -> Schema:
    return _enum(_labels(prompt.options), is_plain) | _default(prompt.default, is_plain)


def _multiple_choice(prompt: ChoicePrompt) -> Schema:
    names = _labels(prompt.options)
    items: Schema = {"anyOf": _titled(names)} if _has_names(names) else {"type": "string", "enum": list(names)}
    schema: Schema = {"type": "array", "items": items}
    if prompt.min_selections is not UNSET:
        schema["minItems"] = prompt.min_selections
    if prompt.max_selections is not UNSET:
        schema["maxItems"] = prompt.max_selections
    return schema | _default(prompt.default, is_plain=False)


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


def _labels(options: Sequence[ChoiceOption]) -> dict[str, str]:
    return {option.value: visible(option.label or option.value) for option in options}


def _default(value: Any, is_plain: bool) -> Schema:
    return {} if is_plain or value is UNSET else {"default": value}


def _option_lines(prompt: ChoicePrompt) -> list[str]:
    return [f"{option.label or option.value}: {option.description}" for option in prompt.options if option.description]


def _change_lines(prompt: FileChangePrompt) -> list[str]:
    facts = {"File": prompt.path, "Command": prompt.command, "In": prompt.cwd}
    lines = [f"{name}: {value}" for name, value in facts.items() if value]
    return [*lines, prompt.diff] if prompt.diff else lines


def _message(prompt: Prompt, otherwise: str, lines: Sequence[str] = ()) -> str:
    """The whole text of the prompt, with control characters made visible."""
    images = [f"Picture: {image.alt or ''} {image.path}" for image in prompt.images or ()]
    parts = [prompt.title or "", prompt.message or "", "\n".join([*lines, *images])]
    return visible("\n\n".join(part for part in parts if part) or otherwise)
