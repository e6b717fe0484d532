"""Reading descriptors of all generations, and reporting their problems by field and reason."""

import json
from typing import Any

import pytest

from handrail.features.apps.descriptors.descriptor import read, read_listing
from handrail.features.apps.model import (
    ApiKey,
    App,
    AppleEventsExecution,
    BrokenDescriptor,
    DBusExecution,
    HttpExecution,
    HttpRoute,
    OAuth2,
    StdioExecution,
)

TOOL: dict[str, Any] = {"name": "send", "description": "Sends.", "parameters": {"type": "object"}}
FIRST: dict[str, Any] = {
    "schema_version": "1.0",
    "app": {"id": "com.example.mail", "name": "Mail", "description": "Mail for all.", "version": "3"},
    "execution": {"type": "ipc"},
    "tools": [TOOL],
}
SECOND: dict[str, Any] = {
    "schemaVersion": "1.0",
    "version": "3",
    "platform": "linux",
    "app": {
        "id": "com.example.mail",
        "name": {"zh-CN": "邮件", "en": "Mail"},
        "defaultLang": "en",
        "description": "Mail for all.",
        "version": "3",
    },
    "execution": {"type": "dbus"},
    "tools": [TOOL],
}


def read_one(descriptor: Any, platform: str = "linux") -> App:
    return read(json.dumps(descriptor).encode(), "aai.json", platform=platform)


def problems(descriptor: Any) -> dict[str, str]:
    with pytest.raises(BrokenDescriptor) as raised:
        read_one(descriptor)
    return {problem["field"]: problem["reason"] for problem in raised.value.details["problems"]}


def test_the_first_generation_is_read() -> None:
    app = read_one(FIRST)
    assert (app.id, app.name, app.description, app.version) == ("com.example.mail", "Mail", "Mail for all.", "3")
    assert app.execution == DBusExecution(service="com.example.mail")
    assert app.execution.object_path == "/com/aai/Executor"


def test_the_second_generation_gives_the_same_app() -> None:
    assert read_one(SECOND) == read_one(FIRST)


def test_generations_may_be_mixed_in_one_file() -> None:
    mixed = {
        **FIRST,
        "execution": {"type": "http", "baseUrl": "https://api.example.com", "default_headers": {"A-Bc": "d"}},
        "tools": [
            {**TOOL, "execution": {"path": "/${a}", "method": "get", "bodyTemplate": {"camelCase": "${a}"}}},
            {
                "name": "get",
                "description": "Gets.",
                "inputSchema": {"type": "object"},
                "annotations": {"idempotentHint": True},
            },
        ],
    }
    app = read_one(mixed)
    assert app.execution == HttpExecution(base_url="https://api.example.com", default_headers={"A-Bc": "d"})
    assert app.tools[0].route == HttpRoute(path="/${a}", method="GET", body_template={"camelCase": "${a}"})
    assert app.tools[1].is_idempotent


def test_ipc_means_apple_events_on_macos() -> None:
    assert read_one(FIRST, "darwin").execution == AppleEventsExecution(bundle_id="com.example.mail")


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        (
            {"type": "dbus", "service": "org.a.B", "objectPath": "/x/y", "interface": "org.a.C", "bus": "system"},
            DBusExecution(service="org.a.B", object_path="/x/y", interface="org.a.C", bus="system"),
        ),
        (
            {"type": "dbus", "dbus": {"service": "org.a.B"}},
            DBusExecution(service="org.a.B"),
        ),
        (
            {"type": "stdio", "command": "python3", "args": ["-m", "x"], "env": {"camelCase": "1"}},
            StdioExecution(command="python3", args=("-m", "x"), env={"camelCase": "1"}),
        ),
        (
            {"type": "apple-events", "bundleId": "com.apple.mail", "eventClass": "aai ", "eventId": "exec"},
            AppleEventsExecution(bundle_id="com.apple.mail"),
        ),
        ({"type": "http", "base_url": "http://127.0.0.1:8080/x"}, HttpExecution(base_url="http://127.0.0.1:8080/x")),
    ],
)
def test_every_kind_of_execution_is_read(execution: dict[str, Any], expected: object) -> None:
    assert read_one({**FIRST, "execution": execution}).execution == expected


def test_both_spellings_of_auth_are_read() -> None:
    key = {"type": "apiKey", "apiKey": {"location": "query", "name": "key", "obtainUrl": "https://x.example"}}
    assert read_one({**FIRST, "auth": key}).auth == ApiKey(
        placement="query", name="key", obtain_url="https://x.example"
    )
    oauth = {
        "type": "oauth2",
        "oauth2": {
            "flow": "authorization_code",
            "authorization_endpoint": "https://x.example/a",
            "tokenEndpoint": "https://x.example/t",
            "scopes": ["read"],
            "pkce": {"method": "S256"},
        },
    }
    expected = OAuth2(
        authorization_endpoint="https://x.example/a", token_endpoint="https://x.example/t", scopes=("read",)
    )
    assert read_one({**FIRST, "auth": oauth}).auth == expected
    assert read_one({**FIRST, "auth": {"type": "none"}}).auth is None


@pytest.mark.parametrize(("timeout", "expected"), [(30, 30_000), (45_000, 45_000), (0.5, 500)])
def test_a_timeout_is_in_seconds_or_in_milliseconds(timeout: float, expected: int) -> None:
    assert read_one({**FIRST, "execution": {"type": "ipc", "timeout": timeout}}).timeout_ms == expected


def with_app(**members: Any) -> dict[str, Any]:
    return {**FIRST, "app": {**FIRST["app"], **members}}


def with_tool(**members: Any) -> dict[str, Any]:
    return {**FIRST, "tools": [{**TOOL, **members}]}


def with_execution(**members: Any) -> dict[str, Any]:
    return {**FIRST, "execution": members}


def doubling(links: int) -> dict[str, Any]:
    """A chain of references that doubles in size with every link."""
    chain: dict[str, Any] = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(links)}
    return {"$ref": "#/$defs/a0", "$defs": {**chain, f"a{links}": {"type": "string"}}}


@pytest.mark.parametrize(
    ("descriptor", "field", "reason"),
    [
        ([], "", "a JSON object"),
        ({**FIRST, "schema_version": None}, "schema_version", "missing"),
        ({**FIRST, "schema_version": "9.0"}, "schema_version", "supported are"),
        ({**FIRST, "app": None}, "app", "missing"),
        (with_app(id="../../etc"), "app.id", "an app id"),
        (with_app(id="com.example.mail\n"), "app.id", "an app id"),
        (with_app(id="mail"), "app.id", "an app id"),
        (with_app(id="Com.Example"), "app.id", "an app id"),
        (with_app(id="a." + "b" * 300), "app.id", "an app id"),
        (with_app(id=7), "app.id", "Expected `str`"),
        (with_app(name=""), "app.name", "empty"),
        (with_execution(type="carrier-pigeon"), "execution.type", "known are"),
        (with_execution(), "execution", "lacks the field `type`"),
        (with_execution(type="dbus", service="../x"), "execution.service", "valid D-Bus service name"),
        (with_execution(type="dbus", objectPath="no/slash"), "execution.object_path", "D-Bus object path"),
        (with_execution(type="dbus", bus="city"), "execution.bus", "neither"),
        (with_execution(type="stdio"), "execution.command", "missing"),
        (with_execution(type="stdio", command="x", args=["a\0b"]), "execution.args", "NUL"),
        (with_execution(type="http"), "execution.base_url", "missing"),
        (with_execution(type="http", base_url="http://api.example.com"), "execution.base_url", "https"),
        (with_execution(type="http", base_url="https://u:p@x.example"), "execution.base_url", "user name"),
        (with_execution(type="http", base_url="file:///etc/passwd"), "execution.base_url", "must begin with"),
        (with_execution(type="http", base_url="https://x.example", default_headers={"A": "b\r\nC: d"}),
         "execution.default_headers.A", "isn't allowed in headers"),
        (with_execution(type="apple-events", eventClass="toolong"), "execution.event_class", "four"),
        (with_execution(type="ipc", max_concurrent=0), "execution.max_concurrent", "between"),
        (with_execution(type="ipc", timeout=-1), "execution.timeout", "more than 0"),
        ({**FIRST, "tools": []}, "tools", "1 to"),
        ({**FIRST, "tools": [TOOL, TOOL]}, "tools[1].name", "twice"),
        (with_tool(name="Send"), "tools[0].name", "valid tool name"),
        (with_tool(name="send-mail"), "tools[0].name", "valid tool name"),
        (with_tool(description=" "), "tools[0].description", "empty"),
        (with_tool(parameters={"type": "array"}), "tools[0].parameters.type", "must be object"),
        (with_tool(parameters={"properties": {"a": {"type": "x"}}}), "tools[0].parameters.properties.a.type", "anyOf"),
        (with_tool(returns={"minimum": "1"}), "tools[0].returns.minimum", "number"),
        (with_tool(parameters={"$ref": "http://127.0.0.1:9/x.json"}), "tools[0].parameters", "never fetched"),
        (with_tool(returns=doubling(40)), "tools[0].returns", "expands to more than"),
        (with_tool(parameters={"properties": {f"p{i}": {"pattern": "(?:[a-z]{60}){60}"} for i in range(60)}}),
         "tools[0].parameters", "patterns"),
        (with_tool(returns={"patternProperties": {f"^a{i}": {} for i in range(1001)}}), "tools[0].returns", "patterns"),
        (with_tool(returns={"pattern": "a" * 2001}), "tools[0].returns", "more than 2000 characters"),
        (with_tool(returns={"pattern": "(?:(?:a{999}){999}){99}"}), "tools[0].returns", "repeat too much"),
        (with_tool(parameters={"$ref": "file:///etc/passwd"}), "tools[0].parameters", "never fetched"),
        (with_tool(execution={"path": "https://evil.example/x"}), "tools[0].execution.path", "not an address"),
        (with_tool(execution={"path": "/x", "method": "BREW"}), "tools[0].execution.method", "none of"),
        (with_tool(parameters={"properties": {"a": {}}}, execution={"path": "/${b}"}),
         "tools[0].execution.path", "one of the parameters"),
        ({**FIRST, "auth": {"type": "cookie"}}, "auth.type", "known are"),
        ({**FIRST, "auth": {"type": "api_key", "api_key": {"placement": "header", "name": "a b"}}},
         "auth.api_key.name", "valid header name"),
        ({**FIRST, "auth": {"type": "api_key", "api_key": {"name": "a", "prefix": " Bearer"}}},
         "auth.api_key.prefix", "starts or ends with a space"),
        ({**FIRST, "auth": {"type": "oauth2", "authorization_endpoint": "http://x.example", "token_endpoint": "x"}},
         "auth.oauth2.authorization_endpoint", "https"),
        ({**FIRST, "schemaVersion": "2.0"}, "schemaVersion", "two forms"),
    ],
)  # fmt: skip
def test_a_problem_is_reported_with_its_field_and_reason(descriptor: Any, field: str, reason: str) -> None:
    reports = problems(descriptor)
    assert field in reports
    assert reason in reports[field]


def test_addresses_are_kept_as_they_are_sent() -> None:
    place = {"type": "http", "base_url": "https://Bücher.example/ä b".replace(" ", "%20")}
    names = ("authorization_endpoint", "token_endpoint", "refresh_endpoint")
    oauth = {"type": "oauth2", **dict.fromkeys(names, "https://bücher.example/ü?a=%20é")}
    app = read_one({**FIRST, "execution": place, "auth": oauth})
    assert app.execution == HttpExecution(base_url="https://xn--bcher-kva.example/%C3%A4%20b")
    assert isinstance(app.auth, OAuth2)
    for name in names:
        assert getattr(app.auth, name) == "https://xn--bcher-kva.example/%C3%BC?a=%20%C3%A9"


def test_a_timeout_is_at_most_ten_minutes() -> None:
    app = read_one({**FIRST, "execution": {"type": "ipc", "timeout": 3_600_000}, "tools": [{**TOOL, "timeout": 700}]})
    assert (app.timeout_ms, app.tools[0].timeout_ms) == (600_000, 600_000)


def test_recursive_schemas_and_usual_patterns_are_accepted() -> None:
    tree = {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "name": {"pattern": r"^\p{L}{1,100}$"}}}
    assert read_one(with_tool(parameters=tree, returns=doubling(8))).tools


def test_all_problems_are_reported_at_once_and_each_only_once() -> None:
    assert len(problems({**FIRST, "schema_version": 1, "app": {**FIRST["app"], "id": "x"}, "tools": [TOOL, TOOL]})) == 3


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"\xff\xfe", b'{"a": 1, "a": 2}', b"[" * 100_000, b'{"schema_version": NaN}'],
)
def test_text_that_is_not_strict_json_is_reported(text: bytes) -> None:
    for reader in (read, read_listing):
        with pytest.raises(BrokenDescriptor):
            reader(text, "aai.json")


@pytest.mark.parametrize("descriptor", [FIRST, SECOND, {**FIRST, "appId": "x"}])
def test_a_listing_agrees_with_the_full_descriptor(descriptor: Any) -> None:
    short, app = read_listing(json.dumps(descriptor).encode(), "aai.json"), read_one(descriptor)
    assert (short.id, short.name, short.description) == (app.id, app.name, app.description)
    assert [tool.name for tool in short.tools] == [tool.name for tool in app.tools]


@pytest.mark.parametrize("descriptor", [with_app(id="../x"), with_tool(name="Send"), {**FIRST, "tools": []}])
def test_a_listing_leaves_out_apps_with_visible_problems(descriptor: Any) -> None:
    with pytest.raises(BrokenDescriptor):
        read_listing(json.dumps(descriptor).encode(), "aai.json")


def test_a_byte_order_mark_is_accepted() -> None:
    text = b"\xef\xbb\xbf" + json.dumps(FIRST).encode()
    assert read_listing(text, "aai.json").id == read(text, "aai.json").id == "com.example.mail"
