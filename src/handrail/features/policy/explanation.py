"""Shows what the rules would decide about a call, without making it."""

from collections.abc import Mapping
from typing import Any

from handrail.kernel.project import Project
from handrail.kernel.target import Target
from handrail.kernel.web_address import parse_address
from handrail.ports.errors import InvalidParams


def explain_decision(project: Project, tool: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The decision, and whether a rule or the default made it. NotFound for an unknown tool. Blocks."""
    entry = project.registry.find(tool)
    path, address, agent = (_text(fields, name) for name in ("path", "address", "agent"))
    place = None if address is None else parse_address(address, "address").place
    effect = entry.tool.strongest_effect
    verdict = project.policy.current().decide(entry.tool.name, effect, Target(path=path, place=place), agent)
    return {
        "decision": verdict.decision.name.lower(),
        "because": verdict.because,
        "isDefault": verdict.is_default,
        "isCritical": verdict.is_critical,
        "effect": effect.value,
    }


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidParams(f"`{name}` must be a string.", fieldErrors=[{"field": name, "message": "must be a string"}])
    return value or None
