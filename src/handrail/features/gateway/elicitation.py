"""Questions that a server asks the person. They go into the prompt queue under the server's name, and to the client.

The text is the server's own and quoted as such. Anything that looks like a secret becomes a secret field: it is never
logged and never passes through the agent's client.
"""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from handrail.kernel.call import Call
from handrail.kernel.json_schema import Validator
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.kernel.visible import one_line, visible
from handrail.ports.errors import InvalidParams, Unsupported
from handrail.ports.prompt_queue import Origin, PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ChoiceOption, ChoicePrompt, KvField, KvPrompt

_MAX_FIELDS = 20
_LONGEST = 4000
_SECRET = re.compile(
    r"passw|passphrase|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b|card.?number|otp|密码|密钥|口令",
    re.IGNORECASE,
)
_TRUE, _FALSE = frozenset({"yes", "true", "y", "1", "是"}), frozenset({"no", "false", "n", "0", "否"})
_CANCEL: dict[str, Any] = {"action": "cancel"}


async def ask_elicitation(server: str, params: Mapping[str, Any], call: Call, queue: PromptQueue) -> dict[str, Any]:
    """Asks the person and returns the answer in MCP's form. Unsupported, InvalidParams: it can't be asked."""
    if params.get("mode", "form") != "form":
        raise Unsupported("handrail supports only form elicitation and opens no URLs for servers.")
    schema, text = params.get("requestedSchema"), params.get("message")
    if not isinstance(schema, dict) or not isinstance(text, str):
        raise InvalidParams("elicitation/create needs a message and a requestedSchema.")
    prompt = _prompt(server, text, schema)
    request_id = f"server_{server}_{secrets.token_hex(8)}"
    try:
        answer = await queue.ask(
            prompt,
            request_id=request_id,
            run_id=call.task,
            channels=call.channels,
            origin=Origin(f"the MCP server {server}"),
        )
    except BaseException:
        await try_withdraw(queue, request_id)
        raise
    return _answer(answer, prompt, schema)


def _prompt(server: str, text: str, schema: Mapping[str, Any]) -> KvPrompt | ChoicePrompt:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not all(isinstance(each, dict) for each in properties.values()):
        raise InvalidParams("requestedSchema needs properties.")
    if len(properties) > _MAX_FIELDS:
        raise InvalidParams(f"A form has at most {_MAX_FIELDS} fields.")
    quoted = "\n".join(f"│ {line}" for line in visible(text[:_LONGEST]).split("\n"))
    title = f"The MCP server {server} asks"
    message = f"In its own words:\n{quoted}\n\nYour answer goes only to {server}."
    if len(properties) <= 1:
        only = next(iter(properties.values()), {"enum": ["ok"], "enumNames": ["OK"]})
        if options := _options(only):
            return ChoicePrompt(title=title, message=message, source=f"server/{server}", options=options)
    required = schema.get("required")
    fields = tuple(
        _field(name, each, isinstance(required, list) and name in required) for name, each in properties.items()
    )
    return KvPrompt(title=title, message=message, source=f"server/{server}", fields=fields)


def _options(schema: Mapping[str, Any]) -> tuple[ChoiceOption, ...]:
    if schema.get("type") == "boolean":
        return (ChoiceOption(value="true", label="Yes"), ChoiceOption(value="false", label="No"))
    values, names = schema.get("enum"), schema.get("enumNames")
    if isinstance(titled := schema.get("oneOf"), list):
        values = [each.get("const") for each in titled if isinstance(each, dict)]
        names = [each.get("title") for each in titled if isinstance(each, dict)]
    if not isinstance(values, list) or not values or not all(isinstance(each, str) and each for each in values):
        return ()
    labels = names if isinstance(names, list) and len(names) == len(values) else values
    return tuple(
        ChoiceOption(value=value, label=one_line(label)[:200])
        for value, label in zip(dict.fromkeys(values), labels, strict=False)
    )


def _field(name: str, schema: Mapping[str, Any], is_required: bool) -> KvField:
    title, description, default = (schema.get(member) for member in ("title", "description", "default"))
    hints = [description if isinstance(description, str) else "", _kind_of(schema)]
    searched = f"{name} {title} {description} {schema.get('format')}"
    return KvField(
        key=name,
        label=one_line(title if isinstance(title, str) else name)[:200],
        description=visible(" ".join(hint for hint in hints if hint))[:_LONGEST],
        required=is_required,
        secret=_SECRET.search(searched) is not None,
        default=str(default) if isinstance(default, str | int | float) else UNSET,
    )


def _kind_of(schema: Mapping[str, Any]) -> str:
    if options := _options(schema):
        return f"({' / '.join(option.value for option in options)})"
    kind = schema.get("type")
    return f"({kind})" if kind in ("number", "integer") else ""


def _answer(answer: PromptAnswer, prompt: KvPrompt | ChoicePrompt, schema: Mapping[str, Any]) -> dict[str, Any]:
    response: PromptResponse = answer.response
    if response.status != "ok":
        return {"action": "decline"} if response.status == "canceled" else _CANCEL
    properties: Mapping[str, Any] = schema["properties"]
    if isinstance(prompt, ChoicePrompt):
        values = dict.fromkeys(properties, response.selection)
    else:
        values = {name: value for name, value in (response.values or {}).items() if value != ""}
    if answer.masked:
        return _CANCEL
    content = {name: _typed(value, properties[name]) for name, value in values.items() if name in properties}
    return {"action": "accept", "content": content} if Validator(schema).fits(content) else _CANCEL


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """Converts to the schema's type. Text that can't be converted stays text, and then fails validation."""
    kind, text = schema.get("type"), str(value).strip()
    try:
        if kind == "integer":
            return int(text)
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    if kind == "boolean" and text.casefold() in _TRUE | _FALSE:
        return text.casefold() in _TRUE
    return value
