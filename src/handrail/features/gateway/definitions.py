"""What a server offers: definitions of its tools, prompts and resources. A person accepts exactly these."""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from handrail.features.apps.offers import SchemaWeight
from handrail.features.gateway.schema_lines import compact_json, schema_lines
from handrail.kernel.json_schema import Validator
from handrail.kernel.visible import one_line, visible

MAX_DEFINITIONS = 1000
_LARGEST = 128 * 1024
_MOST_SHOWN = 400_000
"""The characters of all definitions of a server: a person has to be able to look at them."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_NOTHING: dict[str, Any] = {"type": "object"}

Kind = Literal["tool", "prompt", "resources"]


class Definition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One tool or prompt; the kind `resources` means that the server has resources to read."""

    kind: Kind
    name: str
    title: str = ""
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        return sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()

    @property
    def has_read_only_hint(self) -> bool:
        """Whether the server marks it as changing nothing. Prompts and resources never do, by protocol."""
        return self.kind != "tool" or self.annotations.get("readOnlyHint") is True

    @property
    def key(self) -> str:
        """Unique within one server."""
        return self.name if self.kind == "tool" else f"{self.kind}:{self.name}"

    @property
    def label(self) -> str:
        return "resources" if self.kind == "resources" else f"{self.kind} {self.name}"

    def lines(self) -> list[str]:
        """The definition as readable lines, for a person to compare: the whole, with nothing hidden."""
        lines = [self.label, f"  runs without asking: {'yes' if self.has_read_only_hint else 'no'}"]
        lines += [f"  title: {one_line(self.title)}"] if self.title else []
        lines += [f"  │ {line}" for line in self.description.split("\n")] if self.description else []
        lines += [*schema_lines("takes", self.input_schema), *schema_lines("returns", self.output_schema or {})]
        lines += [f"  annotations {compact_json(self.annotations)}"] if self.annotations else []
        return [visible(line) for line in lines]


RESOURCES = Definition(kind="resources", name="", description="Reads what it lists as resources.")


class Offering(NamedTuple):
    """What a server offers, by `Definition.key`, and why some of what it lists was left out."""

    definitions: Mapping[str, Definition]
    left_out: tuple[str, ...] = ()


def read_offering(tools: Iterable[Any], prompts: Iterable[Any], has_resources: bool) -> Offering:
    """Reads a server's lists. Malformed, oversized and duplicate entries are left out, with a reason."""
    definitions: dict[str, Definition] = {}
    shown = 0
    duplicates: set[str] = set()
    left_out: list[str] = []
    weight = SchemaWeight()
    for kind, raw in (*(("tool", each) for each in tools), *(("prompt", each) for each in prompts)):
        name = raw.get("name") if isinstance(raw, dict) else None
        label = visible(name[:80]) if isinstance(name, str) else "one without a name"
        try:
            definition = _tool(raw, weight) if kind == "tool" else _prompt(raw)
        except ValueError as problem:
            left_out.append(f"{kind} {label}: {problem}")
            continue
        if definition.key in definitions or definition.key in duplicates:
            definitions.pop(definition.key, None)
            duplicates.add(definition.key)
            left_out.append(f"{kind} {label}: it is listed more than once")
        elif len(definitions) >= MAX_DEFINITIONS:
            left_out.append(f"{kind} {label}: more than {MAX_DEFINITIONS} are listed")
        elif (shown := shown + sum(map(len, definition.lines()))) > _MOST_SHOWN:
            left_out.append(f"{kind} {label}: together, its definitions are too long to be shown")
        else:
            definitions[definition.key] = definition
    if has_resources:
        definitions[RESOURCES.key] = RESOURCES
    return Offering(definitions, tuple(left_out[:100]))


def _tool(raw: Any, weight: SchemaWeight) -> Definition:
    """ValueError gives the reason in a few words."""
    name = _checked_name(raw)
    schema, output = raw.get("inputSchema") or _NOTHING, raw.get("outputSchema")
    _check_size(raw)
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise ValueError("its parameters aren't described as an object")
    for each in (schema, output):
        if each is not None:
            _check_schema(each, weight)
    annotations = raw.get("annotations")
    return Definition(
        kind="tool",
        name=name,
        title=text_member(raw, "title"),
        description=text_member(raw, "description"),
        input_schema=schema,
        output_schema=output,
        annotations=annotations if isinstance(annotations, dict) else {},
    )


def _prompt(raw: Any) -> Definition:
    name = _checked_name(raw)
    _check_size(raw)
    arguments = raw.get("arguments") or []
    if not isinstance(arguments, list) or not all(_is_argument(each) for each in arguments):
        raise ValueError("its arguments are malformed")
    schema = {
        "type": "object",
        "properties": {
            each["name"]: {"type": "string", "description": text_member(each, "description")} for each in arguments
        },
        "required": [each["name"] for each in arguments if each.get("required") is True],
        "additionalProperties": False,
    }
    title, description = text_member(raw, "title"), text_member(raw, "description")
    return Definition(kind="prompt", name=name, title=title, description=description, input_schema=schema)


def _is_argument(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("name"), str) and 0 < len(raw["name"]) <= 128


def _checked_name(raw: Any) -> str:
    if not isinstance(raw, dict) or not isinstance(raw.get("name"), str):
        raise ValueError("it has no name")
    name: str = raw["name"]
    if _NAME.fullmatch(name) is None:
        raise ValueError("its name has other characters than letters, digits and _ . - or is too long")
    return name


def text_member(raw: Mapping[str, Any], member: str) -> str:
    value = raw.get(member)
    return value if isinstance(value, str) else ""


def _check_size(raw: Any) -> None:
    if len(msgspec.json.encode(raw)) > _LARGEST:
        raise ValueError(f"its definition has more than {_LARGEST // 1024} KB")


def _check_schema(schema: Any, weight: SchemaWeight) -> None:
    if not isinstance(schema, dict):
        raise ValueError("its schema isn't an object")
    if (why := weight.refusal_reason(schema)) is not None:
        raise ValueError(f"its schema {why}")
    try:
        Validator(schema)
    except (ValueError, RecursionError):
        raise ValueError("its schema can't be used") from None
