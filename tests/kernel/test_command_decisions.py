"""A command's decision follows from rules about the whole and about each of its steps."""

from typing import Any

import msgspec
import pytest

from handrail.kernel.policy import Policy, Verdict, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Step, Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision, Rule

ALLOW, ASK, DENY = Decision
LINE = "npm test > secret/log"
TEST = Step(Effect.EXECUTE, Target(program=("npm", "test")))
LOG = Step(Effect.WRITE, Target(path="secret/log"))
SOURCE = Step(Effect.READ, Target(path="src/a"))
NOTES = Step(Effect.READ, Target(path="notes"))

ALLOWS_LINE = {"tool": "shell", "effect": "EXECUTE", "command": LINE, "decision": "allow"}
ALLOWS_TEST = {"tool": "shell", "effect": "EXECUTE", "program": "npm test", "decision": "allow"}
ALLOWS_SOURCE = {"tool": "shell", "effect": "READ", "path": "src", "decision": "allow"}
DENIES_SECRET = {"tool": "shell", "effect": "WRITE", "path": "secret", "decision": "deny"}
ASKS_SOURCE = {"tool": "shell", "effect": "READ", "path": "src", "decision": "ask"}


def policy(*rules: dict[str, Any]) -> Policy:
    project = tuple(msgspec.convert(rule, Rule) for rule in rules)
    return compose_policy(PolicyDocument(rules=project), is_trusted=True, user_rules=())


def decide(composed: Policy, *steps: Step, agent: str | None = "me") -> Verdict:
    return composed.decide("shell", Effect.EXECUTE, Target(command=LINE, steps=steps), agent)


def test_without_rules_a_command_whose_certain_steps_are_allowed_is_allowed() -> None:
    assert decide(policy(), SOURCE, NOTES) == Verdict(ALLOW, "default")
    assert decide(policy(), SOURCE, TEST) == Verdict(ASK, "default")
    assert decide(policy(), SOURCE, Step(Effect.READ, Target(path="notes"), is_certain=False)) == Verdict(
        ASK, "default"
    )


@pytest.mark.parametrize("steps", [(TEST, LOG), (LOG, TEST)])
def test_a_step_that_a_rule_denies_denies_a_command_that_another_rule_allows(steps: tuple[Step, ...]) -> None:
    assert decide(policy(ALLOWS_LINE, DENIES_SECRET), *steps) == Verdict(DENY, "project rule")


@pytest.mark.parametrize("steps", [(SOURCE, LOG), (LOG, SOURCE)])
def test_the_strictest_step_counts_in_any_order(steps: tuple[Step, ...]) -> None:
    assert decide(policy(ASKS_SOURCE, DENIES_SECRET), *steps).decision is DENY


def test_a_rule_that_allows_the_whole_covers_steps_without_rules() -> None:
    assert decide(policy(ALLOWS_LINE), TEST, LOG) == Verdict(ALLOW, "project rule")


def test_a_rule_that_denies_the_whole_outdoes_steps_that_are_allowed() -> None:
    assert decide(policy({**ALLOWS_LINE, "decision": "deny"}, ALLOWS_SOURCE), SOURCE).decision is DENY


def test_rules_that_allow_each_step_allow_the_command_and_are_named_as_the_reason() -> None:
    assert decide(policy(ALLOWS_TEST), NOTES, TEST) == Verdict(ALLOW, "project rule")
    assert decide(policy(ALLOWS_TEST), LOG, TEST) == Verdict(ASK, "default")
    assert decide(policy(ALLOWS_SOURCE), SOURCE, TEST) == Verdict(ASK, "default")


@pytest.mark.parametrize("rule", [ALLOWS_LINE, ALLOWS_TEST])
@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_rule_about_another_tool_says_nothing_of_a_command(rule: dict[str, Any], decision: str) -> None:
    assert decide(policy({**rule, "tool": "cage", "decision": decision}), TEST) == Verdict(ASK, "default")


@pytest.mark.parametrize("steps", [(TEST, SOURCE), (SOURCE, TEST)])
def test_of_two_rules_that_ask_the_critical_one_counts(steps: tuple[Step, ...]) -> None:
    composed = policy(ASKS_SOURCE, {**ALLOWS_TEST, "decision": "ask", "critical": True})
    assert decide(composed, *steps) == Verdict(ASK, "project rule", is_critical=True)


@pytest.mark.parametrize("rule", [ALLOWS_LINE, ALLOWS_TEST])
def test_a_rule_for_one_agent_counts_for_its_commands_only(rule: dict[str, Any]) -> None:
    composed = policy({**rule, "agent": "me"})
    assert [decide(composed, TEST, agent=agent).decision for agent in ("me", "you", None)] == [ALLOW, ASK, ASK]
    strict = policy({**rule, "agent": "me", "decision": "deny"})
    assert [decide(strict, TEST, agent=agent).decision for agent in ("me", "you", None)] == [DENY, ASK, DENY]
