"""Prints docs/tools.md: every tool as the registry declares it."""

import json
from typing import Any

from handrail import wiring as app
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.tool import Tool
from handrail.ports.effect import Effect


def page() -> str:
    entries = list(app.Wiring().describe())
    lines = [
        "# Tools",
        "",
        "Written by `make docs` from the registry; a test fails if it is out of date.",
        "",
        "| tool | surface | effect | timeout | idempotent |",
        "|---|---|---|---|---|",
    ]
    for entry in entries:
        tool = entry.tool
        lines.append(
            f"| [`{tool.name}`](#{tool.name}) | {entry.surface.name} | {_effect(tool)} "
            f"| {tool.deadline_ms // 1000} s | {'yes' if tool.is_idempotent else 'no'} |"
        )
    for entry in entries:
        lines += _section(entry)
    return "\n".join(lines) + "\n"


def _section(entry: RegisteredTool) -> list[str]:
    tool = entry.tool
    mode = ["Only in developer mode.", ""] if tool.is_for_developers else []
    lines = ["", f"## {tool.name}", "", tool.description, "", *mode]
    if properties := tool.input_schema.get("properties", {}):
        lines += ["| parameter | type | | |", "|---|---|---|---|"]
        required = tool.input_schema.get("required", [])
        lines += [_parameter(name, schema, name in required) for name, schema in properties.items()]
    else:
        lines.append("No parameters.")
    if tool.output_schema is not None:
        lines += ["", "Returns " + ", ".join(f"`{name}`" for name in tool.output_schema["properties"]) + "."]
    if tool.errors:
        table = entry.surface.dialect.codes
        error_codes = (table[next(kind for kind in condition.__mro__ if kind in table)] for condition in tool.errors)
        codes = dict.fromkeys(error_codes)
        lines += ["", "Errors: " + ", ".join(f"`{code}`" for code in codes) + "."]
    return lines


def _parameter(name: str, schema: dict[str, Any], is_required: bool) -> str:
    kind = schema.get("type", "")
    if "enum" in schema:
        kind = " or ".join(f"`{value}`" for value in schema["enum"])
    default = f"default `{json.dumps(schema['default'])}`" if "default" in schema else ""
    need = "required" if is_required else default
    return f"| `{name}` | {kind} | {need} | {schema.get('description', '')} |"


def _effect(tool: Tool[Any, Any]) -> str:
    return tool.effect.value if isinstance(tool.effect, Effect) else f"{tool.strongest_effect.value} or READ"


if __name__ == "__main__":
    print(page(), end="")
