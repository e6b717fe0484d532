"""A typed function becomes a tool: its schemas, its docstring, and what is refused when the app starts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

import jsonschema_rs
import msgspec
import pytest

from handrail.aai import App
from handrail.features.apps.descriptors.descriptor import read
from tests.aai import trial_app


class Folder(msgspec.Struct):
    name: str
    inner: list["Folder"] = []


@dataclass
class Place:
    """Where something is."""

    room: str
    shelf: int | None = None


class Found(TypedDict, total=False):
    place: Place
    tags: list[str]


def app() -> App:
    return App("com.example.things", name="Things", description="Where things are.")


def described(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    example = app()
    example.tool(**options)(function)
    (tool,) = example.describe()["tools"]
    jsonschema_rs.Draft202012Validator(tool["parameters"])
    jsonschema_rs.Draft202012Validator(tool.get("returns", {}))
    return dict(tool)


def test_hints_and_docstring_become_schemas() -> None:
    def find(
        name: str, kind: Literal["tool", "book"] = "tool", places: list[Place] | None = None, *, most: int = 10
    ) -> Found:
        """Find things.

        The nearest
        come first.

        Args:
            name: What it is called,
                or a part of that.
            kind (str): Of which kind.

        Returns:
            Where it is.
        """
        raise NotImplementedError

    place = {
        "description": "Where something is.",
        "type": "object",
        "properties": {
            "room": {"type": "string"},
            "shelf": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "required": ["room"],
    }
    assert described(find, idempotent=True, examples=[{"name": "saw"}]) == {
        "name": "find",
        "description": "Find things.\n\nThe nearest come first.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "What it is called, or a part of that."},
                "kind": {"enum": ["book", "tool"], "default": "tool", "description": "Of which kind."},
                "places": {"anyOf": [{"type": "array", "items": place}, {"type": "null"}], "default": None},
                "most": {"type": "integer", "default": 10},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        "returns": {
            "description": "Where it is.",
            "type": "object",
            "properties": {"place": place, "tags": {"type": "array", "items": {"type": "string"}}},
            "required": [],
        },
        "idempotent": True,
        "examples": [{"params": {"name": "saw"}}],
    }


def test_sphinxs_way_to_describe_parameters_is_known_too() -> None:
    def move(name: str, to: str) -> None:
        """Move it.

        :param name: What.
        :param str to: Where
            it shall be.
        :returns: Nothing.
        """

    tool = described(move)
    descriptions = {name: schema["description"] for name, schema in tool["parameters"]["properties"].items()}
    assert descriptions == {"name": "What.", "to": "Where it shall be."}
    assert tool["description"] == "Move it."
    assert tool["returns"] == {"type": "object", "additionalProperties": False, "description": "Nothing."}


def test_a_recursive_type_keeps_its_definition_and_other_types_are_inlined() -> None:
    def sort(folder: Folder, *, depth: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1) -> Folder:
        """Sort it."""
        return folder

    tool = described(sort)
    assert tool["parameters"]["properties"]["folder"] == {"$ref": "#/$defs/Folder"}
    assert tool["parameters"]["properties"]["depth"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    nested = {"folder": {"name": "a", "inner": [{"name": "b", "inner": [{"name": 7}]}]}}
    assert not jsonschema_rs.is_valid(tool["parameters"], nested)
    assert jsonschema_rs.is_valid(tool["returns"], {"name": "a", "inner": [{"name": "b"}]})
    assert not jsonschema_rs.is_valid(tool["returns"], {"name": "a", "inner": [{}]})


async def test_parameters_arrive_as_the_types_of_the_hints() -> None:
    example, calls = app(), []

    @example.tool
    def meet(at: datetime, place: Place, ratio: float, note: dict[int, str]) -> None:
        """Meet."""
        calls.append((at, place, ratio, note))

    params = {"at": "2030-01-02T03:04:05Z", "place": {"room": "B"}, "ratio": 1, "note": {"1": "x"}}
    request = {"version": "1.0", "tool": "meet", "params": params, "request_id": "1"}
    assert '"success"' in await example.answer(msgspec.json.encode(request))
    ((at, place, ratio, note),) = calls
    assert (at.year, place, ratio, note) == (2030, Place("B"), 1.0, {1: "x"})


def test_a_nested_field_is_named_by_its_path() -> None:
    example = app()

    @example.tool
    def put(places: list[Place]) -> None:
        """Put."""

    tool = example._tools["put"]
    for params, message in (
        ({"places": [{"room": "a"}, {"room": 7}]}, "places[1].room: Expected `str`, got `int`."),
        ({"places": [{}]}, "places[...].room: this field is required."),
    ):
        with pytest.raises(App.Error) as raised:
            tool.read(params)
        assert raised.value.code == "INVALID_PARAMS"
        assert raised.value.message.replace("[0]", "[...]") == message


def bare(name) -> None:  # type: ignore[no-untyped-def]
    """Do."""


def many(*names: str) -> None:
    """Do."""


def mute(name: str) -> None: ...


def alien(name: App) -> None:
    """Do."""


def closed(name: Annotated[str, msgspec.Meta(pattern=r"\A[a-z]+\Z")]) -> None:
    """Do."""


def BadName() -> None:  # noqa: N802
    """Do."""


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (bare, "the parameter name has no type hint"),
        (many, "can't be named in JSON"),
        (mute, "needs a docstring"),
        (alien, "has no JSON Schema"),
        (closed, "is Python's own"),
        (BadName, "'BadName' isn't a valid name for a tool"),
    ],
)
def test_invalid_tools_are_refused_when_the_app_starts(function: Callable[..., Any], word: str) -> None:
    with pytest.raises(TypeError, match=word):
        app().tool(function)


def test_an_example_that_does_not_fit_is_refused_when_the_app_starts() -> None:
    def find(name: str) -> None:
        """Find."""

    with pytest.raises(TypeError, match="example 2 does not fit: nam: there is no such field"):
        app().tool(examples=[{"name": "a"}, {"nam": "b"}])(find)


def test_two_tools_with_one_name_are_refused() -> None:
    example = app()
    example.tool(trial_app.greet)
    with pytest.raises(TypeError, match="two tools with the name greet"):
        example.tool(trial_app.greet)


@pytest.mark.parametrize("id", ["notes", "com.Example", "com..x", "../x", "com.example\n", "com.ex-ample", ""])
def test_an_id_off_the_contracts_pattern_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match="isn't an app id"):
        App(id, name="x", description="y")


def test_a_descriptor_of_the_sdk_passes_the_gateways_checks() -> None:
    read_back = read(msgspec.json.encode(trial_app.app.describe()), "aai.json", platform="linux")
    assert (read_back.id, read_back.version) == ("com.example.trial", "1.2.3")
    assert [tool.name for tool in read_back.tools][:2] == ["greet", "wait_for_ever"]
    assert read_back.tools[0].is_idempotent
    assert read_back.tools[0].examples[0].params == {"name": "Ada"}
    stdio = read(msgspec.json.encode(trial_app.app.describe(stdio=["python3", "x.py"])), "aai.json")
    assert stdio.execution == type(stdio.execution)(command="python3", args=("x.py",))  # type: ignore[call-arg]
