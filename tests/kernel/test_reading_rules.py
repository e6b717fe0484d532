"""Rules about reading: for tools that show many files, commands that read, and pages reached while a call runs."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from handrail.kernel.policy import Policy, Verdict, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Target
from handrail.kernel.web_address import host_expression
from handrail.ports.effect import Effect
from handrail.ports.policy import Decision, Rule

ALLOW, ASK, DENY = Decision
SECRET = Target(path="secret/x")
PAST, FUTURE = "2020-01-01", "2999-01-01"


def policy(*rules: dict[str, Any], is_trusted: bool = True) -> Policy:
    project = tuple(msgspec.convert(rule, Rule) for rule in rules)
    return compose_policy(PolicyDocument(rules=project), is_trusted=is_trusted, user_rules=())


# What `read_file` must not read


DENIES_READING = {"tool": "read_file", "effect": "READ", "path": "secret", "agent": "me", "decision": "deny"}


@pytest.mark.parametrize(
    ("tool", "effect", "target", "agent", "decision"),
    [
        ("search_files", Effect.READ, SECRET, "me", DENY),
        ("search_files", Effect.READ, Target(path="other"), "me", ALLOW),
        ("search_files", Effect.READ, SECRET, "you", ALLOW),
        ("search_files", Effect.READ, SECRET, None, DENY),
        ("delete_path", Effect.WRITE, SECRET, "me", ASK),
        ("write_to_file", Effect.READ, SECRET, "me", ALLOW),  # a dry run
    ],
)
def test_no_tool_shows_a_file_that_read_file_must_not_read(
    tool: str, effect: Effect, target: Target, agent: str | None, decision: Decision
) -> None:
    assert policy(DENIES_READING).decide(tool, effect, target, agent).decision is decision


def test_a_rule_that_only_asks_about_read_file_or_names_no_path_is_about_that_tool_alone() -> None:
    assert policy({**DENIES_READING, "decision": "ask"}).decide("search_files", Effect.READ, SECRET).decision is ALLOW
    denying = policy({"tool": "read_file", "decision": "deny"})
    assert denying.decide("search_files", Effect.READ, Target()).decision is ALLOW
    assert denying.decide("delete_path", Effect.WRITE, SECRET).decision is ASK


def test_what_results_may_show_depends_on_the_tool_and_the_agent() -> None:
    composed = policy({"tool": "search_files", "path": "secret", "agent": "me", "decision": "deny"})
    asked = [("search_files", "me"), ("search_files", "you"), ("search_files", None), ("list_files", "me")]
    assert [composed.may_read(tool, "secret/x", agent=agent) for tool, agent in asked] == [False, True, False, True]


# What commands may read without a question


@pytest.mark.parametrize(
    "rule",
    [
        {"tool": "*", "decision": "allow", "path": "secret"},
        {"tool": "*", "decision": "deny"},
        {"effect": "READ", "decision": "deny"},
        {"effect": "WRITE", "decision": "deny", "path": "secret"},
        {"tool": "write_to_file", "decision": "deny", "path": "secret"},
        {"tool": "write_to_file", "effect": "READ", "decision": "deny", "path": "secret"},
        {"tool": "*", "decision": "deny", "path": "secret", "until": PAST},
    ],
)
def test_a_rule_that_cannot_restrict_reading_sets_no_limit(rule: dict[str, Any]) -> None:
    assert policy(rule).reading_limits("native_shell") is None
    assert policy(rule, is_trusted=False).reading_limits("native_shell") is None


@pytest.mark.parametrize(
    "rule",
    [
        {"tool": "*", "decision": "deny"},
        {"tool": "native_shell", "decision": "ask"},
        {"tool": "run_command", "decision": "deny"},
        {"tool": "read_file", "decision": "deny"},
        {"effect": "READ", "decision": "ask"},
        {"server": "*", "decision": "deny"},
        {"tool": "*", "decision": "deny", "until": FUTURE},
    ],
)
def test_a_rule_that_may_restrict_reading_limits_the_paths_that_it_covers(rule: dict[str, Any]) -> None:
    restricts = policy({"tool": "*", "decision": "deny", "path": "closed"}, {**rule, "path": "secret"}).reading_limits(
        "native_shell", "run_command"
    )
    assert restricts is not None
    paths = ("secret", "secret/x", "closed/x", "other")
    assert [restricts(Target(path=path)) for path in paths] == [True, True, True, False]


# Files of secrets


@pytest.mark.parametrize(
    ("rule", "opened", "closed"),
    [
        ({"path": ".ssh"}, [".ssh", ".ssh/id_rsa"], [".env", "a/.ssh"]),
        ({"path": ".ssh", "below": False}, [".ssh"], [".ssh/id_rsa", ".env"]),
        ({"path": ".env", "until": FUTURE}, [".env"], ["a/.env"]),
        ({"path": ".env", "until": PAST}, [], [".env"]),
        ({"path": "**"}, [], [".env"]),
    ],
)
def test_a_rule_opens_the_files_of_secrets_that_it_names_until_it_ends(
    rule: dict[str, Any], opened: list[str], closed: list[str]
) -> None:
    composed = policy({"tool": "read_file", "decision": "allow", **rule})
    assert [path for path in (*opened, *closed) if composed.opens(path)] == opened
    readable = [path for path in (*opened, *closed) if composed.may_read("read_file", path)]
    assert readable == opened


def test_a_file_of_secrets_is_refused_with_the_reason() -> None:
    refused = policy().decide("read_file", Effect.READ, Target(path=".env"))
    assert str(refused) == "deny (closed by default: files of this name usually hold secrets)"


# Pages that a call reaches while it runs

PAGE = Target(place="https://shop.example")
CLICK = ("browser_click", Effect.UI_CONTROL, PAGE)
ALLOWS_CLICK = {"tool": "browser_click", "effect": "UI_CONTROL", "host": "shop.example", "decision": "allow"}
DENIES_PAGE = {"tool": "browser_click", "effect": "READ", "host": "shop.example", "decision": "deny"}


def test_a_page_that_is_reached_must_be_open_to_the_action_and_to_reading() -> None:
    assert policy().decide_again(*CLICK) == Verdict(ASK, "default")
    assert policy(ALLOWS_CLICK).decide_again(*CLICK) == Verdict(ALLOW, "project rule")
    assert policy(ALLOWS_CLICK, DENIES_PAGE).decide_again(*CLICK) == Verdict(DENY, "project rule")
    assert policy(DENIES_PAGE).decide_again(*CLICK).decision is DENY
    assert policy(ALLOWS_CLICK).decide_again("browser_type", *CLICK[1:]).decision is ASK


def test_a_reached_page_is_decided_for_this_agent() -> None:
    composed = policy({**ALLOWS_CLICK, "agent": "me"})
    assert [composed.decide_again(*CLICK, agent).decision for agent in ("me", "you")] == [ALLOW, ASK]


def test_of_two_rules_about_a_reached_page_that_ask_the_critical_one_counts() -> None:
    asks = {**ALLOWS_CLICK, "decision": "ask"}
    for effects in (("UI_CONTROL", "READ"), ("READ", "UI_CONTROL")):
        composed = policy({**asks, "effect": effects[0]}, {**asks, "effect": effects[1], "critical": True})
        assert composed.decide_again(*CLICK) == Verdict(ASK, "project rule", is_critical=True)


def test_a_rule_that_asks_about_a_reached_page_is_named_rather_than_the_default() -> None:
    asks_to_read = {**DENIES_PAGE, "decision": "ask"}
    assert policy(asks_to_read).decide_again(*CLICK) == Verdict(ASK, "project rule")


def test_the_pages_denied_to_a_call_are_those_of_current_rules_that_an_expression_can_say() -> None:
    deny = {"tool": "*", "decision": "deny"}
    composed = policy(
        {"tool": "read_file", "effect": "READ", "decision": "deny"},
        {**deny, "host": "past.example", "until": PAST},
        {**deny, "host": "both.example", "place": "https://both.example:8443"},
        {**deny, "host": "{a,b}.example"},
        {**deny, "host": "mine.example", "agent": "me"},
        {**deny, "host": "bank.example", "until": FUTURE},
    )
    bank, mine = host_expression("bank.example"), host_expression("mine.example")
    assert composed.denied_pages("read_file", Effect.READ, "me") == [bank, mine]
    assert composed.denied_pages("read_file", Effect.READ, "you") == [bank]


@pytest.mark.parametrize(("hour", "count"), [(11, 1), (12, 0)])
def test_a_rule_denies_pages_until_it_ends(hour: int, count: int) -> None:
    rule = Rule(tool="*", host="bank.example", until="2026-11-30T12:00Z", decision="deny")
    moment = datetime(2026, 11, 30, hour, tzinfo=UTC)
    composed = Policy(PolicyDocument(), ((rule, DENY, "project rule"),), now=lambda: moment)
    assert len(composed.denied_pages("browser_page", Effect.READ)) == count
