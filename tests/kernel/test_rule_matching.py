"""What a rule covers: programs and their words, servers, tools with two names, and paths outside the project."""

import os
from typing import Any

import msgspec
import pytest

from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision, Rule

ALLOW, ASK, DENY = Decision
NPM = ("npm", "test")


def policy(*rules: dict[str, Any]) -> Policy:
    return compose_policy(PolicyDocument(), is_trusted=True, user_rules=[msgspec.convert(rule, Rule) for rule in rules])


@pytest.mark.parametrize(
    ("words", "program", "is_allowed", "is_denied"),
    [
        ("npm test", NPM, True, True),
        ("npm test", (*NPM, "--watch"), True, True),
        ("npm test", ("npm",), False, False),
        ("npm test", ("npm", "run", "test"), False, False),
        ("npm", NPM, True, True),
        ("npm", ("pnpm", "test"), False, False),
        # The same name elsewhere may be another program, so what is allowed must be spelled as it was.
        ("npm test", ("/usr/bin/npm", "test"), False, True),
        ("/usr/bin/npm", ("/usr/bin/npm", "test"), True, True),
        ("/usr/bin/npm", NPM, False, False),
        ("/usr/bin/npm", ("/opt/npm", "test"), False, False),
        ("npm test", (), False, True),  # known only when it runs
        ("npm test", None, False, False),
    ],
)
def test_a_rule_about_a_program_covers_what_begins_with_its_words(
    words: str, program: tuple[str, ...] | None, is_allowed: bool, is_denied: bool
) -> None:
    target = Target(program=program)
    for decision, is_covered, otherwise in (("allow", is_allowed, ASK), ("deny", is_denied, ASK)):
        composed = policy({"effect": "EXECUTE", "program": words, "decision": decision})
        expected = Decision[decision.upper()] if is_covered else otherwise
        assert composed.decide("native_shell", Effect.EXECUTE, target).decision is expected


@pytest.mark.parametrize(("server", "decision"), [("github", DENY), ("gitea", DENY), ("slack", ALLOW), (None, ALLOW)])
def test_a_rule_about_a_server_covers_the_servers_that_its_pattern_names(
    server: str | None, decision: Decision
) -> None:
    composed = policy({"server": "git*", "decision": "deny"})
    assert composed.decide("any", Effect.READ, Target(server=server)).decision is decision


def test_a_rule_may_name_a_tool_as_agents_see_it() -> None:
    composed = policy({"tool": "github__*", "decision": "deny"})
    for listed_as, decision in (("github__search", DENY), ("slack__search", ALLOW), (None, ALLOW)):
        assert composed.decide("call_server", Effect.READ, Target(listed_as=listed_as)).decision is decision


HOME = os.path.expanduser("~")


@pytest.mark.parametrize(
    ("rule", "path", "is_allowed", "is_denied"),
    [
        ({"path": "**"}, "/srv/a", False, True),
        ({"path": "a"}, "/srv/a", False, False),
        ({"path": "**/a", "below": False}, "/srv/a", False, True),
        ({"path": "/srv/X"}, "/srv/X/a", True, True),
        ({"path": "/srv/X"}, "/srv/Y", False, False),
        ({"path": "/X"}, "/X", True, True),
        ({"path": "/X", "below": False}, "/X", True, True),
        ({"path": "/srv", "below": False}, "/srv/a", False, False),
        ({"path": "~/a"}, f"{HOME}/a/b", True, True),
        ({"path": "~/a", "below": False}, f"{HOME}/a", True, True),
        ({"path": "~root"}, "/~root", False, True),
        ({"path": "~root"}, "/root", False, False),
    ],
)
def test_outside_the_project_what_allows_names_an_absolute_path_and_what_denies_need_not(
    rule: dict[str, Any], path: str, is_allowed: bool, is_denied: bool
) -> None:
    target = Target(path=path, is_outside=True)
    for decision, is_covered in (("allow", is_allowed), ("deny", is_denied)):
        composed = policy({"tool": "*", "decision": decision, **rule})
        expected = Decision[decision.upper()] if is_covered else ASK
        assert composed.decide("read_file", Effect.READ, target).decision is expected


@pytest.mark.parametrize("place", [Target(path="/srv/a", is_outside=True), Target(path=".git/a", is_closed=True)])
def test_reading_outside_the_project_or_in_a_closed_folder_asks(place: Target) -> None:
    decisions = [policy().decide("any", effect, place).decision for effect in (Effect.READ, Effect.PROCESS_CONTROL)]
    assert decisions == [ASK, ALLOW]
    assert policy().decide("any", Effect.READ, Target(path="a")).decision is ALLOW


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ({"tool": "x", "decision": "maybe"}, "^`decision` must be allow, ask or deny, not 'maybe'$"),
        ({"decision": "deny"}, "^a rule needs a tool, an effect or a server$"),
        ({"tool": "x", "decision": "deny", "project": "shop"}, "^`project` must be an absolute path$"),
        ({"tool": "x", "decision": "deny", "program": "npm 'test"}, "^`program` must be words such as `npm test`"),
        ({"tool": "x", "decision": "deny", "program": " "}, "^`program` must be words such as `npm test`, not ' '$"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_with_the_reason(rule: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        Rule(**rule)


def test_a_project_may_be_named_from_the_home_directory() -> None:
    user_rule = Rule(effect=Effect.WRITE, project="~/shop", decision="deny")
    composed = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[user_rule], project=f"{HOME}/shop")
    assert composed.decide("any", Effect.WRITE, Target()).decision is DENY


def test_a_rule_about_one_project_counts_there_only_whoever_wrote_it() -> None:
    from_project = PolicyDocument(rules=(Rule(effect=Effect.WRITE, project="/srv/shop", decision="deny"),))
    for project, decision in (("/srv/shop", DENY), ("/srv/other", ASK), (None, ASK)):
        composed = compose_policy(from_project, is_trusted=True, user_rules=(), project=project)
        assert composed.decide("any", Effect.WRITE, Target()).decision is decision
