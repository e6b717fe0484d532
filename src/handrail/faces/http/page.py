"""`GET /`: a public page that shows the tools and how to connect. It contains no token and no path."""

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail import __version__
from handrail.kernel.registry import Registry
from handrail.kernel.tool import Schema, Tool
from handrail.kernel.visible import visible
from handrail.ports.effect import Effect

_FILES = files(__package__)
_STATIC = {"tokens.css": "text/css", "handrail.css": "text/css", "handrail.svg": "image/svg+xml"}
PATHS = frozenset({"/", *(f"/static/{name}" for name in _STATIC)})
_CODE = re.compile(r"`([^`]+)`")
_EFFECTS = {
    Effect.READ: "read",
    Effect.WRITE: "write",
    Effect.UI_CONTROL: "ui",
    Effect.EXECUTE: "exec",
    Effect.PROCESS_CONTROL: "process",
    Effect.ASK: "ask",
}


class _Html(str):
    """Text that is already HTML; all other text is escaped."""


def routes(registry: Registry, address: str) -> list[Route]:
    @cache
    def content() -> bytes:
        return render(registry, address).encode()

    async def first_page(request: Request) -> Response:
        return Response(await asyncio.to_thread(content), media_type="text/html")

    return [Route("/", first_page), *(_static(name, media_type) for name, media_type in _STATIC.items())]


def render(registry: Registry, address: str) -> str:
    tools: dict[str, list[Tool[Any, Any]]] = {}
    for entry in registry:
        tools.setdefault(entry.surface.name, []).append(entry.tool)
    return _render_template(
        "page",
        version=__version__,
        address=address,
        tool_count=str(sum(map(len, tools.values()))),
        surfaces=_join(
            _render_template("surface", name=surface, tools=_join(map(_tool, members)))
            for surface, members in tools.items()
        ),
        stdio_configuration=_stdio_configuration(),
        http_configuration=_http_configuration(address),
    )


def _static(name: str, media_type: str) -> Route:
    content = _FILES.joinpath("static", name).read_bytes()

    async def static_file(request: Request) -> Response:
        return Response(content, media_type=media_type, headers={"cache-control": "no-cache"})

    return Route(f"/static/{name}", static_file)


def _tool(tool: Tool[Any, Any]) -> _Html:
    properties: Mapping[str, Schema] = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", ())
    effect = _EFFECTS[tool.strongest_effect]
    return _render_template(
        "tool",
        name=tool.name,
        title=tool.title,
        description=_prose(tool.description),
        effect=effect,
        effect_class=effect,
        parameters=_parameters(properties, required) if properties else _Html(),
    )


def _parameters(properties: Mapping[str, Schema], required: Collection[str]) -> _Html:
    return _render_template(
        "parameters",
        summary=", ".join(name if name in required else f"{name}?" for name in properties),
        parameters=_join(_parameter(name, schema, name in required) for name, schema in properties.items()),
    )


def _parameter(name: str, schema: Schema, is_required: bool) -> _Html:
    need = "required" if is_required else "optional"
    remarks = [f"default {_json(schema['default'])}"] if "default" in schema and not is_required else []
    if "description" in schema:
        remarks.append(schema["description"])
    return _render_template(
        "parameter",
        name=name,
        need=need,
        need_class=need,
        type=_type(schema),
        remark=_prose("".join(f" · {remark}" for remark in remarks)),
    )


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return " | ".join(map(_json, schema["enum"]))
    if "const" in schema:
        return _json(schema["const"])
    for either in ("anyOf", "oneOf"):
        if either in schema:
            return " | ".join(map(_type, schema[either]))
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(kind)
    return f"{_type(schema['items'])}[]" if kind == "array" and "items" in schema else str(kind)


def _stdio_configuration() -> str:
    arguments = ["mcp", "--project", "/path/to/your/project"]
    return _json({"mcpServers": {"handrail": {"command": "handrail", "args": arguments}}}, indent=2)


def _http_configuration(address: str) -> str:
    headers = {"Authorization": "Bearer <token>"}
    server = {"type": "http", "url": f"{address}/mcp", "headers": headers}
    return _json({"mcpServers": {"handrail": server}}, indent=2)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _join(parts: Iterable[_Html]) -> _Html:
    return _Html("".join(parts))


def _render_template(template: str, **values: str) -> _Html:
    return _Html(_template(template).substitute({name: _markup(value) for name, value in values.items()}))


@cache
def _template(name: str) -> Template:
    return Template(_FILES.joinpath("templates", f"{name}.html").read_text(encoding="utf-8"))


def _prose(text: str) -> _Html:
    """Turns names between backticks into code."""
    return _Html(_CODE.sub(r"<code>\1</code>", _markup(text)))


def _markup(value: str) -> str:
    return value if isinstance(value, _Html) else escape(visible(value))
