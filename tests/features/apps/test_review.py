"""What `handrail apps check` reports: every problem with its field, typos with the nearest name, and advice."""

import json
from typing import Any

import msgspec
import pytest

from handrail.features.apps.descriptors import connection, descriptor, review

GOOD: dict[str, Any] = {
    "schema_version": "1.0",
    "app": {"id": "com.example.mail", "name": "Mail", "description": "Letters."},
    "execution": {"type": "ipc"},
    "tools": [
        {
            "name": "send",
            "description": "Send a letter.",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string", "description": "Whom."}},
                "required": ["to"],
            },
            "examples": [{"params": {"to": "ada@example.com"}}],
        }
    ],
}


def reviewed(**changes: Any) -> tuple[list[str], list[str]]:
    text = review.review(json.dumps({**GOOD, **changes}).encode(), "aai.json")
    return (
        [f"{each.field}: {each.reason}" for each in text.problems],
        [f"{each.field}: {each.reason}" for each in text.advice],
    )


def tool(**changes: Any) -> list[dict[str, Any]]:
    return [{**GOOD["tools"][0], **changes}]


def test_a_good_descriptor_has_neither_problems_nor_advice() -> None:
    text = review.review(json.dumps(GOOD).encode(), "aai.json", folder="com.example.mail")
    assert text.app is not None
    assert (text.app.id, text.problems, text.advice) == ("com.example.mail", [], [])


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tools": tool(retruns={})}, "tools[0].retruns: is unknown; did you mean returns?"),
        ({"execution": {"type": "ipc", "objectPaht": "/"}}, "execution.object_paht: is unknown; did you mean"),
        (
            {"tools": tool(examples=[{"param": {}}])},
            "tools[0].examples[0].param: is unknown; did you mean params?",
        ),
        ({"tools": tool(examples=[{"params": {"to": 7}}])}, "tools[0].examples[0].params.to: 7 is not of type"),
        ({"tools": tool(examples=[{"params": {}}])}, "tools[0].examples[0].params.to: "),
        ({"tool": []}, "tool: is unknown; did you mean tools?"),
        (
            {"auth": {"type": "api_key", "api_key": {"name": "X", "env_vra": "Y"}}},
            "auth.env_vra: is unknown; did",
        ),
    ],
)
def test_an_unknown_member_is_reported_with_the_nearest_name(changes: Any, problem: str) -> None:
    problems, _ = reviewed(**changes)
    assert any(each.startswith(problem) for each in problems), problems


def test_all_problems_are_reported_not_only_the_first() -> None:
    app = {**GOOD["app"], "id": "../mail"}
    problems, _ = reviewed(schema_version="9", app=app, execution={"type": "stdio"}, tools=tool(name="Send"))
    fields = [each.partition(":")[0] for each in problems]
    assert fields == ["schema_version", "app.id", "execution.command", "tools[0].name"]


def test_unusual_members_are_advice() -> None:
    mute = {"type": "object", "properties": {"to": {"type": "string"}}}
    problems, advice = reviewed(publisher="Ada", tools=tool(parameters=mute))
    assert problems == []
    assert advice == [
        "publisher: is unknown, and has no effect",
        "tools[0].parameters.properties.to: has no description: agents must guess its meaning",
    ]


def test_an_id_that_is_not_its_folders_name_is_a_problem() -> None:
    text = review.review(json.dumps(GOOD).encode(), "aai.json", folder="com.example.post")
    assert [each.field for each in text.problems] == ["app.id"]


def test_invalid_json_is_one_problem() -> None:
    findings = review.review(b"{", "aai.json")
    assert findings.app is None
    assert len(findings.problems) == 1


@pytest.mark.parametrize(
    ("members", "part"),
    [
        (review._APP, descriptor._AppPart),
        (review._EXECUTION, connection._ExecutionPart),
        (review._TOOL, descriptor._ToolPart),
        (review._ROUTE, descriptor._RoutePart),
        (review._AUTH, connection._ApiKeyPart),
        (review._AUTH, connection._OAuth2Part),
    ],
)
def test_every_member_that_the_reader_reads_is_known_to_the_review(members: str, part: type[msgspec.Struct]) -> None:
    assert set(part.__struct_fields__) <= set(members.split())
