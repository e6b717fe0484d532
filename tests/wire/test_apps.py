"""Contract 4 through every face: finding, describing and calling apps, and every way to fail."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.session_bus import SessionBus
from tests.wire.apps_rig import DBUS, STDIO, WEB, AppsRig, outcome_of
from tests.wire.clients import FACES, Refused
from tests.wire.stage import put_policy


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppsRig]:
    with SessionBus() as bus:
        rig = AppsRig(tmp_path_factory.mktemp("apps"), bus)
        yield rig
        rig.close()


@pytest.fixture
def rig(running: AppsRig) -> AppsRig:
    (running.project / ".handrail/policy.json").unlink(missing_ok=True)
    return running


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def evidence(rig: AppsRig) -> set[Path]:
    return set((rig.project / ".handrail/artifacts/apps").glob("*/*/exchange.json"))


def test_apps_are_listed_without_the_broken_one(rig: AppsRig, face: str) -> None:
    listing = rig.call(face, "apps_list").result
    assert listing is not None
    assert [app["id"] for app in listing["apps"]] == [DBUS, STDIO, WEB]
    assert listing["total"] == 3


def test_an_app_whose_mistake_shows_only_in_its_schemas_is_not_listed(rig: AppsRig) -> None:
    broken = {"name": "send", "description": "Sends.", "parameters": {"type": "object", "properties": 7}}
    app = {"id": "com.example.aaa", "name": "A", "description": "Comes first."}
    rig.install(app["id"], {"schema_version": "1.0", "app": app, "execution": {"type": "ipc"}, "tools": [broken]})
    listing = rig.call("stdio", "apps_list", limit=2).result
    assert listing is not None
    assert [one["id"] for one in listing["apps"]] == [DBUS, STDIO]
    assert listing["total"] == 3


def test_a_list_is_searched_and_returned_in_pages(rig: AppsRig) -> None:
    result = rig.call("stdio", "apps_list", query="odd FLAKY", limit=2).result
    assert result is not None
    assert [(app["id"], app["matching"]) for app in result["apps"]] == [(DBUS, ["flaky"]), (STDIO, ["flaky"])]
    assert (result["total"], result["nextOffset"]) == (3, 2)
    rest = rig.call("stdio", "apps_list", query="odd flaky", limit=2, offset=2).result
    assert rest is not None
    assert [app["id"] for app in rest["apps"]] == [WEB]
    assert "nextOffset" not in rest


def test_a_list_costs_a_model_one_line_an_app(rig: AppsRig) -> None:
    result = rig.mcp.request("tools/call", {"name": "apps_list", "arguments": {}})
    head, fence, first = result["content"][0]["text"].split("\n")[:3]
    assert head == "3 of 3 apps."
    assert fence.startswith("Untrusted text of apps until ")
    assert first == f"{DBUS} (Odd): Does wrong on request. [20 tools]"


def test_an_app_and_one_of_its_tools_are_described(rig: AppsRig, face: str) -> None:
    app = rig.call(face, "apps_describe", app=DBUS).result
    assert app is not None
    assert (app["name"], app["execution"], len(app["tools"])) == ("Odd", "dbus", 20)
    assert "parameters" not in app["tools"][0]
    tool = rig.call(face, "apps_describe", app=DBUS, tool="echo").result
    assert tool is not None
    assert tool["tools"][0]["parameters"]["type"] == "object"
    assert tool["tools"][0]["returns"]["required"] == ["said"]


@pytest.mark.parametrize("app", [STDIO, DBUS])
def test_the_result_of_a_call_is_the_app_s_result(rig: AppsRig, face: str, app: str) -> None:
    assert rig.run(face, "echo", app, text="漢字").result == {"said": {"text": "漢字"}}


def test_the_command_line_calls_apps_as_well_and_leaves_no_process(rig: AppsRig) -> None:
    said = rig.run("cli", "process").result
    assert said is not None
    assert not Path(f"/proc/{said['said']['pid']}").exists()


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        ("own_error", "NO_SUCH_NOTE"),
        ("malformed", "INTERNAL_ERROR"),
        ("wrong_id", "INTERNAL_ERROR"),
        ("wrong_status", "INTERNAL_ERROR"),
        ("off_schema", "INTERNAL_ERROR"),
        ("twice", "INTERNAL_ERROR"),
        ("crash", "SERVICE_UNAVAILABLE"),
        ("no_such_tool", "UNKNOWN_TOOL"),
    ],
)
def test_every_failure_has_the_contract_s_code(rig: AppsRig, face: str, tool: str, code: str) -> None:
    assert rig.run(face, tool).code == code


def test_an_app_that_never_answers_is_a_timeout(rig: AppsRig) -> None:
    slow = json.loads((rig.home / ".aai" / STDIO / "aai.json").read_text())
    slow["app"]["id"], slow["execution"]["timeout"] = "com.example.slow", 0.2
    rig.install("com.example.slow", slow)
    try:
        assert rig.run("stdio", "hang", "com.example.slow").code == "TIMEOUT"
    finally:
        (rig.home / ".aai/com.example.slow/aai.json").unlink()
    assert rig.run("stdio", "hang", "com.example.slow").code == "UNKNOWN_APP"


@pytest.mark.parametrize("app", ["com.example.unknown", "../../etc/passwd", ""])
def test_an_app_that_is_not_there_is_unknown(rig: AppsRig, face: str, app: str) -> None:
    assert rig.run(face, "echo", app).code == "UNKNOWN_APP"


def test_a_broken_descriptor_says_file_field_and_reason(rig: AppsRig, face: str) -> None:
    error = rig.run(face, "echo", "com.example.broken").error
    assert error is not None
    assert error["code"] == "UNKNOWN_APP"
    (first, *_) = error["details"]["problems"]
    assert first["file"].endswith("/.aai/com.example.broken/aai.json")
    assert (first["field"], first["reason"]) == ("app", "is missing")


def test_parameters_that_break_the_schema_are_never_sent(rig: AppsRig, face: str) -> None:
    before = evidence(rig)
    error = rig.run(face, "echo", text=7, other=1).error
    assert error is not None
    assert error["code"] == "INVALID_PARAMS"
    assert {wrong["field"] for wrong in error["details"]["fieldErrors"]} == {"text", "other"}
    assert evidence(rig) == before


def test_a_parameter_beside_params_is_refused(rig: AppsRig) -> None:
    assert rig.call("stdio", "apps_call", app=STDIO, tool="echo", text="lost").code == "INVALID_PARAMS"


def test_invalid_json_is_an_invalid_request(rig: AppsRig) -> None:
    line = b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"apps_call","arguments":{"app": }}}'
    rig.mcp.send_line(line)
    assert outcome_of(rig.mcp.receive()["result"]).code == "INVALID_REQUEST"


def test_a_denial_is_permission_denied(rig: AppsRig, face: str) -> None:
    put_policy(rig.project, rules=[{"tool": "apps_call", "app": STDIO, "decision": "deny"}])
    assert rig.run(face, "echo").code == "PERMISSION_DENIED"
    assert rig.run(face, "echo", DBUS).result == {"said": {}}


def test_a_rule_about_a_host_applies_to_an_app_on_it(rig: AppsRig) -> None:
    put_policy(rig.project, rules=[{"effect": "EXECUTE", "host": "*.example.com", "decision": "deny"}])
    assert rig.run("stdio", "echo", WEB).code == "PERMISSION_DENIED"


def test_without_a_sign_in_auth_is_required(rig: AppsRig, face: str) -> None:
    error = rig.run(face, "echo", WEB).error
    assert error is not None
    assert error["code"] == "AUTH_REQUIRED"
    assert WEB in error["hint"]


def test_request_and_reply_are_kept_as_evidence_without_secrets(rig: AppsRig) -> None:
    private = json.loads((rig.home / ".aai" / STDIO / "aai.json").read_text())
    private["app"]["id"] = "com.example.private"
    echo = next(tool for tool in private["tools"] if tool["name"] == "echo")
    echo["parameters"]["properties"]["text"]["writeOnly"] = True
    echo["returns"] = {"properties": {"said": {"properties": {"text": {"format": "password"}}}}}
    rig.install("com.example.private", private)
    before = evidence(rig)
    assert rig.run("stdio", "echo", "com.example.private", text="hunter2").result == {"said": {"text": "hunter2"}}
    (kept,) = evidence(rig) - before
    data = json.loads(kept.read_text())
    assert data["request"]["params"] == data["reply"]["result"]["said"] == {"text": "******"}
    assert data["request"]["request_id"] == data["reply"]["request_id"]
    folder = "".join(file.read_text() for file in kept.parent.iterdir())
    records = "".join(file.read_text() for file in rig.state.rglob("*.jsonl"))
    assert "hunter2" not in folder + records


def test_an_app_is_a_resource(rig: AppsRig) -> None:
    resources = rig.mcp.request("resources/list", {})["resources"]
    assert {"uri": f"app:{DBUS}", "name": DBUS, "title": "Odd"}.items() <= resources[0].items()
    templates = rig.mcp.request("resources/templates/list", {})["resourceTemplates"]
    assert "app:{id}" in [template["uriTemplate"] for template in templates]
    (content,) = rig.mcp.request("resources/read", {"uri": f"app:{DBUS}"})["contents"]
    assert json.loads(content["text"])["tools"][0]["name"] == "echo"
    for uri in ("app:com.example.unknown", "file:///etc/passwd", "app:../x"):
        with pytest.raises(Refused):
            rig.mcp.request("resources/read", {"uri": uri})


def test_each_tool_of_an_app_is_a_tool_of_its_own_if_the_setting_is_on(rig: AppsRig) -> None:
    assert not [tool for tool in tools(rig.mcp) if "-" in tool]
    client = rig.start_client(HANDRAIL_APP_TOOLS="true")
    try:
        tool_names = tools(client)
        name = f"{STDIO.replace('.', '-')}-echo"
        assert tool_names[name]["inputSchema"]["properties"]["text"] == {"type": "string"}
        assert outcome_of(client.request("tools/call", {"name": name, "arguments": {"text": "hi"}})).result == {
            "said": {"text": "hi"}
        }
        wrong = client.request("tools/call", {"name": name, "arguments": {"text": 1}})
        assert outcome_of(wrong).code == "INVALID_PARAMS"
    finally:
        client.close()


def tools(client: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in client.request("tools/list", {})["tools"]}
