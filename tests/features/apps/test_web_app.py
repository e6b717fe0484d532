"""Web apps: where a site's descriptor is read from, what it may declare, and how it is saved."""

import msgspec
import pytest

from handrail.features.apps.calls.consent import consent_to, foreign_hosts, sign_in_facts
from handrail.features.apps.descriptors.descriptor import read
from handrail.features.apps.model import (
    ApiKey,
    App,
    AppTool,
    Auth,
    BrokenDescriptor,
    DBusExecution,
    Example,
    Execution,
    HttpExecution,
    HttpRoute,
    OAuth2,
    StdioExecution,
)
from handrail.features.apps.web_apps import check_web_app, descriptor_address, encode_descriptor, redirect_target
from handrail.ports.errors import BadAnswer, InvalidParams

TOOL = AppTool(
    name="search",
    description="Searches.",
    parameters={"type": "object", "properties": {"q": {"type": "string"}, "camelCase": {}}},
    returns={"type": "object"},
    route=HttpRoute(path="/s/${q}", method="PUT", headers={"X-Q": "${q}"}, body_template={"q": "${q}"}),
    is_idempotent=True,
    timeout_ms=1500,
    examples=(Example(params={"q": "a"}, result={}),),
)
APP = App(
    id="com.example.web",
    name="Web",
    description="Searches the web.",
    version="1.2",
    execution=HttpExecution(base_url="https://api.example.com/v1", default_headers={"X-A": "b"}),
    tools=(TOOL, AppTool(name="ping", description="Pings.", parameters={"type": "object"})),
    timeout_ms=500,
    max_concurrent=3,
    source="here",
)
OAUTH = OAuth2(
    authorization_endpoint="https://id.example.com/authorize",
    token_endpoint="https://id.example.com/token",
    scopes=("a", "b"),
    client_id="c",
    refresh_endpoint="https://id.example.com/refresh",
    extra_params={"prompt": "consent"},
)


@pytest.mark.parametrize(
    "auth",
    [None, ApiKey(placement="query", name="key", env_var="K", prefix="Token", obtain_url="https://example.com"), OAUTH],
)
@pytest.mark.parametrize(
    "execution", [APP.execution, StdioExecution(command="a", args=("b",)), DBusExecution(service="com.example.web")]
)
def test_a_saved_descriptor_is_read_back_as_the_same_app(auth: Auth | None, execution: Execution) -> None:
    tools = APP.tools if isinstance(execution, HttpExecution) else APP.tools[1:]
    app = msgspec.structs.replace(APP, auth=auth, execution=execution, tools=tools)
    assert read(encode_descriptor(app), "here") == app


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("https://example.com", "https://example.com/.well-known/aai.json"),
        ("example.com", "https://example.com/.well-known/aai.json"),
        ("https://example.com:8443/shop/", "https://example.com:8443/.well-known/aai.json"),
        ("https://example.com/apps/aai.json?x#y", "https://example.com/apps/aai.json"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/.well-known/aai.json"),
    ],
)
def test_a_sites_descriptor_is_read_from_its_well_known_path(value: str, address: str) -> None:
    assert descriptor_address(value) == address


@pytest.mark.parametrize(
    "value",
    [
        "",
        "http://example.com",
        "ftp://example.com",
        "https://u:p@example.com",
        "https://",
        "file:///etc/passwd",
        "https://ex.com:99999",
        "https://[x",
    ],
)
def test_an_invalid_site_address_is_refused(value: str) -> None:
    with pytest.raises(InvalidParams):
        descriptor_address(value)


def test_redirects_are_followed_only_on_the_same_host() -> None:
    here = "https://example.com/.well-known/aai.json"
    assert redirect_target(here, "/aai.json") == "https://example.com/aai.json"
    for there in (
        "https://evil.example/aai.json",
        "//evil.example/",
        "http://example.com/",
        "https://example.com:444/",
        "https://[x",
        "",
    ):
        with pytest.raises(BadAnswer):
            redirect_target(here, there)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"execution": StdioExecution(command="/bin/sh")}, "execution.type"),
        ({"execution": DBusExecution(service="org.freedesktop.secrets")}, "execution.type"),
        ({"execution": HttpExecution(base_url="http://127.0.0.1:6006")}, "execution.base_url"),
        ({"execution": HttpExecution(base_url="https://192.168.1.1/")}, "execution.base_url"),
        ({"execution": HttpExecution(base_url="https://printer.local/")}, "execution.base_url"),
        ({"execution": HttpExecution(base_url="https://[::1]/")}, "execution.base_url"),
        (
            {"auth": msgspec.structs.replace(OAUTH, token_endpoint="http://localhost/token")},
            "auth.oauth2.token_endpoint",
        ),
    ],
)
def test_a_site_cannot_offer_anything_on_this_machine(change: dict[str, object], field: str) -> None:
    check_web_app(msgspec.structs.replace(APP, auth=OAUTH), "https://example.com/.well-known/aai.json")
    with pytest.raises(BrokenDescriptor) as refusal:
        check_web_app(msgspec.structs.replace(APP, **change), "https://example.com/.well-known/aai.json")
    assert refusal.value.details["problems"][0]["field"] == field


@pytest.mark.parametrize(
    ("source", "elsewhere"),
    [
        ("https://example.com/.well-known/aai.json", []),
        ("https://www.example.com/.well-known/aai.json", []),
        ("https://id.example.com/.well-known/aai.json", []),
        ("https://shop.example.com/.well-known/aai.json", ["id.example.com"]),
        ("https://ample.com/.well-known/aai.json", ["id.example.com"]),
    ],
)
def test_a_sign_in_is_at_the_site_that_offers_it_or_below(source: str, elsewhere: list[str]) -> None:
    assert foreign_hosts(msgspec.structs.replace(APP, auth=OAUTH, source=source)) == elsewhere


def test_every_host_of_a_sign_in_is_shown_with_a_warning_if_they_differ() -> None:
    assert dict(sign_in_facts(OAUTH)) == {
        "sign-in at": "id.example.com",
        "tokens from": "id.example.com",
        "renewed by": "id.example.com",
    }
    mixed = dict(sign_in_facts(msgspec.structs.replace(OAUTH, token_endpoint="https://evil.example/token")))
    assert mixed["tokens from"] == "evil.example"
    assert "evil.example" in mixed["beware"]
    facts = consent_to(msgspec.structs.replace(APP, auth=OAUTH), TOOL).facts
    assert {*sign_in_facts(OAUTH)} <= {*facts}
