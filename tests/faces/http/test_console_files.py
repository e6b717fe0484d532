"""The program itself serves the built console, if there is one."""

from collections.abc import Iterator

import pytest

from tests.faces.http.running import Running

INDEX = '<!doctype html><title>console</title><script type="module" src="/assets/index-Ab3_x-9Z.js"></script>'
FILES = {
    "index.html": INDEX,
    "favicon.svg": "<svg/>",
    "assets/index-Ab3_x-9Z.js": "export {}",
    "assets/index-0123abcd.css": "body {}",
    "assets/inter.woff2": "font",
    "assets/large-0123abcd.js": "export const text = 1;\n" * 200,
    ".vite/manifest.json": "{}",
}


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("console")
    for name, content in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    with Running(state, project, env={"FIXTURE_CONSOLE": str(folder)}) as running:
        (folder / "late.js").write_text("late")
        yield running


@pytest.mark.parametrize(
    "path", ["/", "/activity", "/tools", "/settings", "/activity/exec_1", "/tools/read_file", "/#x"]
)
def test_every_page_of_the_console_is_its_index(path: str, console: Running) -> None:
    answer = console.request("GET", path, headers={})
    assert (answer.status, answer.body.decode()) == (200, INDEX)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert console.request("HEAD", path, headers={}).status == 200


def test_the_index_runs_and_calls_nothing_but_what_is_served_here(console: Running) -> None:
    policy = console.request("GET", "/", headers={}).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "connect-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("path", "media_type", "is_kept"),
    [
        ("/assets/index-Ab3_x-9Z.js", "text/javascript; charset=utf-8", True),
        ("/assets/index-0123abcd.css", "text/css; charset=utf-8", True),
        ("/assets/inter.woff2", "font/woff2", False),
        ("/favicon.svg", "image/svg+xml", False),
    ],
)
def test_files_with_a_hash_in_their_name_are_cached_forever(
    path: str, media_type: str, is_kept: bool, console: Running
) -> None:
    answer = console.request("GET", path, headers={})
    assert (answer.status, answer.body.decode()) == (200, FILES[path[1:]])
    assert answer.headers["content-type"] == media_type
    assert answer.headers["cache-control"] == ("public, max-age=31536000, immutable" if is_kept else "no-cache")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br", "gzip"), ("br, gzip;q=0.5", "gzip"), ("gzip;q=0", None), ("identity", None), ("", None)],
)
def test_large_files_are_compressed_for_clients_that_accept_it(
    accepted: str, encoding: str | None, console: Running
) -> None:
    answer = console.request("GET", "/assets/large-0123abcd.js", headers={"accept-encoding": accepted})
    assert answer.headers.get("content-encoding") == encoding
    assert "accept-encoding" in answer.headers["vary"]
    assert answer.body.decode() == FILES["assets/large-0123abcd.js"]
    assert (int(answer.headers["content-length"]) < 1000) is (encoding is not None)


@pytest.mark.parametrize(
    "path",
    ["/late.js", "/.vite/manifest.json", "/assets", "/assets/", "/assets/../index.html", "/assets/%2e%2e/index.html",
     "/index.html", "/other", "/toolsx", "/assets/no-Ab3_x-9Z.js", "//activity"],
)  # fmt: skip
def test_nothing_else_is_served(path: str, console: Running) -> None:
    assert console.raw(f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n").status == 401
    request = f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\nAuthorization: Bearer TOKEN\r\n\r\n"
    assert console.raw(request).status == 404


def test_the_api_is_not_shadowed_and_still_closed(console: Running) -> None:
    assert console.request("GET", "/api/tools", headers={}).status == 401
    assert "tools" in console.request("GET", "/api/tools").json["data"]
    assert console.request("GET", "/health", headers={}).status == 200
    assert console.request("POST", "/activity", headers={}).status == 401


def test_a_foreign_page_gets_nothing_of_it(console: Running) -> None:
    for path in ("/", "/activity", "/assets/index-Ab3_x-9Z.js"):
        assert console.request("GET", path, headers={"origin": "http://evil.com"}).status == 403


def test_where_it_was_not_built_the_first_page_stays(server: Running) -> None:
    assert b"tool-echo" in server.request("GET", "/", headers={}).body
    assert server.request("GET", "/activity", headers={}).status == 401
    assert server.request("GET", "/activity").status == 404
