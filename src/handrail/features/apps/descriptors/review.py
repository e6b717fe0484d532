"""What `handrail apps check` reports about a descriptor: problems, unknown members and advice."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.descriptors.descriptor import MAX_BYTES, problems_of, read
from handrail.features.apps.descriptors.parts import fold_descriptor
from handrail.features.apps.model import App, BrokenDescriptor, Problem
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

_ROOT = "schema_version app app_id id name description version default_lang execution tools auth $schema"
_APP = "id name description version default_lang author icon homepage"
_EXECUTION = (
    "type base_url default_headers service object_path interface bus command args env timeout bundle_id event_class "
    "event_id max_concurrent"
)
_TOOL = (
    "name title description parameters returns execution idempotent timeout examples input_schema output_schema "
    "annotations"
)
_ROUTE = "path method headers body_template timeout"
_EXAMPLE = "params result title description"
_AUTH = (
    "type name placement location env_var prefix obtain_url instructions flow authorization_endpoint token_endpoint "
    "scopes pkce client_id refresh_endpoint extra_params"
)


def unknown_members(root: Any, source: str) -> Iterator[tuple[Problem, bool]]:
    """Each with whether it looks like a typo."""
    if not isinstance(root, dict):
        return
    folded = fold_descriptor(root)
    parts: list[tuple[str, Any, str]] = [("", folded, _ROOT)]
    parts += [(name, folded.get(name), allowed) for name, allowed in _PARTS]
    tools = folded.get("tools")
    for number, tool in enumerate(tools if isinstance(tools, list) else []):
        if not isinstance(tool, dict):
            continue
        parts += [(f"tools[{number}]", tool, _TOOL), (f"tools[{number}].execution", tool.get("execution"), _ROUTE)]
        examples = tool.get("examples")
        for order, example in enumerate(examples if isinstance(examples, list) else []):
            parts.append((f"tools[{number}].examples[{order}]", example, _EXAMPLE))
    for place, part, allowed in parts:
        if isinstance(part, Mapping):
            yield from _unknown(part, place, allowed.split(), source)


def _unknown(part: Mapping[str, Any], place: str, allowed: list[str], source: str) -> Iterator[tuple[Problem, bool]]:
    for name in part:
        if name in allowed or name.startswith(("x_", "x-")):
            continue
        near = difflib.get_close_matches(name, allowed, 1, 0.75)
        reason = f"is unknown; did you mean {near[0]}?" if near else "is unknown, and has no effect"
        yield Problem(source, f"{place}.{name}" if place else name, reason), bool(near)


_PARTS = (("app", _APP), ("execution", _EXECUTION), ("auth", _AUTH))


@dataclass(frozen=True)
class Review:
    """`app` is None if a problem hides it from agents; `advice` hides nothing."""

    app: App | None
    problems: list[Problem] = field(default_factory=list)
    advice: list[Problem] = field(default_factory=list)


def review(text: bytes, source: str, *, folder: str | None = None) -> Review:
    """`folder` is the name of the descriptor's folder, if that is below `~/.aai`."""
    app, problems, advice = None, list[Problem](), list[Problem]()
    try:
        app = read(text, source)
    except BrokenDescriptor as broken:
        problems += problems_of(broken)
    try:
        for problem, is_typo in unknown_members(strict_json.decode(text, max_bytes=MAX_BYTES), source):
            (problems if is_typo else advice).append(problem)
    except InvalidParams:
        pass  # already reported by `read`
    if app is not None:
        if folder is not None and folder != app.id:
            problems.append(Problem(source, "app.id", f"is {app.id!r}, but its folder is {folder!r}: both must agree"))
        problems += _wrong_examples(app)
        advice += _undescribed_parameters(app)
    return Review(app, problems, advice)


def _wrong_examples(app: App) -> Iterator[Problem]:
    checks = SchemaChecks()
    for number, tool in enumerate(app.tools):
        for place, example in enumerate(tool.examples):
            try:
                checks.check_params(app, tool, example.params)
            except InvalidParams as failure:
                for fault in failure.details["fieldErrors"]:
                    name = f".{fault['field']}" if fault["field"] else ""
                    yield Problem(app.source, f"tools[{number}].examples[{place}].params{name}", fault["message"])


def _undescribed_parameters(app: App) -> Iterator[Problem]:
    for number, tool in enumerate(app.tools):
        properties = tool.parameters.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if isinstance(schema, dict) and not schema.get("description"):
                where = f"tools[{number}].parameters.properties.{name}"
                yield Problem(app.source, where, "has no description: agents must guess its meaning")
