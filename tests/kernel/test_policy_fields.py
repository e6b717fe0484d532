"""An untrusted project's policy only tightens: no field of it allows what the defaults don't."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import Policies, PolicyDocument
from handrail.kernel.policy_fields import FIELDS
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Rule

DEFAULTS = Policies()
_NUMBERS = st.integers(1, 10**9) | st.just(10**12)
_NAMES = st.lists(st.sampled_from([".git", "src", "dev", "rm", "localhost", "evil.example", "A_*"]), max_size=4)
_PATHS = st.sampled_from(["a.txt", ".env", "game/x.pem", "src/**", "**", ".ssh", "*.key"])

policies = st.builds(
    Policies,
    forbidden_dirs=_NAMES.map(tuple),
    write_requires_diff=st.booleans(),
    max_auto_fix=_NUMBERS,
    batch_max_lines=_NUMBERS,
    allowed_commands=_NAMES.map(tuple),
    browser_allowed_hosts=_NAMES.map(tuple),
    snapshot_retention=_NUMBERS | st.just(0),
    max_read_bytes=_NUMBERS,
    command_timeout_ms=_NUMBERS,
    command_args=st.booleans(),
    redact_env=_NAMES.map(tuple),
    lint_on_write=st.booleans(),
    lint_ignore=st.lists(st.sampled_from(["WG101", "WG202"])).map(tuple),
)
rules = st.builds(
    Rule,
    decision=st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from(["*", "read_file", "write_to_file"]),
    path=st.none() | _PATHS,
    agent=st.none() | st.sampled_from(["me", "you"]),
    until=st.none() | st.sampled_from(["2020-01-01", "2999-01-01"]),
    below=st.booleans(),
    critical=st.booleans(),
)
documents = st.builds(
    PolicyDocument,
    mode=st.sampled_from(["cline", "developer"]),
    policies=policies,
    rules=st.lists(rules, max_size=4).map(tuple),
)


def untrusted(document: PolicyDocument, user: list[Rule]) -> Policy:
    return compose_policy(document, is_trusted=False, user_rules=user)


def is_as_tight(name: str, value: Any) -> bool:
    ours = getattr(DEFAULTS, name)
    match name:
        case "forbidden_dirs" | "redact_env":
            return set(value) >= set(ours)
        case "allowed_commands" | "browser_allowed_hosts" | "lint_ignore":
            return set(value) <= set(ours)
        case "snapshot_retention":
            return bool(value == 0 or (ours != 0 and value >= ours))
        case "write_requires_diff" | "lint_on_write":
            return bool(value >= ours)
        case "sandbox_root":
            return bool(value == ours)
        case _:
            return bool(value <= ours)


def test_every_field_is_classified() -> None:
    assert {field.name for field in FIELDS} == set(Policies.__struct_fields__)


def test_the_settings_page_has_the_same_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    names = dict(zip(Policies.__struct_fields__, Policies.__struct_encode_fields__, strict=True))
    for field in FIELDS:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{names[field.name]}` |")]
        assert row.endswith(f"| {field.tightens} |")


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"), [(20, 30, 30), (20, 10, 20), (20, 1, 20), (20, 0, 0), (0, 30, 0), (1, 30, 30)]
)
def test_of_two_numbers_of_kept_snapshots_the_greater_counts_and_0_keeps_all(
    ours: int, theirs: int, merged: int
) -> None:
    (field,) = [field for field in FIELDS if field.name == "snapshot_retention"]
    assert field.merged(ours, theirs) == merged


def test_an_untrusted_project_is_shown_in_the_careful_mode() -> None:
    assert untrusted(PolicyDocument(mode="developer"), []).document.mode == "cline"


@pytest.mark.trial("policy fields")
@given(documents)
def test_no_field_of_an_untrusted_policy_loosens(document: PolicyDocument) -> None:
    composed = untrusted(document, [])
    assert not composed.is_for_developers
    assert [field.name for field in FIELDS if not is_as_tight(field.name, getattr(composed.limits, field.name))] == []


@pytest.mark.trial("policy fields")
@given(
    documents,
    st.lists(rules, max_size=2),
    st.sampled_from(["read_file", "write_to_file"]),
    st.sampled_from(list(Effect)),
    st.sampled_from([None, "a.txt", ".env", "game/x.pem", "src/a", ".ssh/id_rsa"]),
    st.sampled_from([None, "me", "you"]),
)
def test_no_rule_of_an_untrusted_policy_loosens(
    document: PolicyDocument, user: list[Rule], tool: str, effect: Effect, path: str | None, agent: str | None
) -> None:
    without = untrusted(PolicyDocument(), user).decide(tool, effect, Target(path=path), agent)
    with_it = untrusted(document, user)
    assert with_it.decide(tool, effect, Target(path=path), agent).decision >= without.decision
    if path is not None:
        assert not with_it.opens(path) or untrusted(PolicyDocument(), user).opens(path)
