"""Prompts as forms of `elicitation/create`, and what clients return as answers."""

from typing import Any

import pytest
from mcp_types._v2025_11_25 import PrimitiveSchemaDefinition, RequestedSchema
from msgspec import UNSET
from pydantic import TypeAdapter

from handrail.faces.mcp.elicitation import Form, answer_of, form_of
from handrail.kernel.prompts.answer_rules import check_response
from handrail.kernel.prompts.rules import check_prompt
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt

PROPERTY: TypeAdapter[Any] = TypeAdapter(PrimitiveSchemaDefinition)
OPTIONS = [{"value": "a", "label": "Apple", "description": "from the garden"}, {"value": "b"}]
KV = check_prompt({"kind": "kv", "fields": [{"key": "name", "required": True}, {"key": "why"}]})
ONE = check_prompt({"kind": "choice", "options": OPTIONS})
SOME = check_prompt({"kind": "choice", "options": OPTIONS, "multiple": True, "minSelections": 1, "maxSelections": 1})
APPROVAL = check_prompt({"kind": "file_change_confirm", "path": "a.txt", "diff": "-one\n+two"})


def form(prompt: Prompt | dict[str, Any], *, is_plain: bool = False) -> Form:
    """Returns the form, checked against the protocol's own restricted schemas."""
    form_schema = form_of(check_prompt(prompt), is_plain=is_plain)
    assert form_schema is not None
    RequestedSchema.model_validate(form_schema.schema)
    for schema in form_schema.schema["properties"].values():
        PROPERTY.validate_python(schema)
    return form_schema


def fields(*args: dict[str, Any], is_plain: bool = False) -> dict[str, Any]:
    properties: dict[str, Any] = form({"kind": "kv", "fields": list(args)}, is_plain=is_plain).schema["properties"]
    return properties


def test_a_field_is_a_string_with_its_label_description_and_preset() -> None:
    field = {"key": "name", "label": "Your name", "description": "As on the door.", "default": "Ada"}
    assert fields(field) == {
        "name": {"type": "string", "title": "Your name", "description": "As on the door.", "default": "Ada"}
    }


def test_constraints_that_a_schema_cannot_express_are_in_the_description() -> None:
    schema = fields({"key": "a", "placeholder": "x", "multiline": True})
    assert schema["a"]["description"] == "For example: x May have several lines."


def test_an_older_protocol_gets_presets_in_words() -> None:
    assert fields({"key": "a", "default": "x"}, is_plain=True) == {"a": {"type": "string", "description": "Usually: x"}}


def test_a_required_field_must_not_be_empty() -> None:
    schema = form(KV).schema
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"]["minLength"] == 1
    assert "minLength" not in schema["properties"]["why"]


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_prompt_with_a_secret_field_has_no_form(is_plain: bool) -> None:
    secret = check_prompt({"kind": "kv", "fields": [{"key": "name"}, {"key": "password", "secret": True}]})
    assert form_of(secret, is_plain=is_plain) is None


@pytest.mark.parametrize("prompt", [{"kind": "result", "markdown": "done"}, {"kind": "task_confirm", "tasks": []}])
def test_prompts_that_no_form_can_express_get_none(prompt: dict[str, Any]) -> None:
    assert form_of(check_prompt(prompt), is_plain=False) is None


def test_a_choice_has_titles_where_there_are_labels() -> None:
    assert form(ONE).schema == {
        "type": "object",
        "properties": {
            "selection": {
                "type": "string",
                "oneOf": [{"const": "a", "title": "Apple"}, {"const": "b", "title": "b"}],
            }
        },
        "required": ["selection"],
    }
    assert form(ONE, is_plain=True).schema["properties"]["selection"] == {
        "type": "string",
        "enum": ["a", "b"],
        "enumNames": ["Apple", "b"],
    }
    bare = form({"kind": "choice", "options": [{"value": "a"}], "default": "a"})
    assert bare.schema["properties"]["selection"] == {"type": "string", "enum": ["a"], "default": "a"}


def test_several_of_many_are_an_array_where_the_protocol_has_one() -> None:
    assert form(SOME).schema["properties"]["selection"] == {
        "type": "array",
        "items": {"anyOf": [{"const": "a", "title": "Apple"}, {"const": "b", "title": "b"}]},
        "minItems": 1,
        "maxItems": 1,
    }
    bare = form({"kind": "choice", "options": [{"value": "a"}], "multiple": True, "default": ["a"]})
    assert bare.schema["properties"]["selection"]["items"] == {"type": "string", "enum": ["a"]}
    assert form_of(SOME, is_plain=True) is None


SCOPES = list(enumerate(("once", "task", "rule")))


def test_an_approval_shows_everything_and_presets_no_decision() -> None:
    prompt = {
        "kind": "file_change_confirm",
        "title": "Write a.txt",
        "message": "Asked by somebody",
        "path": "a.txt",
        "command": "make",
        "cwd": "src",
        "diff": "-one\n+two",
        "defaultRemark": "fine",
        "offers": [
            {"scope": scope, **({"grant": {"tools": ["x"]}, "what": "x"} if at else {})} for at, scope in SCOPES
        ],
    }
    schema = form(prompt)
    assert schema.message == "Write a.txt\n\nAsked by somebody\n\nFile: a.txt\nCommand: make\nIn: src\n-one\n+two"
    decision = schema.schema["properties"]["decision"]
    assert [each["const"] for each in decision["oneOf"]] == ["once", "task", "deny"]
    assert "default" not in decision
    assert schema.schema["properties"]["remark"]["default"] == "fine"
    assert schema.schema["required"] == ["decision"]


def test_the_message_is_complete_and_shows_invisible_characters() -> None:
    assert form(ONE).message == "Apple: from the garden"
    assert form(KV).message == "Please fill in this form."
    titled = {"kind": "choice", "title": "A\u202eB", "message": "C", "options": [{"value": "a"}]}
    assert form({**titled, "images": [{"path": "a.png", "alt": "A"}]}).message == "A\\u{202e}B\n\nC\n\nPicture: A a.png"


@pytest.mark.parametrize(
    ("prompt", "content", "expected"),
    [
        (KV, {"name": "Ada", "why": None}, PromptResponse(status="ok", values={"name": "Ada"})),
        (ONE, {"selection": "b"}, PromptResponse(status="ok", selection="b")),
        (SOME, {"selection": ["b"]}, PromptResponse(status="ok", selection=("b",))),
        (APPROVAL, {"decision": "once"}, PromptResponse(status="ok", scope="once")),
        (APPROVAL, {"decision": "task", "remark": "yes"}, PromptResponse(status="ok", scope="task", remark="yes")),
        (APPROVAL, {"decision": "deny", "remark": "no"}, PromptResponse(status="canceled", remark="no")),
    ],
)
def test_an_accepted_form_becomes_a_valid_answer(
    prompt: Prompt, content: dict[str, Any], expected: PromptResponse
) -> None:
    answer = answer_of(prompt, "accept", content)
    assert answer is not None
    assert check_response(prompt, answer) == expected


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (KV, {}),
        (KV, {"name": 5}),
        (KV, {"name": "Ada", "more": "x"}),
        (ONE, {}),
        (ONE, {"selection": "c"}),
        (ONE, {"selection": ["a"]}),
        (SOME, {"selection": "a"}),
        (SOME, {"selection": ["a", "b"]}),
        (APPROVAL, {"decision": "once", "remark": 5}),
    ],
)
def test_invalid_content_is_refused_by_the_queues_rules(prompt: Prompt, content: dict[str, Any]) -> None:
    answer = answer_of(prompt, "accept", content)
    assert answer is not None
    with pytest.raises(InvalidParams):
        check_response(prompt, answer)


@pytest.mark.parametrize("decision", [None, "", "ok", True, ["once"], "rule", "app"])
def test_only_an_explicit_approval_counts_as_one(decision: object) -> None:
    assert answer_of(APPROVAL, "accept", {"decision": decision}) is None


@pytest.mark.parametrize("prompt", [KV, ONE, SOME, APPROVAL])
def test_declining_cancels_and_dismissing_is_not_an_answer(prompt: Prompt) -> None:
    assert answer_of(prompt, "decline", {}) == PromptResponse(status="canceled", remark=UNSET)
    assert answer_of(prompt, "cancel", {"decision": "once"}) is None


def test_a_prompt_that_can_not_be_canceled_stays_open_when_declined() -> None:
    prompt = check_prompt({"kind": "kv", "fields": [{"key": "a"}], "allowCancel": False})
    assert answer_of(prompt, "decline", {}) is None
    approval = check_prompt({"kind": "file_change_confirm", "allowCancel": False})
    assert answer_of(approval, "accept", {"decision": "deny"}) is None


def test_far_reaching_approvals_are_never_offered_to_a_client() -> None:
    """It needs proof that a person is present, and the client is the agent's own program."""
    consent = {"app": "com.example.mail", "appName": "Mail", "tool": "send_email"}
    prompt = check_prompt({"kind": "file_change_confirm", "consent": consent})
    form = form_of(prompt, is_plain=True)
    assert form is not None
    assert form.schema["properties"]["decision"]["enum"] == ["once", "deny"]
    for decision in ("rule", "app"):
        assert answer_of(prompt, "accept", {"decision": decision}) is None
