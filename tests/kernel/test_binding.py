"""What a yes is bound to: parameters, what was shown, and the program that carries it out, where there is one."""

import json
from typing import Any

import pytest

from handrail.kernel.binding import approval_digest, digest_of, shown_target, target_binding, token_scope
from handrail.kernel.call import Call
from handrail.kernel.call_state import CallState
from handrail.kernel.dialect import DIALECT
from handrail.kernel.digest import digest
from handrail.kernel.registry import Registry
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Surface
from handrail.ports.prompts import ApprovedAction
from handrail.ports.tokens import TokenScope
from tests.kernel.gate_rig import AGENT, echo, tool

WARRANT = ApprovedAction(method="notes.add", params_digest="ab" * 32)


def test_what_was_shown_replaces_what_was_located_and_leaves_the_rest() -> None:
    located = Target(path="a", place="https://example.com", app="org.a")
    assert shown_target(located, Preview("Do")) == located
    moved = Preview("Do", place="https://example.org", app="org.b")
    assert shown_target(located, moved) == Target(path="a", place="https://example.org", app="org.b")
    assert shown_target(located, Preview("Do", place="")).place == "", "a page that nobody knows is not the old one"


def test_the_digest_is_that_of_parameters_and_binding() -> None:
    preview = Preview("Do", binding={"before": "1"})
    expected = digest({"params": {"path": "a"}, "binding": {"before": "1"}})
    assert digest_of({"path": "a"}, {"before": "1"}) == expected
    assert approval_digest({"path": "a"}, preview) == expected


@pytest.mark.parametrize(
    ("fields", "is_theirs"),
    [({"warrant": WARRANT, "executor": "app:1"}, True), ({"warrant": WARRANT}, False), ({"executor": "app:1"}, False)],
)
def test_another_programs_digest_counts_only_if_it_executes_the_approved_action(
    fields: dict[str, Any], is_theirs: bool
) -> None:
    expected = WARRANT.params_digest if is_theirs else digest_of({"path": "a"}, {})
    assert approval_digest({"path": "a"}, Preview("Do", **fields)) == expected


async def located(port: None, call: Call, params: Any) -> Target:
    return Target(place="https://example.com")


def test_only_a_target_that_had_to_be_located_is_part_of_the_binding() -> None:
    target = Target(place="https://example.com")
    assert target_binding(tool("write", echo), target) == {}
    binding = target_binding(tool("click", echo, locate=located), target)
    assert [*binding] == ["target"]
    assert json.loads(binding["target"])["place"] == "https://example.com"
    assert target_binding(tool("click", echo, locate=located), Target(place="https://example.org")) != binding


@pytest.mark.parametrize(
    ("fields", "is_theirs"),
    [({"warrant": WARRANT, "executor": "app:1"}, True), ({"warrant": WARRANT}, False), ({"executor": "app:1"}, False)],
)
def test_a_token_is_another_programs_only_if_it_executes_the_approved_action(
    fields: dict[str, Any], is_theirs: bool
) -> None:
    registry = Registry([Surface("test", DIALECT, None, [tool("click", echo)])])
    state = CallState(Call("click", {}, AGENT), registry.find("click"), params_digest="cd" * 32)
    expected = TokenScope("app:1", "notes.add", "cd" * 32) if is_theirs else TokenScope("agent:one", "click", "cd" * 32)
    assert token_scope(state, Preview("Click", **fields)) == expected
