"""`/api/openapi.json`: describes contract 2's endpoints, generated from their declarations."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail import __version__
from handrail.faces.http.answers import STATUS
from handrail.faces.http.console_key import HEADER
from handrail.faces.http.credentials import COOKIE
from handrail.faces.http.endpoint import Endpoint

PATH = "/api/openapi.json"
_REF = "#/components/schemas/{name}"
_ALWAYS = (400, 401, 403, 413, 500, 503)
_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "token": [{"bearer": []}, {"cookie": []}],
    "plugin": [{"bearer": []}, {"cookie": []}],
    "person": [{"cookie": []}, {"bearer": [], "consoleKey": []}],
    "open": [],
}


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    types = [type for endpoint in endpoints for type in (endpoint.answer, endpoint.body) if type is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    schema_of = {id(type): schema for type, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, lambda type: schema_of[id(type)])
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "handrail: Mimo transport", "version": __version__},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {**components, "Refusal": _refusal()},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": f"{COOKIE}_<of the state>"},
                "consoleKey": {"type": "apiKey", "in": "header", "name": HEADER},
            },
        },
    }


def routes(endpoints: Sequence[Endpoint]) -> list[Route]:
    @cache
    def text() -> bytes:
        return msgspec.json.encode(document(endpoints))

    async def show(request: Request) -> Response:
        return Response(await asyncio.to_thread(text), media_type="application/json")

    return [Route(PATH, show)]


def _operation(endpoint: Endpoint, schema_of: Any) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()}{endpoint.path.title()}".translate(str.maketrans("", "", "/{}-_.")),
        "security": _SECURITY[endpoint.access],
        "parameters": _parameters(endpoint),
        "responses": {
            "200": {"description": "Done.", "content": {endpoint.media_type: {"schema": _answer(endpoint, schema_of)}}},
            **{str(status): _refused() for status in sorted({*_ALWAYS, *endpoint.errors})},
        },
    }
    if endpoint.body is not None:
        content = {"application/json": {"schema": schema_of(endpoint.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    elif endpoint.raw_body:
        operation["requestBody"] = {"content": {"application/octet-stream": {"schema": {}}}}
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")]
    schema = endpoint.path_schema or {"type": "string"}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": schema} for name in names
    ]
    parameters += [
        {"name": query.name, "in": "query", "required": query.is_required, "schema": query.schema}
        for query in endpoint.query
    ]
    return parameters


def _answer(endpoint: Endpoint, schema_of: Any) -> dict[str, Any]:
    if endpoint.answer is None:
        return {}
    properties = {"ok": {"const": True}, "data": schema_of(endpoint.answer)}
    return {"type": "object", "required": ["ok", "data"], "properties": properties}


def _refused() -> dict[str, Any]:
    schema = {"$ref": _REF.format(name="Refusal")}
    return {"description": "Refused.", "content": {"application/json": {"schema": schema}}}


def _refusal() -> dict[str, Any]:
    details = {
        "type": "object",
        "properties": {
            "retryable": {"type": "boolean"},
            "context": {"type": "object"},
            "fieldErrors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["field", "message"],
                    "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
                },
            },
        },
    }
    error = {
        "type": "object",
        "required": ["code", "message", "details"],
        "properties": {"code": {"enum": list(STATUS)}, "message": {"type": "string"}, "details": details},
    }
    return {"type": "object", "required": ["ok", "error"], "properties": {"ok": {"const": False}, "error": error}}
