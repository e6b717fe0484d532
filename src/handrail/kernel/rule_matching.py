"""Whether a rule applies to a call: its tool, effect, agent and target."""

import os

from handrail.kernel.glob import app_matcher, matcher, subtree_matcher
from handrail.kernel.target import ANY_PLACE, Target
from handrail.kernel.web_address import host_rule_matcher, names_of_place, place_matcher
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision, Rule, split_program

READER, _WRITER = "read_file", "write_to_file"


def applies(rule: Rule, tool: str, effect: Effect, target: Target, agent: str | None) -> bool:
    if rule.tool is not None and not names_tool(rule.tool, tool, target.listed_as):
        return False
    if rule.effect is not None and rule.effect is not effect:
        return False
    if rule.agent is not None and rule.agent != agent and (agent is not None or rule.verdict is Decision.ALLOW):
        return False
    if rule.path is not None and not (target.path is not None and covers_path(rule, target)):
        return False
    if rule.app is not None and not (target.app is not None and app_matcher(rule.app)(target.app)):
        return False
    if rule.command is not None and rule.command != target.command:
        return False
    if rule.program is not None and not _starts(rule, target.program):
        return False
    if rule.server is not None and not (target.server is not None and matcher(rule.server)(target.server)):
        return False
    return _applies_at(rule, target)


def denies_reading(rule: Rule, tool: str, effect: Effect, target: Target, agent: str | None) -> bool:
    """Searches, listings and snapshots don't show files that `read_file` must not read.

    A dry run is decided like the write that it prepares.
    """
    is_read = effect is Effect.READ and target.path is not None and tool != _WRITER
    return is_read and rule.verdict is Decision.DENY and applies(rule, READER, effect, target, agent)


def is_about(rule: Rule, project: str | None) -> bool:
    if rule.project is None:
        return True
    return project is not None and os.path.realpath(os.path.expanduser(rule.project)) == os.path.realpath(project)


def names_tool(pattern: str, tool: str, listed_as: str | None) -> bool:
    matches = matcher(pattern)
    return matches(tool) or (listed_as is not None and matches(listed_as))


def covers_path(rule: Rule, target: Target) -> bool:
    """Outside the project, a rule that allows must name an absolute path; a stricter rule needn't."""
    assert rule.path is not None
    assert target.path is not None
    if not target.is_outside:
        return (subtree_matcher(rule.path) if rule.below else matcher(rule.path))(target.path)
    is_absolute = rule.path.startswith(("/", "~/"))
    if not is_absolute and rule.verdict is Decision.ALLOW:
        return False
    pattern = os.path.expanduser(rule.path) if is_absolute else rule.path
    return (subtree_matcher(pattern) if rule.below else matcher(pattern.lstrip("/")))(target.path.lstrip("/"))


def _starts(rule: Rule, program: tuple[str, ...] | None) -> bool:
    """Whether the program is started with the rule's words. An unknown program may be any, so strict rules apply."""
    assert rule.program is not None
    words, is_strict = split_program(rule.program), rule.verdict is not Decision.ALLOW
    if not program:
        return is_strict and program is not None
    name = os.path.basename(program[0]) if is_strict and "/" not in words[0] else program[0]
    return (name, *program[1 : len(words)]) == words


def _applies_at(rule: Rule, target: Target) -> bool:
    """Compares host and place. If the page is unknown, every rule that denies or asks applies."""
    if rule.host is None and rule.place is None:
        return True
    is_strict = rule.verdict is not Decision.ALLOW
    if not target.place:
        return is_strict and target.place == ANY_PLACE
    # Whoever denies a server of this machine means it under each of the machine's names.
    places = names_of_place(target.place) if rule.verdict is Decision.DENY or rule.critical else (target.place,)
    if rule.host is not None and not any(map(host_rule_matcher(rule.host, is_for_every_port=is_strict), places)):
        return False
    return rule.place is None or any(map(place_matcher(rule.place), places))
