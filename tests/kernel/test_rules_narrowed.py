"""Rules that are narrowed to a project, an agent, a command, a moment; and what stands in them literally."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from handrail.kernel.glob import escape_pattern, matcher, unescape_pattern
from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision, Rule, parse_until

ALLOW, ASK, DENY = Decision
HERE = "/srv/shop"
FILE = Target(path="a.txt")


def policy(*rules: dict[str, Any], project: str = HERE) -> Policy:
    return compose_policy(
        PolicyDocument(), is_trusted=True, user_rules=[msgspec.convert(rule, Rule) for rule in rules], project=project
    )


def write(composed: Policy, target: Target = FILE, agent: str | None = "me") -> Decision:
    return composed.decide("write_to_file", Effect.WRITE, target, agent).decision


def test_a_rule_for_one_project_is_none_elsewhere() -> None:
    rule = {"tool": "write_to_file", "project": HERE, "decision": "allow"}
    assert write(policy(rule)) is ALLOW
    assert write(policy(rule, project="/srv/other")) is ASK
    assert write(policy(rule, project="/srv/shop/inner")) is ASK


def test_a_rule_for_one_agent_is_none_for_another() -> None:
    composed = policy({"tool": "write_to_file", "agent": "me", "decision": "allow"})
    assert write(composed) is ALLOW
    assert write(composed, agent="you") is ASK


def test_of_an_unknown_agent_only_the_strict_rules_count() -> None:
    assert write(policy({"tool": "write_to_file", "agent": "me", "decision": "allow"}), agent=None) is ASK
    assert write(policy({"tool": "write_to_file", "agent": "me", "decision": "deny"}), agent=None) is DENY


def test_a_rule_ends_when_it_says() -> None:
    composed = policy({"tool": "write_to_file", "until": "2026-11-30T12:00:00Z", "decision": "allow"})
    for moment, decision in (
        (datetime(2026, 11, 30, 11, 59, 59, tzinfo=UTC), ALLOW),
        (datetime(2026, 11, 30, 12, 0, tzinfo=UTC), ASK),
    ):
        at = Policy(composed.document, composed.rules, now=lambda moment=moment: moment)  # type: ignore[misc]
        assert write(at) is decision


def test_a_date_ends_with_its_day() -> None:
    assert parse_until("2026-11-30") == parse_until("2026-12-01T00:00")


def test_no_time_zone_of_an_agents_choice_stretches_a_rule() -> None:
    """An agent may start handrail in an environment of its own making."""
    says = "from handrail.ports.policy import parse_until as read; print(read('2026-11-30'), read('2026-11-30T18:00'))"
    ends = {
        subprocess.run([sys.executable, "-c", says], env={**os.environ, "TZ": zone}, capture_output=True).stdout
        for zone in ("UTC", "FAR-14", "LATE+23")
    }
    assert len(ends) == 1


@pytest.mark.parametrize("until", ["", "soon", "2026-13-01", "30.11.2026", "9999-12-31"])
def test_a_moment_that_cant_be_read_is_refused(until: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="until"):
        msgspec.convert({"tool": "x", "until": until, "decision": "allow"}, Rule)


def test_a_rule_about_a_command_is_about_no_other() -> None:
    composed = policy({"tool": "write_to_file", "command": "npm run lint", "decision": "allow"})
    assert write(composed, Target(command="npm run lint")) is ALLOW
    assert write(composed, Target(command="npm run lint --fix")) is ASK
    assert write(composed, Target()) is ASK


def test_without_what_is_below_a_path_is_that_path() -> None:
    below = policy({"tool": "write_to_file", "path": "src", "decision": "allow"})
    alone = policy({"tool": "write_to_file", "path": "src", "below": False, "decision": "allow"})
    assert (write(below, Target(path="src/a")), write(alone, Target(path="src/a"))) == (ALLOW, ASK)
    assert write(alone, Target(path="src")) is ALLOW


def test_the_strictest_rule_says_whether_it_is_critical() -> None:
    composed = policy({"tool": "write_to_file", "decision": "ask"}, {"tool": "*", "decision": "ask", "critical": True})
    assert composed.decide("write_to_file", Effect.WRITE, Target()).is_critical
    assert not policy().decide("write_to_file", Effect.WRITE, Target()).is_critical


@pytest.mark.parametrize("path", ["*", "**", "pages/[id].tsx", "{a,b}", "a?b", "[!x]", "]", "}", "[[]", "a,b", "[*]"])
def test_an_escaped_path_matches_itself_and_nothing_else(path: str) -> None:
    pattern = escape_pattern(path)
    assert matcher(pattern)(path)
    assert not any(matcher(pattern)(other) for other in ("d", "pages/d.tsx", "pages/i.tsx", "a", "b", "axb", "x"))
    assert unescape_pattern(pattern) == path


def test_a_pattern_with_wildcards_is_no_literal() -> None:
    assert unescape_pattern("src/*.md") is None
