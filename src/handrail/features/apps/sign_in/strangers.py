"""Members of a descriptor that no generation knows. They hide nothing; but one that is nearly a known name is a slip.

For `handrail apps check` alone: the catalogue leaves room for later generations.
"""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from handrail.features.apps.descriptors.spelling import folded_descriptor
from handrail.features.apps.model import Problem

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


def strangers(root: Any, source: str) -> Iterator[tuple[Problem, bool]]:
    """Each with whether it looks like a slip of the pen."""
    if not isinstance(root, dict):
        return
    folded = folded_descriptor(root)
    parts: list[tuple[str, Any, str]] = [("", folded, _ROOT)]
    parts += [(name, folded.get(name), known) for name, known in _PARTS]
    tools = folded.get("tools")
    for number, tool in enumerate(tools if isinstance(tools, list) else []):
        if not isinstance(tool, dict):
            continue
        parts += [(f"tools[{number}]", tool, _TOOL), (f"tools[{number}].execution", tool.get("execution"), _ROUTE)]
        examples = tool.get("examples")
        for order, example in enumerate(examples if isinstance(examples, list) else []):
            parts.append((f"tools[{number}].examples[{order}]", example, _EXAMPLE))
    for place, part, known in parts:
        if isinstance(part, Mapping):
            yield from _unknown(part, place, known.split(), source)


def _unknown(part: Mapping[str, Any], place: str, known: list[str], source: str) -> Iterator[tuple[Problem, bool]]:
    for name in part:
        if name in known or name.startswith(("x_", "x-")):
            continue
        near = difflib.get_close_matches(name, known, 1, 0.75)
        reason = f"is not known here; did you mean {near[0]}?" if near else "is not known here, and has no effect"
        yield Problem(source, f"{place}.{name}" if place else name, reason), bool(near)


_PARTS = (("app", _APP), ("execution", _EXECUTION), ("auth", _AUTH))
