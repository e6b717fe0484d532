"""Makes a tool of a typed function: derives its schemas, reads its parameters and checks its result."""

import copy
import difflib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import msgspec

from handrail.aai.envelope import INVALID_PARAMS, AppError
from handrail.aai.signature import read_docstring, schema_of

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_AT = re.compile(r"(.*?)(?: - at (?:the key in )?`\$\.?([^`]*)`)?", re.DOTALL)
_MEMBER = re.compile(r"Object (?:missing required|contains unknown) field `(.*)`", re.DOTALL)
_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    function: Callable[..., Any]
    params: type[msgspec.Struct]
    returns: Any  # a type, or `inspect.Signature.empty` without an annotation
    returns_said: str
    is_idempotent: bool
    examples: tuple[Mapping[str, Any], ...]

    def describe(self) -> dict[str, Any]:
        """This tool's part of the descriptor."""
        description: dict[str, Any] = {"name": self.name, "description": self.description}
        parameters = schema_of(self.params)
        parameters.pop("title", None)
        description["parameters"] = parameters
        if self.returns is not inspect.Signature.empty:
            returns = {"type": "object", "additionalProperties": False} if self.returns is None else _root(self.returns)
            description["returns"] = {"description": self.returns_said, **returns} if self.returns_said else returns
        if self.is_idempotent:
            description["idempotent"] = True
        if self.examples:
            description["examples"] = [{"params": dict(example)} for example in self.examples]
        return description

    def read(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The function's arguments, or INVALID_PARAMS with the field in its message."""
        try:
            value = msgspec.convert(params, self.params, str_keys=True)
        except msgspec.ValidationError:
            try:
                value = msgspec.convert(_with_integers(params), self.params, str_keys=True)
            except msgspec.ValidationError as error:
                raise AppError(INVALID_PARAMS, self._complaint(str(error))) from None
        return {field: getattr(value, field) for field in self.params.__struct_fields__}

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """The result as plain JSON values of the function's return type."""
        result = self.function(**arguments)
        if inspect.isawaitable(result):
            result = await result
        if self.returns is None:
            return {}
        plain = msgspec.to_builtins(result, str_keys=True)
        if self.returns is not inspect.Signature.empty:
            msgspec.convert(plain, self.returns, str_keys=True)
        return plain

    def _complaint(self, said: str) -> str:
        found = _AT.fullmatch(said)
        reason, path = (found[1], found[2] or "") if found else (said, "")
        member = _MEMBER.fullmatch(reason)
        if member is None:
            return f"{path}: {reason}." if path else f"{reason}."
        field = f"{path}.{member[1]}" if path else member[1]
        if "missing" in reason:
            return f"{field}: this field is required."
        near = difflib.get_close_matches(member[1], self.params.__struct_fields__, 1) if not path else []
        return f"{field}: there is no such field{f'; did you mean `{near[0]}`?' if near else '.'}"


def declare(
    function: Callable[..., Any], *, name: str | None, idempotent: bool, examples: Sequence[Mapping[str, Any]]
) -> Tool:
    """The tool. Raises TypeError if the function lacks something, so that errors show at start."""
    used = function.__name__ if name is None else name
    if not _NAME.fullmatch(used):
        raise TypeError(f"{used!r} isn't a valid name for a tool: a-z, 0-9 and _ only, and a letter first.")
    said = read_docstring(function.__doc__)
    if not said.summary:
        raise TypeError(f"{used} needs a docstring: agents choose tools by what it says.")
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise TypeError(f"{used}: a type hint names what is not there: {error}.") from None
    hints = {field: (type(None) if hint is None else hint) for field, hint in hints.items()}
    returns = hints.pop("return", inspect.Signature.empty)
    fields = [
        _field(used, parameter, hints, said.params) for parameter in inspect.signature(function).parameters.values()
    ]
    tool = Tool(
        name=used,
        description=said.summary,
        function=function,
        params=msgspec.defstruct(used, fields, kw_only=True, forbid_unknown_fields=True),
        returns=None if returns is type(None) else returns,
        returns_said=said.returns,
        is_idempotent=idempotent,
        examples=tuple(examples),
    )
    try:
        tool.describe()
    except (TypeError, ValueError) as error:
        raise TypeError(f"{used}: a type hint has no JSON Schema: {error}.") from None
    for number, example in enumerate(tool.examples, 1):
        try:
            tool.read(example)
        except AppError as error:
            raise TypeError(f"{used}: example {number} does not fit: {error.message}") from None
    return tool


def _field(
    tool: str, parameter: inspect.Parameter, hints: Mapping[str, Any], said: Mapping[str, str]
) -> tuple[Any, ...]:
    name = parameter.name
    if parameter.kind not in _KINDS:
        raise TypeError(f"{tool}: {parameter} can't be named in JSON; give each parameter a name.")
    if name not in hints:
        raise TypeError(f"{tool}: the parameter {name} has no type hint.")
    hint = hints[name]
    if name in said:
        hint = Annotated[hint, msgspec.Meta(description=said[name])]
    if parameter.default is inspect.Parameter.empty:
        return (name, hint)
    default = parameter.default
    if isinstance(default, list | dict | set) and default:
        return (name, hint, msgspec.field(default_factory=lambda: copy.deepcopy(default)))
    return (name, hint, default)


def _with_integers(value: Any) -> Any:
    """JSON Schema accepts 2.0 as an integer, msgspec does not."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {name: _with_integers(item) for name, item in value.items()}
    return [_with_integers(item) for item in value] if isinstance(value, list) else value


def _root(type: Any) -> dict[str, Any]:
    schema = schema_of(type)
    schema.pop("title", None)
    return schema
