"""Which audit records a program may see: those of this project whose targets no rule closes to reading.

An agent sees only those of its own calls, a person all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from handrail.kernel.project import Project
from handrail.kernel.target import Target
from handrail.kernel.web_address import is_web_page, place_of_page
from handrail.ports.agents import Agent
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision

_READER = "read_file"
"""A file that another tool changed is hidden if a rule denies reading it."""

RecordFilter = Callable[[Mapping[str, Any]], bool]


def allow_all(record: Mapping[str, Any]) -> bool:
    return True


def program_filter(project: Project, agent: Agent | None = None) -> RecordFilter:
    """Applies the present rules."""
    policy = project.policy.current()

    def is_visible(record: Mapping[str, Any]) -> bool:
        if record.get("project") not in (None, project.location):
            return False
        if agent is not None and record.get("identity") != agent.identity:
            return False
        if record.get("morePaths"):  # the record doesn't name them
            return False
        tools = (str(record.get("tool", "")), _READER)
        return not any(
            policy.decide(tool, Effect.READ, target).decision is Decision.DENY
            for target in _targets(record)
            for tool in tools
        )

    return is_visible


def _targets(record: Mapping[str, Any]) -> Iterator[Target]:
    places, paths = record.get("reached"), record.get("paths")
    other_targets = (*(places if isinstance(places, dict) else ()), *(paths if isinstance(paths, list) else ()))
    for text in (record.get("target"), *other_targets):
        if isinstance(text, str):
            yield from _possible_targets(text)


def _possible_targets(text: str) -> Iterator[Target]:
    """A target in the audit may be a path, an address or an app: rules for any of them apply."""
    yield Target(path=text, is_outside=text.startswith("/"))
    yield Target(app=text)
    if is_web_page(text):
        yield Target(place=place_of_page(text))
