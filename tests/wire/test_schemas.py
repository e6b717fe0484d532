"""The published schemas, compared with contract 3's schemas and error object."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from handrail import wiring as app
from handrail.faces.mcp.listing import tool_listing
from handrail.kernel.dialect import DIALECT
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from tests.wire.clients import CODES, Client, Json, Refused, Stdio, Streamable, run
from tests.wire.stage import START, Stage, put

# Optional fields that the rulings add to a contract's request or response.
ADDED = {
    "preview_scene.request": {"line", "lines", "content", "variables", "choices"},
    "write_to_file.response": {"partial", "contentHash"},
    "replace_in_file.response": {"partial", "contentHash", "diff"},
}
# SHA-256 of each schema of contract 3 as canonical JSON: keys sorted, no blanks, text as it is.
PUBLISHED = {
    "list_files.request": "3f349ee27ddcf96258c563acb3c6130b7d481316bd5f16b62bf1fbb730785598",
    "list_files.response": "e30f1c8afd2f2569da9ab4df878cab26e3f9d90361a9907f5549f26332704da5",
    "read_file.request": "845304575524ee0a779ed64fe4fe052579f19d16bb8cb38af450faa253708e25",
    "read_file.response": "a7f8d5debbbe8a954b5aa4551374cdb4e3009c3b4e157f4f37d999a06f4cdee4",
    "write_to_file.request": "4eecd5b61c7e0f9d757b56b2eba436eec0c120043306fc98c5dbeca2edc9f0d1",
    "write_to_file.response": "2294152a4a9bbe47be9f91e87725acb84ccb1ea83aff31b97a522ce3790404a9",
    "replace_in_file.request": "d0988d5c15a9364104afd2e03652e2b4de708a05760003bcc759c16f93674da0",
    "replace_in_file.response": "ddc1b5aa8a42a248a48e515e865c890a6958e1b151b4939e31f03303f0cbc8e4",
    "search_files.request": "db01e97cbaa0ac789df1cabe33a1c416df181e849de55e9ba3f6c40a9bd29c8f",
    "search_files.response": "b92bec9519c16f70486a6a633891884a77bfa278e5dce3260b856763aecd0122",
    "list_snapshots.request": "8fe113ec129b6e6f61c6e326c9a5f89031948917768832ea5d010708c332c914",
    "list_snapshots.response": "cc067e7d82c772d29e0dde60249e3dff1c4c73e687841211d6858d401812d80e",
    "restore_snapshot.request": "122d208f408502a76a41dfdc43d1df98c56b56e8be5746ecd0621494f3b4d7d3",
    "restore_snapshot.response": "e0cb78126fc3cceb47db05f877f8209cedb97ae5daaeec7cc70c5e195cbaaabd",
    "get_runtime_info.request": "47d96f6cfcb5dd09e8381bcea9fde3cc790c7c8acb61136003096cefef6ac5a3",
    "get_runtime_info.response": "e73b3365f4aa015cae80c87fa6e95eb0c225d462a2489155e02002dc179d4fae",
    "list_project_resources.response": "e6b155c5483b5bcccf6a735645ab9870f6b0ecf173322757e65874cd9b2519a4",
    "validate_script.request": "97f7884101c3051fe322460798a5fb5956792742c087dfd2f9e0c3b8f6e9b196",
    "validate_script.response": "74ec5decc11792a4bd43fd3c5ec7cb53607ad3b872e2b5f28d3bff17fa878a58",
    "generate_character_profile.request": "5496e043840d1207bc7a0aafd6113c7df806888cc0f22b32119df7d3864aa3bb",
    "generate_character_profile.response": "41785303c31b46369cab430aabe6a120c2bf8b9e31b9ab3575f1707889976740",
    "preview_scene.request": "de117900f2bbd73a2457a307316eef42f946f1468793e787dd45b940a71bbb0b",
    "preview_scene.response": "af75f9192fbfd6ab68d2861e1477f72da2f28dbe74be8a19a857c5742ada5d34",
    "browser_action.request": "88b6e70c7fd5585bde081bb3a0dffef0bf3b6bb42d2c402dc33780b9362cf0ac",
    "execute_command.request": "4ed721bd26c810d3e79bc0d36199937453704f7ab003cb8c2faffe4340034195",
    "execute_command.response": "0dac75456cc016a66a61b71bca88a34299da96408bbb71f0d9773d9a17d5c492",
}
LEFT_OUT = {"$id", "$schema", "oneOf", "allOf", "anyOf"}
GOOD: dict[str, Json] = {
    "list_files": {"path": "."},
    "read_file": {"path": START},
    "write_to_file": {"path": START, "content": "x", "dryRun": True},
    "replace_in_file": {"path": START, "find": "beach", "replace": "city"},
    "search_files": {"path": ".", "regex": "x"},
    "list_snapshots": {},
    "restore_snapshot": {"snapshotId": "snap_20251101T093210_00000001"},
    "get_runtime_info": {},
    "list_project_resources": {},
    "validate_script": {"path": START},
}


@pytest.fixture(scope="module")
def catalogue() -> dict[str, Json]:
    result = run("tools", "--json")
    assert result.returncode == 0, result.stderr
    return {tool["name"]: tool for tool in json.loads(result.stdout)["tools"]}


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_schema_is_published_as_the_contract_has_it(catalogue: dict[str, Json], name: str) -> None:
    tool, _, side = name.partition(".")
    schema = catalogue[tool]["inputSchema" if side == "request" else "outputSchema"]
    if added := ADDED.get(name):
        assert not added & set(schema.get("required", ()))
        schema = {**schema, "properties": {key: of for key, of in schema["properties"].items() if key not in added}}
    canonical = json.dumps(schema, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode()).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("face", ["stdio", "streamable"])
def test_mcp_lists_properties_and_required_verbatim_without_id_and_schema(
    stage: Stage, catalogue: dict[str, Json], face: str
) -> None:
    client = stage.client(face)
    assert isinstance(client, Stdio | Streamable)
    short = {tool["name"]: tool for tool in client.request("tools/list", {})["tools"]}
    assert not [tool for tool in short.values() if "outputSchema" in tool]  # only on request
    asking = {"_meta": {"handrail/outputSchemas": True}}
    tools = {tool["name"]: tool for tool in client.request("tools/list", asking)["tools"]}
    assert set(tools) == {
        entry.tool.name for entry in app.Wiring().describe().listed if not entry.tool.is_for_developers
    }
    for name, tool in tools.items():
        for side in ("inputSchema", "outputSchema"):
            if catalogue[name][side] is None:
                assert side not in tool
                continue
            expected = {key: value for key, value in catalogue[name][side].items() if key not in LEFT_OUT}
            assert tool[side] == expected
            assert tool[side]["type"] == "object"
            assert not LEFT_OUT & set(tool[side])


def test_a_roots_compositions_are_left_out_for_mcp_and_enforced_all_the_same() -> None:
    import msgspec

    from handrail.kernel.tool import Surface
    from handrail.ports.errors import InvalidParams

    class Params(msgspec.Struct):
        a: int | None = None
        b: int | None = None

    async def nothing(port: None, call: Any, params: Params, preview: Preview | None) -> None:
        """Does nothing."""

    either = [{"required": ["a"]}, {"required": ["b"]}]
    schema: Json = {"$id": "x", "type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    for composition in ("oneOf", "anyOf", "allOf"):
        tool = Tool(name="x", title="X", params=Params, input_schema={**schema, composition: either}, run=nothing)
        assert set(tool_listing(tool)["inputSchema"]) == {"type", "properties"}
        with pytest.raises(InvalidParams):
            RegisteredTool(tool, Surface("s", DIALECT, None, [tool]), is_enabled=True).read_params({})


def test_no_schema_has_a_part_that_clients_reject(stdio: Stdio) -> None:
    """The Inspector's `--strict` reports a bare `false` as a schema, and several types at once."""

    def check(schema: Any, where: str) -> None:
        assert not isinstance(schema, bool), where
        assert not isinstance(schema.get("type"), list), where
        for name in ("items", "not", *(["additionalProperties"] if schema.get("additionalProperties") else [])):
            if name in schema and schema[name] is not True:
                check(schema[name], f"{where}.{name}")
        for name in ("properties", "patternProperties"):
            for member, its in schema.get(name, {}).items():
                check(its, f"{where}.{member}")
        for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for index, each in enumerate(schema.get(name, [])):
                check(each, f"{where}.{name}[{index}]")

    for tool in stdio.request("tools/list", {})["tools"]:
        check(tool["inputSchema"], tool["name"])


def test_every_tool_has_a_title_a_description_and_hints_from_its_effect(stdio: Stdio) -> None:
    effects = {entry.tool.name: entry.tool.strongest_effect for entry in app.Wiring().describe()}
    assert effects["write_to_file"] is Effect.WRITE
    assert effects["browser_click"] is Effect.UI_CONTROL
    for tool in stdio.request("tools/list", {})["tools"]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
        assert tool["title"]
        assert len(tool["description"]) > 40
        effect = effects[tool["name"]]
        assert tool["annotations"]["readOnlyHint"] is (effect in (Effect.READ, Effect.ASK))
        assert tool["annotations"]["destructiveHint"] is (effect in (Effect.WRITE, Effect.UI_CONTROL, Effect.EXECUTE))
        assert tool["annotations"]["openWorldHint"] is (effect in (Effect.UI_CONTROL, Effect.EXECUTE))


@pytest.mark.parametrize("tool", GOOD)
def test_every_result_keeps_to_its_response_schema(client: Client, project: Path, tool: str) -> None:
    """The client checks every answer; this sends each tool's ordinary answer through it."""
    put(project, ".webgal_agent/snapshots/snap_20251101T093210_00000001.txt", "old\n")
    meta = {"id": "snap_20251101T093210_00000001", "path": START, "timestamp": 1, "contentHash": "00000000"}
    put(project, ".webgal_agent/snapshots/snap_20251101T093210_00000001.meta.json", json.dumps(meta))
    assert client.ok(tool, **GOOD[tool])


@pytest.mark.parametrize("tool", GOOD)
def test_an_unknown_field_is_a_bad_argument(client: Client, project: Path, tool: str) -> None:
    error = client.error(tool, **GOOD[tool], surprise=1)
    assert error["code"] == "E_BAD_ARGS"
    assert "surprise" in error["message"]


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("list_files", {"path": 1}),
        ("list_files", {"path": ".", "globs": "*.txt"}),
        ("list_files", {"path": ".", "globs": [1]}),
        ("list_files", {"path": ".", "dirsOnly": "yes"}),
        ("list_files", {"path": None}),
        ("read_file", {"path": ["notes.md"]}),
        ("read_file", {"path": "notes.md", "maxBytes": "6"}),
        ("read_file", {"path": "notes.md", "maxBytes": 1.5}),
        ("read_file", {"path": "notes.md", "maxBytes": 0}),
        ("read_file", {"path": "notes.md", "maxBytes": True}),
        ("write_to_file", {"path": "notes.md", "content": 1, "dryRun": True}),
        ("write_to_file", {"path": "notes.md", "content": "x", "dryRun": 1}),
        ("write_to_file", {"path": "notes.md", "content": "x", "dryRun": None}),
        ("write_to_file", {"path": "notes.md", "content": "x", "dryRun": True, "mode": "replace"}),
        ("write_to_file", {"path": "notes.md", "content": "x", "dryRun": True, "idempotencyKey": 1}),
        ("replace_in_file", {"path": "notes.md", "find": 1, "replace": "x"}),
        ("replace_in_file", {"path": "notes.md", "find": "x", "replace": None}),
        ("replace_in_file", {"path": "notes.md", "find": "x", "replace": "x", "flags": 1}),
        ("search_files", {"path": ".", "regex": 1}),
        ("search_files", {"path": ".", "regex": "x", "filePattern": 1}),
        ("search_files", {"path": ".", "regex": "x", "maxMatches": 0}),
        ("search_files", {"path": ".", "regex": "x", "maxMatches": "1"}),
        ("validate_script", {"content": 1}),
        ("generate_character_profile", {"name": "", "imageFile": "a.png"}),
        ("generate_character_profile", {"name": "a", "imageFile": "a.png", "defaultExpression": 1}),
    ],
)
def test_a_value_of_the_wrong_type_or_range_is_a_bad_argument(client: Client, tool: str, params: Json) -> None:
    assert client.call(tool, params).code == "E_BAD_ARGS"


@pytest.mark.parametrize("tool", GOOD)
def test_a_missing_field_is_a_bad_argument_that_names_it(client: Client, catalogue: dict[str, Json], tool: str) -> None:
    for field in catalogue[tool]["inputSchema"].get("required", []):
        error = client.error(tool, **{name: value for name, value in GOOD[tool].items() if name != field})
        assert error["code"] == "E_BAD_ARGS"
        assert field in error["message"]


@pytest.mark.parametrize("params", [b"[]", b'"path"', b"null", b"1"])
def test_parameters_that_are_not_an_object_are_refused(client: Client, params: bytes) -> None:
    try:
        outcome = client.raw_call("read_file", params)
    except Refused:
        return
    assert outcome.code == "E_BAD_ARGS"


@pytest.mark.parametrize(
    "params",
    [
        pytest.param(b'{"path":"notes.md","path":"game/config.txt"}', id="a key twice"),
        pytest.param(b'{"path":"notes.md","maxBytes":9007199254740993}', id="an integer beyond 2^53"),
        pytest.param(b'{"path":"notes.md","maxBytes":NaN}', id="NaN"),
        pytest.param(b'{"path":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="100,000 deep"),
        pytest.param(b'{"path":"notes.md"', id="cut off"),
        pytest.param(b'{"path":"\xff"}', id="not UTF-8"),
        pytest.param(b"{'path':'notes.md'}", id="not JSON"),
    ],
)
def test_json_that_two_readers_might_read_differently_is_refused_and_the_server_lives_on(
    client: Client, params: bytes
) -> None:
    try:
        outcome = client.raw_call("read_file", params)
    except Refused:
        pass
    else:
        assert outcome.code == "E_BAD_ARGS"
    assert client.ok("read_file", path="notes.md")["content"] == "# Notes\n"


@pytest.mark.also_cli
@pytest.mark.parametrize("tool", ["no_such_tool", "undo_write", "List_Files", ""])
def test_tools_that_are_not_for_agents_cannot_be_called(client: Client, stdio: Stdio, project: Path, tool: str) -> None:
    put(project, "before.txt", "before\n")
    stdio.write("before.txt", "after\n")
    with pytest.raises(Refused):
        client.raw_call(tool, b"{}")
    assert (project / "before.txt").read_text() == "after\n"


@pytest.mark.also_cli
def test_an_error_has_code_message_details_hint_and_a_retry_flag(client: Client) -> None:
    error = client.error("replace_in_file", path="nothing.txt", find="a", replace="b")
    assert set(error) == {"code", "message", "details", "hint", "recoverable"}
    assert error["code"] == "E_NOT_FOUND"
    assert "nothing.txt" in error["message"]
    assert error["details"] == {"path": "nothing.txt"}
    assert error["recoverable"] is True


@pytest.mark.parametrize("face", ["stdio", "streamable"])
def test_over_mcp_errors_are_text_and_results_are_text_and_structure(stage: Stage, project: Path, face: str) -> None:
    client = stage.client(face)
    assert isinstance(client, Stdio | Streamable)
    failed = client.request("tools/call", {"name": "read_file", "arguments": {"path": "nothing.txt"}})
    assert failed["isError"] is True
    assert "structuredContent" not in failed
    assert [part["type"] for part in failed["content"]] == ["text"]
    assert json.loads(failed["content"][0]["text"])["error"]["code"] == "E_NOT_FOUND"
    result = client.request("tools/call", {"name": "read_file", "arguments": {"path": "notes.md"}})
    assert result["isError"] is False
    assert result["structuredContent"] == json.loads(result["content"][0]["text"])


def test_the_error_codes_are_the_contracts(catalogue: dict[str, Json]) -> None:
    from handrail.kernel import dialect as webgal

    assert set(webgal.CODES.values()) <= set(CODES)
    assert len(CODES) == len(set(CODES)) == 15
