"""Every route and socket with every Host, Origin and credential that doesn't fit: nothing of it is let in.

The routes are those of the running program, so a new one is tried with the rest. What may be open to whom is listed
here a second time, on purpose: a route that opens to more callers has to be added by hand.
"""

import http.client
import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from tests.credentials import browser_token
from tests.effort import IS_CAMPAIGN, chance, count
from tests.faces.http.running import Running
from tests.faces.http.test_guard import FOREIGN_HOSTS, FOREIGN_ORIGINS

Headers = Mapping[str, str]
Request = tuple[str, str]

READING = ("GET", "HEAD")
UPLOAD = "/api/artifacts/{artifactId}/upload"  # its address carries a token of its own
OPEN = {("POST", "/api/session"), ("POST", "/api/extension/pair"), ("POST", UPLOAD), ("PUT", UPLOAD)}
APP_FILES = r"icon-(192|512|maskable-512)\.png|manifest\.webmanifest|offline\.(html|css)|sw\.js"
OPEN_PAGES = re.compile(
    rf"/(|health|(activity|tools|settings)(/\{{rest:path\}})?|static/[\w.]+|assets/[\w.-]+|{APP_FILES})"
)
FOR_PLUGINS = {
    ("GET", "/api/artifacts/{artifactId}"),
    ("POST", "/api/artifacts/presign"),
    ("POST", "/api/extension/extension-id"),
}
WRITABLE_WITH_THE_SERVERS_TOKEN = {
    ("POST", "/api/prompts"),
    ("POST", "/api/prompts/answers"),
    ("POST", "/api/prompts/panel"),
    ("POST", "/api/prompts/{request_id:path}/response"),  # a program's own prompts alone: tests/redteam/test_imitations
}
SOCKETS = ("/socket.io/?EIO=4&transport=polling", "/socket.io/?EIO=4&transport=websocket")
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}
REFUSED = (401, 403)


class Site:
    """The running program, its routes, and everyone's credentials."""

    def __init__(self, running: Running, routes: Path) -> None:
        self.running = running
        self.routes = sorted(set(_routes(routes)))
        self.cookie = running.sign_in()
        self.plugin = {"authorization": f"Bearer {browser_token(running.state, PLUGIN)}"}
        self._connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)

    def status(self, method: str, path: str, headers: Headers) -> tuple[int, Headers]:
        """Parameters in the route's path are replaced by a name."""
        count()
        host = headers.get("host", f"127.0.0.1:{self.running.port}")
        self._connection.putrequest(method, re.sub(r"\{[^}]*\}", "none", path), skip_host=True)
        self._connection.putheader("host", host.encode("latin-1", "replace"))
        for name, value in headers.items():
            if name != "host":
                self._connection.putheader(name, value)
        self._connection.putheader("content-length", "0")
        self._connection.endheaders()
        answer = self._connection.getresponse()
        answer.read()
        if answer.getheader("connection") == "close" or "upgrade" in headers:
            self._connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}


ANY = ("GET", "POST", "DELETE")  # where a route takes every method, as MCP's does
PLUGIN = "0190a7c8-7f3e-7abc-8def-000000000001"


def _routes(file: Path) -> Iterator[Request]:
    """`make test` uses only one of the console's files."""
    has_asset = False
    for line in file.read_text().splitlines():
        route = json.loads(line)
        if is_asset := route["path"].startswith("/assets/"):
            if has_asset and not IS_CAMPAIGN:
                continue
            has_asset = is_asset
        yield from ((method, route["path"]) for method in route["methods"] or ANY)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("origins")
    (folder / "project").mkdir()
    flags = ["--project", str(folder / "project"), "--state", str(folder / "state"), "--port", "0", "--no-open"]
    command = ["tests.redteam.routed_server", str(folder / "routes"), "up", *flags]
    with Running(folder / "state", folder / "project", command=command) as running:
        yield Site(running, folder / "routes")


def combinations(site: Site, values: list[str]) -> Iterator[tuple[Request, str, Headers]]:
    """Every route with every value and caller in the campaign; each route once in `make test`."""
    callers = everyone(site)
    if IS_CAMPAIGN:
        yield from product(site.routes, values, callers)
        return
    by = chance()
    yield from ((route, by.choice(values), by.choice(callers)) for route in site.routes)


def everyone(site: Site) -> list[Headers]:
    """The credentials of all callers, as they would send them with the right Host and Origin, and of a stranger."""
    running = site.running
    return [
        {},
        running.bearer,
        {**running.server_bearer, **running.console_key},
        {name: value for name, value in site.cookie.items() if name != "origin"},
    ]


def is_open(route: Request) -> bool:
    method, path = route
    return route in OPEN or (method in READING and OPEN_PAGES.fullmatch(path) is not None)


@pytest.mark.trial("origins")
def test_no_route_answers_requests_with_a_foreign_host(site: Site) -> None:
    hosts = [host.replace("PORT", str(site.running.port)) for host in FOREIGN_HOSTS]
    for route, host, headers in combinations(site, hosts):
        status, _ = site.status(*route, {**headers, "host": host})
        assert status == 403, (route, host, headers)


@pytest.mark.trial("origins")
def test_no_route_answers_requests_with_a_foreign_origin(site: Site) -> None:
    origins = [origin.replace("PORT", str(site.running.port)) for origin in FOREIGN_ORIGINS]
    for route, origin, headers in combinations(site, origins):
        status, answer = site.status(*route, {**headers, "origin": origin})
        assert status == 403, (route, origin, headers)
        assert "access-control-allow-origin" not in answer, (route, origin, headers)


@pytest.mark.trial("origins")
def test_no_socket_opens_to_a_foreign_host_or_origin(site: Site) -> None:
    port = str(site.running.port)
    foreign = [{"host": host.replace("PORT", port)} for host in FOREIGN_HOSTS]
    foreign += [{"origin": origin.replace("PORT", port)} for origin in FOREIGN_ORIGINS]
    for path in SOCKETS:
        more = UPGRADE if path.endswith("websocket") else {}
        for headers in foreign:
            status, _ = site.status("GET", path, {**site.running.bearer, **more, **headers})
            assert status == 403, (path, headers)


@pytest.mark.trial("origins")
def test_every_route_that_is_not_listed_as_open_needs_a_credential(site: Site) -> None:
    own = site.cookie["origin"]
    without = {
        "nothing": {},
        "an own origin": {"origin": own},
        "a wrong token": {"authorization": "Bearer wrong"},
        "another scheme": {"authorization": "Basic d3Jvbmc6d3Jvbmc="},
        "the cookie alone": {"cookie": site.cookie["cookie"], "origin": own},
        "the page's secret alone": {"x-handrail-page": site.cookie["x-handrail-page"], "origin": own},
        "the console's key alone": site.running.console_key,
    }
    for route in site.routes:
        for name, headers in without.items():
            status, _ = site.status(*route, headers)
            assert is_open(route) or status == 401, (route, name)


@pytest.mark.trial("origins")
def test_a_plugins_token_opens_what_is_listed_and_nothing_else(site: Site) -> None:
    for route in site.routes:
        status, _ = site.status(*route, site.plugin)
        assert is_open(route) or (status not in REFUSED) == (route in FOR_PLUGINS), (route, status)


@pytest.mark.trial("origins")
def test_the_servers_own_token_changes_nothing_but_what_is_listed(site: Site) -> None:
    for method, path in site.routes:
        if method in READING or is_open((method, path)):
            continue
        status, _ = site.status(method, path, site.running.server_bearer)
        assert (status != 403) == ((method, path) in WRITABLE_WITH_THE_SERVERS_TOKEN), (method, path, status)


@pytest.mark.trial("origins")
def test_the_persons_cookie_changes_nothing_for_a_page_that_is_not_ours(site: Site) -> None:
    """Origins that contract 2 allows by default may call the API, but not as the person."""
    cookie = {name: value for name, value in site.cookie.items() if name != "origin"}
    for method, path in site.routes:
        if method in READING or is_open((method, path)):
            continue
        for more in ({}, {"origin": "http://localhost:3000"}, {"origin": "http://127.0.0.1:3000"}):
            status, _ = site.status(method, path, {**cookie, **more})
            assert status in REFUSED, (method, path, more)
