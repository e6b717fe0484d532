"""Which records of the audit a program may see: those of this project, about what no rule denies it to read.

A person sees all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from handrail.kernel.project import Project
from handrail.kernel.target import Target
from handrail.kernel.web_address import is_web_page, place_of_page
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision

_READER = "read_file"
"""What a rule denies it to read, was changed by another tool."""

Shows = Callable[[Mapping[str, Any]], bool]


def shown_to_all(record: Mapping[str, Any]) -> bool:
    return True


def shown_to_programs(project: Project) -> Shows:
    """By the rules as they are now."""
    policy = project.policy.current()

    def shows(record: Mapping[str, Any]) -> bool:
        if record.get("project") not in (None, project.location):
            return False
        if record.get("morePaths"):  # which they are isn't on record
            return False
        tools = (str(record.get("tool", "")), _READER)
        return not any(
            policy.decide(tool, Effect.READ, target).decision is Decision.DENY
            for target in _targets(record)
            for tool in tools
        )

    return shows


def _targets(record: Mapping[str, Any]) -> Iterator[Target]:
    reached, paths = record.get("reached"), record.get("paths")
    named = (*(reached if isinstance(reached, dict) else ()), *(paths if isinstance(paths, list) else ()))
    for said in (record.get("target"), *named):
        if isinstance(said, str):
            yield from _meant(said)


def _meant(said: str) -> Iterator[Target]:
    """What the audit calls a target may be a path, an address or an app: rules about any of them count."""
    yield Target(path=said)
    yield Target(app=said)
    if is_web_page(said):
        yield Target(place=place_of_page(said))
