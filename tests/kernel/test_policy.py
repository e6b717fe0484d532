"""Decisions: defaults, the strictest of several rules, what a pattern covers, and what an untrusted project can do."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from handrail.kernel.policy import Policy, Verdict, compose_policy
from handrail.kernel.policy_document import Policies, PolicyDocument
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.node import NeededVotes, TeamPolicy
from handrail.ports.paths import closed_secret_error
from handrail.ports.policy import Decision, Rule
from handrail.ports.team import Limits

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


def rules(*wanted: dict[str, str]) -> tuple[Rule, ...]:
    return tuple(msgspec.convert(rule, Rule) for rule in wanted)


def policy(
    *project: dict[str, str], user: Iterable[dict[str, str]] = (), is_trusted: bool = True, **limits: Any
) -> Policy:
    document = PolicyDocument(rules=rules(*project), policies=Policies(**limits))
    return compose_policy(document, is_trusted=is_trusted, user_rules=rules(*user))


def decided(policy: Policy, tool: str = "write_to_file", effect: Effect = Effect.WRITE, path: str = "a") -> Decision:
    return policy.decide(tool, effect, Target(path=path)).decision


@pytest.mark.parametrize(
    ("effect", "decision"),
    [
        (Effect.READ, ALLOW),
        (Effect.ASK, ALLOW),
        (Effect.PROCESS_CONTROL, ALLOW),
        (Effect.WRITE, ASK),
        (Effect.UI_CONTROL, ASK),
        (Effect.EXECUTE, ASK),
    ],
)
def test_without_a_rule_the_effect_decides(effect: Effect, decision: Decision) -> None:
    assert policy().decide("any", effect, Target()) == Verdict(decision, "default")


def test_a_rule_may_loosen_or_tighten_the_default() -> None:
    assert decided(policy({"tool": "write_to_file", "decision": "allow"})) is ALLOW
    assert decided(policy({"tool": "write_to_file", "decision": "deny"})) is DENY
    assert decided(policy({"effect": "READ", "decision": "ask"}), "read_file", Effect.READ) is ASK


@pytest.mark.parametrize("order", [1, -1])
def test_the_strictest_of_all_matching_rules_wins_in_any_order_and_from_any_source(order: int) -> None:
    project = [{"tool": "write_*", "decision": "allow"}, {"effect": "WRITE", "decision": "ask"}]
    user = [
        {"tool": "write_to_file", "path": "secret/**", "decision": "deny"},
        {"effect": "WRITE", "decision": "allow"},
    ]
    composed = policy(*project[::order], user=user[::order])
    verdict = composed.decide("write_to_file", Effect.WRITE, Target(path="secret/x"))
    assert (verdict.decision, verdict.because.rpartition(" ")[0]) == (DENY, "user rule")
    assert composed.decide("write_to_file", Effect.WRITE, Target(path="other")) == Verdict(ASK, "project rule")


def test_all_that_a_rule_names_must_match() -> None:
    both = policy({"tool": "write_to_file", "effect": "WRITE", "path": "a/**", "decision": "deny"})
    assert decided(both, path="a/b") is DENY
    assert decided(both, path="b") is ASK
    assert decided(both, "replace_in_file", path="a/b") is ASK
    assert decided(both, effect=Effect.READ, path="a/b") is ALLOW


@pytest.mark.parametrize(("tool", "is_hit"), [("write_to_file", True), ("write_x", True), ("rewrite_x", False)])
def test_a_tool_may_be_named_by_a_pattern(tool: str, is_hit: bool) -> None:
    assert decided(policy({"tool": "write_*", "decision": "deny"}), tool) is (DENY if is_hit else ASK)


@pytest.mark.parametrize(
    ("pattern", "covered", "uncovered"),
    [
        ("secret", ["secret", "secret/a", "secret/a/b"], ["secrets", "a/secret", "secre"]),
        ("secret/", ["secret", "secret/a"], ["secrets"]),
        ("./secret", ["secret", "secret/a"], ["a/secret"]),
        ("secret/**", ["secret/a", "secret/a/b"], ["secrets/a"]),
        ("secret/*", ["secret/a", "secret/a/b"], ["secrets/a"]),
        ("**/secret", ["secret", "a/secret", "a/secret/b", "secret/a/b"], ["a/secrets"]),
        ("*.lock", ["x.lock", "x.lock/a"], ["a/x.lock"]),
        ("**/*.lock", ["x.lock", "a/b/x.lock"], ["x.locks"]),
        ("**", [".", "a", "a/b"], []),
        ("*", [".", "a", "a/b"], []),
        (".", [".", "a", "a/b"], []),
        ("./", [".", "a", "a/b"], []),
        ("", [".", "a", "a/b"], []),
        ("/", [".", "a", "a/b"], []),
        ("/secret", ["secret", "secret/a"], ["a/secret"]),
        ("a/./b//c", ["a/b/c", "a/b/c/d"], ["a/b"]),
    ],
)
def test_a_path_pattern_covers_what_it_matches_and_all_below(
    pattern: str, covered: list[str], uncovered: list[str]
) -> None:
    composed = policy({"effect": "WRITE", "path": pattern, "decision": "deny"})
    assert [path for path in covered if decided(composed, path=path) is not DENY] == []
    assert [path for path in uncovered if decided(composed, path=path) is DENY] == []


def test_a_rule_about_a_path_or_host_says_nothing_of_calls_without_one() -> None:
    composed = policy(
        {"effect": "WRITE", "path": "**", "decision": "deny"}, {"effect": "WRITE", "host": "*", "decision": "deny"}
    )
    assert composed.decide("any", Effect.WRITE, Target()).decision is ASK


def test_a_host_is_matched_whole() -> None:
    composed = policy({"effect": "READ", "host": "*.example.com", "decision": "deny"})
    for host, decision in (("a.example.com", DENY), ("example.com", ALLOW), ("a.example.com.evil", ALLOW)):
        assert composed.decide("any", Effect.READ, Target(place=f"https://{host}")).decision is decision


@pytest.mark.parametrize(
    ("rule", "covered", "uncovered"),
    [
        ({"host": "example.com"}, ["http://example.com", "https://example.com"], ["https://example.com:8443"]),
        ({"host": "localhost"}, ["http://localhost:80", "http://localhost:5173"], ["http://127.0.0.1:5173"]),
        ({"host": "::1"}, ["http://[::1]:5173", "https://[::1]:443"], ["http://127.0.0.1:80"]),
        ({"place": "http://localhost:5173"}, ["http://localhost:5173"], ["http://localhost:5174", "http://localhost:80"]),
        ({"place": "https://example.com"}, ["https://example.com"], ["http://example.com", "https://example.com:8443"]),
        ({"place": "https://example.com:*"}, ["https://example.com:8443"], ["http://example.com"]),
    ],
)  # fmt: skip
def test_what_opens_a_place_opens_no_other_port(rule: dict[str, str], covered: list[str], uncovered: list[str]) -> None:
    composed = policy({"effect": "UI_CONTROL", "decision": "allow", **rule}, is_trusted=True)
    for places, decision in ((covered, ALLOW), (uncovered, ASK)):
        for place in places:
            assert composed.decide("any", Effect.UI_CONTROL, Target(place=place)).decision is decision, place


def test_a_rule_that_denies_a_host_denies_all_its_ports() -> None:
    composed = policy({"effect": "READ", "host": "example.com", "decision": "deny"})
    assert composed.decide("any", Effect.READ, Target(place="https://example.com:8443")).decision is DENY


def test_an_app_is_matched_whole_and_in_any_case() -> None:
    composed = policy({"effect": "READ", "app": "org.keepass*", "decision": "deny"})
    for app, decision in (("org.KeePassXC.KeePassXC", DENY), ("keepassxc", ALLOW), ("an.org.keepass", ALLOW)):
        assert composed.decide("any", Effect.READ, Target(app=app)).decision is decision
    assert composed.decide("any", Effect.READ, Target(place="https://org.keepass")).decision is ALLOW


@pytest.mark.parametrize("spelling", ["deny", "DENY", "Deny"])
def test_a_decision_may_be_spelled_in_any_case(spelling: str) -> None:
    assert decided(policy({"effect": "WRITE", "decision": spelling})) is DENY


# Trust


def test_an_untrusted_allow_counts_as_ask() -> None:
    rule = {"tool": "write_to_file", "decision": "allow"}
    untrusted = policy(rule, is_trusted=False)
    assert untrusted.decide("write_to_file", Effect.WRITE, Target()) == Verdict(ASK, "project rule, not trusted")
    assert decided(policy(rule)) is ALLOW


def test_an_untrusted_allow_does_not_restrict_what_is_allowed_by_default() -> None:
    untrusted = policy({"effect": "READ", "decision": "allow"}, is_trusted=False)
    assert decided(untrusted, "read_file", Effect.READ) is ALLOW


def test_an_untrusted_allow_does_not_outdo_the_users_deny_nor_his_allow_the_projects_ask() -> None:
    project = {"effect": "WRITE", "decision": "allow"}
    assert decided(policy(project, user=[{"effect": "WRITE", "decision": "deny"}], is_trusted=False)) is DENY
    asking = {"effect": "WRITE", "decision": "ask"}
    assert decided(policy(asking, user=[{"effect": "WRITE", "decision": "allow"}], is_trusted=False)) is ASK


@pytest.mark.parametrize("decision", ["ask", "deny"])
def test_an_untrusted_project_may_tighten(decision: str) -> None:
    untrusted = policy({"effect": "READ", "decision": decision}, is_trusted=False)
    assert decided(untrusted, "read_file", Effect.READ) is Decision[decision.upper()]


def test_an_untrusted_projects_limits_only_tighten() -> None:
    loose = policy(
        is_trusted=False,
        forbidden_dirs=("build",),
        write_requires_diff=False,
        max_auto_fix=9,
        batch_max_lines=10**6,
        allowed_commands=("dev", "rm"),
        browser_allowed_hosts=("localhost", "evil.example"),
        max_read_bytes=10**9,
        command_timeout_ms=10**6,
        command_args=True,
    ).limits
    defaults = Policies()
    assert set(loose.forbidden_dirs) == {".git", "node_modules", ".env", "build"}
    assert loose.write_requires_diff is True
    assert loose.max_auto_fix == defaults.max_auto_fix
    assert loose.batch_max_lines == defaults.batch_max_lines
    assert loose.allowed_commands == ("dev",)
    assert loose.browser_allowed_hosts == ("localhost",)
    assert loose.max_read_bytes == defaults.max_read_bytes
    assert loose.command_timeout_ms == defaults.command_timeout_ms
    assert loose.command_args is False


def test_an_untrusted_projects_tighter_limits_count() -> None:
    limits: dict[str, Any] = {"batch_max_lines": 1, "max_read_bytes": 7, "command_timeout_ms": 9, "max_auto_fix": 0}
    tight = policy(is_trusted=False, **limits, redact_env=("TOKEN",), allowed_commands=(), lint_on_write=True).limits
    assert {name: getattr(tight, name) for name in limits} == limits
    assert (tight.redact_env, tight.allowed_commands, tight.lint_on_write) == (("TOKEN",), (), True)


def test_a_trusted_projects_limits_count_as_they_stand() -> None:
    loose = policy(forbidden_dirs=(), write_requires_diff=False, batch_max_lines=10**6).limits
    assert (loose.forbidden_dirs, loose.write_requires_diff, loose.batch_max_lines) == ((), False, 10**6)


def test_handrails_own_folders_are_closed_whatever_the_policy_says() -> None:
    assert set(policy(forbidden_dirs=()).closed_folders) == {".handrail", ".webgal_agent", "allowlist.json"}


def test_results_about_many_files_leave_out_what_is_stricter_than_what_was_passed() -> None:
    composed = policy(
        {"effect": "READ", "path": "denied", "decision": "deny"}, {"effect": "READ", "path": "asked", "decision": "ask"}
    )

    def readable(passed: Decision) -> list[str]:
        return [path for path in ("open", "asked", "denied/x") if composed.may_read("search_files", path, passed)]

    assert readable(ALLOW) == ["open"]
    assert readable(ASK) == ["open", "asked"]


def team(*wanted: dict[str, str]) -> TeamPolicy:
    return TeamPolicy(version="1", rules=rules(*wanted))


@pytest.mark.parametrize(("said", "becomes"), [("allow", ASK), ("ask", ASK), ("deny", DENY)])
def test_a_team_s_rule_tightens_and_never_allows(said: str, becomes: Decision) -> None:
    rule = {"tool": "write_to_file", "decision": said}
    assert decided(compose_policy(PolicyDocument(), is_trusted=True, user_rules=(), team=team(rule))) is becomes
    own = rules({"tool": "write_to_file", "decision": "allow"})
    both = compose_policy(PolicyDocument(), is_trusted=True, user_rules=own, team=team(rule))
    assert decided(both) is (ALLOW if said == "allow" else becomes)


@pytest.mark.parametrize("said", ["allow", "ask"])
def test_a_team_s_rule_opens_no_file_of_secrets(said: str) -> None:
    rule = {"tool": "read_file", "path": ".env", "decision": said}
    held = compose_policy(PolicyDocument(), is_trusted=True, user_rules=(), team=team(rule))
    assert decided(held, "read_file", Effect.READ, ".env") is DENY
    assert not held.opens(".env")
    assert compose_policy(PolicyDocument(), is_trusted=True, user_rules=rules(rule)).opens(".env")


def test_what_is_always_allowed_on_a_node_is_asked_where_the_team_wants_its_people_s_approval() -> None:
    wanted = TeamPolicy(version="1", approvals=(NeededVotes(limits=Limits(tools=("write_*", "read_*")), votes=1),))
    own = rules({"tool": "*", "decision": "allow"})
    held = compose_policy(PolicyDocument(), is_trusted=True, user_rules=own, team=wanted)
    assert decided(held) is ASK
    assert decided(held, "delete_path") is ALLOW
    assert decided(held, "read_file", Effect.READ) is ALLOW  # it would not be asked about anyway


@pytest.mark.parametrize("path", [".env", "config/.env", "/home/ann/.ssh/id_rsa"])
def test_the_rule_that_a_refused_file_of_secrets_suggests_opens_it(path: str) -> None:
    hint = str(closed_secret_error(path, "native_shell").hint)
    suggested = tomllib.loads(f"rule = {hint[hint.index('{') : hint.index('}') + 1]}")["rule"]
    policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[Rule(**suggested)])
    target = Target(path=path, is_outside=path.startswith("/"))
    assert policy.decide("native_shell", Effect.READ, target).decision is Decision.ALLOW


@pytest.mark.parametrize(
    "limit", [{"host": "localhost"}, {"place": "http://127.0.0.1:5173"}, {"place": "http://[::1]"}]
)
@pytest.mark.parametrize("there", ["localhost", "127.0.0.1", "[::1]", "127.0.0.2", "app.localhost"])
def test_denying_a_server_of_this_machine_denies_it_under_each_name(limit: dict[str, str], there: str) -> None:
    target = Target(place=f"http://{there}:5173")
    denying = policy({"effect": "UI_CONTROL", "decision": "deny", **limit})
    assert denying.decide("browser_click", Effect.UI_CONTROL, target).decision is DENY
    (expression,) = denying.denied_pages("browser_click", Effect.UI_CONTROL)
    assert re.match(expression, f"{target.place}/admin")
    assert re.match(expression, "http://192.168.1.1:5173/") is None


def test_allowing_a_server_of_this_machine_allows_it_under_this_name_only() -> None:
    allowing = policy({"effect": "UI_CONTROL", "decision": "allow", "host": "localhost"})
    decisions = [
        allowing.decide("browser_click", Effect.UI_CONTROL, Target(place=f"http://{host}:80")).decision
        for host in ("localhost", "127.0.0.1", "[::1]")
    ]
    assert decisions == [ALLOW, ASK, ASK]
