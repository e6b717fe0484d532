"""A person's browser signs in with a one-time code and is then known by its cookie."""

import json
import re
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

from handrail import __version__
from handrail.faces.http.codes import LIFETIME as CODE_LIFETIME
from handrail.faces.http.codes import MOST_CODES, MOST_FAILURES, Codes, TooManyCodes, WrongCode
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.server_file import Published, ServerFile
from handrail.faces.http.sessions import LIFETIME, MOST_SESSIONS, Sessions
from handrail.stores.local.agents import AgentsFile
from tests.faces.http.running import Running


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def exchange(server: Running, code: Any, **headers: str) -> Any:
    return server.request("POST", "/api/session", headers=headers, json={"code": code})


def without_origin(console: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in console.items() if name != "origin"}


def test_a_code_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_gets(server: Running) -> None:
    answer = exchange(server, server.new_code(), origin=server.address)
    data = answer.json["data"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", data.pop("pageSecret"))
    assert data == {"version": __version__, "project": str(server.project), "lang": None}
    name, *flags = answer.headers["set-cookie"].split("; ")
    assert re.fullmatch(r"handrail_session_[0-9a-f]{8}=[A-Za-z0-9_-]{43}", name)
    assert set(flags) == {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"}


def test_a_code_is_good_once(server: Running) -> None:
    code = server.new_code()
    assert exchange(server, code).status == 200
    again = exchange(server, code)
    assert (again.status, again.code) == (401, "UNAUTHORIZED")
    assert "set-cookie" not in again.headers


def test_a_code_is_good_for_ten_minutes() -> None:
    clock = Clock()
    codes = Codes(clock)
    in_time, late = codes.make(), codes.make()
    clock.now += CODE_LIFETIME - 1
    codes.use(in_time, "a")
    clock.now += 1
    with pytest.raises(WrongCode):
        codes.use(late, "a")


def test_guessing_codes_is_blocked_for_a_while() -> None:
    clock = Clock()
    codes = Codes(clock)
    code = codes.make()
    for number in range(MOST_FAILURES):
        with pytest.raises(WrongCode):
            codes.use(f"wrong {number}", "a")
    with pytest.raises(TooManyCodes):
        codes.use(code, "a")
    clock.now += 60
    codes.use(code, "a")


def test_guessing_codes_does_not_block_others_or_new_codes() -> None:
    clock = Clock()
    codes = Codes(clock)
    first, second = codes.make(), codes.make()
    for number in range(MOST_FAILURES):
        with pytest.raises(WrongCode):
            codes.use(f"wrong {number}", "a")
    codes.use(first, "b")
    with pytest.raises(TooManyCodes):
        codes.use(second, "a")
    clock.now += 1
    codes.use(codes.make(), "a")


def test_of_many_codes_the_oldest_go() -> None:
    codes = Codes(Clock())
    made = [codes.make() for _ in range(MOST_CODES + 1)]
    with pytest.raises(WrongCode):
        codes.use(made[0], "a")
    for code in made[1:]:
        codes.use(code, "a")


def test_too_many_wrong_codes_are_a_429_over_the_wire(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        code = server.new_code()
        assert [exchange(server, "wrong").status for _ in range(MOST_FAILURES)] == [401] * MOST_FAILURES
        limited = exchange(server, code)
        assert (limited.status, limited.code) == (429, "RATE_LIMITED")


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"code": 7}', '{"code": ""}', '{"code": "a", "code": "b"}', "{"])
def test_a_malformed_code_is_a_bad_request(body: str, server: Running) -> None:
    answer = server.request("POST", "/api/session", headers={}, content=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_only_signed_in_people_can_create_a_code(server: Running) -> None:
    assert server.request("POST", "/api/session/code", headers={}).status == 401
    assert server.request("POST", "/api/session/code", headers={"authorization": "Bearer wrong"}).status == 401
    assert server.request("POST", "/api/session/code", headers=server.console_key).status == 401
    assert server.request("GET", "/api/session/code").status == 405


def test_the_token_is_not_enough_to_sign_in_as_a_person(server: Running) -> None:
    wrong = {**server.bearer, "x-handrail-console-key": server.token}
    for headers in (server.bearer, wrong, server.sign_in()):
        answer = server.request("POST", "/api/session/code", headers=headers)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        assert "handrail open" in answer.json["error"]["message"]


def test_only_the_owner_can_read_the_key_which_is_new_at_each_start_and_deleted_at_the_stop(
    state: Path, project: Path
) -> None:
    keys = []
    for number in (signal.SIGKILL, signal.SIGTERM):
        with Running(state, project) as server:
            assert stat.S_IMODE((state / "console.key").stat().st_mode) == 0o600
            keys.append(server.console_key["x-handrail-console-key"])
            log = server.stop(number)
            assert keys[-1] not in log
    assert len(set(keys)) == 2
    assert not (state / "console.key").exists()


def test_the_cookie_and_the_page_secret_are_both_required(server: Running) -> None:
    console, other = server.sign_in(), server.sign_in()
    for wrong in (
        {"cookie": console["cookie"]},
        {"x-handrail-page": console["x-handrail-page"]},
        {"cookie": console["cookie"], "x-handrail-page": ""},
        {"cookie": console["cookie"], "x-handrail-page": console["cookie"].partition("=")[2]},
        {"cookie": console["cookie"], "x-handrail-page": other["x-handrail-page"]},
    ):
        for headers in (wrong, {**wrong, "origin": server.address}):
            for path in ("/api/session", "/api/tools", "/api/prompts", "/api/access"):
                assert server.request("GET", path, headers=headers).status == 401
            assert server.request("POST", "/api/tools/echo", headers=headers, json={}).status == 401
            assert server.request("DELETE", "/api/session", headers=headers).status == 401


def test_a_session_of_version_0_1_has_no_page_secret_and_opens_nothing(state: Path) -> None:
    sessions = Sessions(state)
    cookie = sessions.start().cookie
    file = state / "sessions.json"
    content = json.loads(file.read_text())
    del content["sessions"][0]["page"]
    file.write_text(json.dumps(content))
    assert sessions.find(cookie, "") is None
    assert len(sessions.alive()) == 1


def test_the_cookie_gives_access_to_the_same_routes_as_the_token(server: Running) -> None:
    console = server.sign_in()
    for path in ("/api/session", "/api/tools", "/api/activity", "/api/policy"):
        assert server.request("GET", path, headers=console).status == 200
        assert server.request("GET", path, headers=without_origin(console)).status == 200
        assert server.request("GET", path, headers={}).status == 401
    assert server.request("GET", "/no/such/path", headers=console).status == 404


def test_a_call_with_the_cookie_is_the_persons_own(server: Running) -> None:
    answer = server.request("POST", "/api/tools/echo", headers=server.sign_in(), json={})
    caller = answer.json["data"]["caller"]
    assert caller["face"] == "console"
    assert server.call("echo").json["data"]["caller"]["face"] == "http"


def test_with_a_token_beside_it_the_cookie_does_not_count(server: Running) -> None:
    console = server.sign_in()
    both = server.request("POST", "/api/tools/echo", headers={**console, **server.bearer}, json={})
    assert both.json["data"]["caller"]["face"] == "http"
    assert server.request("GET", "/api/tools", headers={**console, "authorization": "Bearer wrong"}).status == 401


def test_the_cookie_changes_nothing_without_an_origin_of_our_own(server: Running) -> None:
    cookie = without_origin(server.sign_in())
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = server.request(method, "/api/tools/echo", headers=cookie, json={})
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
    for origin in ("http://evil.com", "null", "http://localhost:3000", f"http://localhost:{server.port + 1}"):
        answer = server.request("POST", "/api/tools/echo", headers={**cookie, "origin": origin}, json={})
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
    for host in ("127.0.0.1", "localhost", "[::1]"):
        own = {**cookie, "origin": f"http://{host}:{server.port}"}
        assert server.request("POST", "/api/tools/echo", headers=own, json={}).status == 200


def test_a_page_that_may_call_with_the_token_may_not_borrow_the_cookie(server: Running) -> None:
    borrowed = {**server.sign_in(), "origin": "http://localhost:3000"}
    answer = server.request("GET", "/api/tools", headers=borrowed)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("value", ["", "x", "A" * 43, "a; NAME=b", '"', "%00"])
def test_an_unknown_cookie_gives_no_access(value: str, server: Running) -> None:
    name = server.sign_in()["cookie"].partition("=")[0]
    cookie = f"{name}={value.replace('NAME', name)}"
    assert server.request("GET", "/api/tools", headers={"cookie": cookie}).status == 401


def test_two_cookies_of_that_name_open_nothing(server: Running) -> None:
    console = server.sign_in()
    cookie = console["cookie"]
    assert server.request("GET", "/api/tools", headers={**console, "cookie": f"other=1; {cookie}"}).status == 200
    assert server.request("GET", "/api/tools", headers={**console, "cookie": f"{cookie}; {cookie}"}).status == 401


def test_two_servers_on_one_host_use_different_cookies(server: Running, tmp_path: Path) -> None:
    sessions, published = Sessions(tmp_path), Published(tmp_path, ServerFile(1, "127.0.0.1", 1, "secret"))
    credentials = Credentials(published, sessions, Programs(), lambda token: False, AgentsFile(tmp_path))
    theirs = credentials.set_cookie(sessions.start().cookie)
    console = server.sign_in()
    both = f"{theirs.partition(';')[0]}; {console['cookie']}"
    assert server.request("GET", "/api/tools", headers={**console, "cookie": both}).status == 200


def test_the_file_contains_hashes_and_only_its_owner_can_read_it(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        console = server.sign_in()
        file = state / "sessions.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert console["cookie"].partition("=")[2] not in file.read_text()
        assert console["x-handrail-page"] not in file.read_text()
        assert [set(session) for session in json.loads(file.read_text())["sessions"]] == [
            {"hash", "createdAt", "expiresAt", "userAgent", "page"}
        ]
        assert not list(state.glob(".sessions.json*"))


def test_a_session_survives_a_restart_and_a_crash(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        cookie = without_origin(first.sign_in())
        first.stop()
    with Running(state, project) as second:
        assert second.request("GET", "/api/session", headers=cookie).status == 200
        second.stop(signal.SIGKILL)
    with Running(state, project) as third:
        assert third.request("GET", "/api/session", headers=cookie).status == 200


def test_removing_the_file_signs_everybody_out_at_once(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        first, second = (without_origin(server.sign_in()) for _ in range(2))
        (state / "sessions.json").unlink()
        assert server.request("GET", "/api/session", headers=first).status == 401
        third = server.sign_in()
        assert server.request("GET", "/api/session", headers=third).status == 200
        assert server.request("GET", "/api/session", headers=second).status == 401


def test_a_session_ends_after_thirty_days(state: Path) -> None:
    clock = Clock()
    sessions = Sessions(state, clock)
    secret = sessions.start()
    clock.now += LIFETIME - 1
    assert sessions.find(secret.cookie, secret.page)
    clock.now += 1
    assert not sessions.find(secret.cookie, secret.page)
    sessions.start()
    assert len(json.loads((state / "sessions.json").read_text())["sessions"]) == 1


def test_of_many_sessions_the_oldest_go(state: Path) -> None:
    sessions = Sessions(state)
    secrets = [sessions.start() for _ in range(MOST_SESSIONS + 1)]
    assert [sessions.find(secret.cookie, secret.page) is not None for secret in secrets] == [False] + [
        True
    ] * MOST_SESSIONS


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sessions": 7}', '{"sessions": [{}]}', "\x00" * 100])
def test_a_damaged_file_signs_everybody_out_and_is_replaced(content: str, state: Path) -> None:
    (state / "sessions.json").write_text(content)
    sessions = Sessions(state)
    assert not sessions.find("x", "x")
    session = sessions.start()
    assert sessions.find(session.cookie, session.page)


def test_neither_code_nor_cookie_is_ever_logged(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        code, unused = server.new_code(), server.new_code()
        answer = exchange(server, code)
        data, page = answer.headers["set-cookie"].partition(";")[0], answer.json["data"]["pageSecret"]
        cookie = data.partition("=")[2]
        server.request("POST", "/api/tools/crash", headers={"cookie": data, "x-handrail-page": page}, json={})
        server.request("POST", f"/api/session?code={unused}", headers={}, content=f"{{{unused}")
        server.call("crash")
        log = server.stop()
        assert "crash failed: RuntimeError" in log
        assert not any(secret in log for secret in (code, unused, cookie, page))
