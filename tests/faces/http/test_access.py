"""A person sees who has access, and revokes it."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from handrail.faces.http import server_file
from handrail.faces.http.credentials import MOST_PROGRAMS, Programs
from handrail.faces.http.sessions import LONGEST_USER_AGENT
from handrail.ports.errors import InputOutput
from tests.faces.http.listener import listening
from tests.faces.http.mcp_stream import mcp_stream
from tests.faces.http.running import Running


@pytest.fixture
def rig(state: Path, project: Path) -> Any:
    """The test's own server: sessions that end here must not end for other tests."""
    with Running(state, project) as running:
        yield running


def overview(rig: Running, person: dict[str, str]) -> Any:
    answer = rig.request("GET", "/api/access", headers=person)
    assert answer.status == 200, answer
    return answer.json["data"]


def renew(rig: Running, person: dict[str, str]) -> Any:
    """Updates `person` with the token that its page has afterwards."""
    answer = rig.request("POST", "/api/access/token", headers=person)
    assert answer.status == 200, answer
    person["x-handrail-page"] = answer.json["data"]["pageSecret"]
    return answer.json["data"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/access"),
        ("POST", "/api/access/token"),
        ("DELETE", "/api/access/sessions/x"),
        ("DELETE", "/api/session"),
    ],
)
def test_the_token_opens_none_of_it(method: str, path: str, server: Running) -> None:
    for headers in (server.bearer, {**server.sign_in(), **server.bearer}):
        answer = server.request(method, path, headers=headers)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        assert "handrail open" in answer.json["error"]["message"]
    assert server.request(method, path, headers={}).status == 401


def test_the_token_is_shown_by_its_ending_and_its_location(rig: Running) -> None:
    (token,) = overview(rig, rig.sign_in())["tokens"]
    assert (token["kind"], token["file"]) == ("server", str(rig.state / "server.json"))
    assert token["ending"] == rig.server_token[-4:]
    assert rig.server_token not in json.dumps(token)


def test_programs_that_came_with_the_token_are_named_the_last_one_first(rig: Running) -> None:
    for name in ("claude-code/2.1 (cli)", "cline", "claude-code/2.1 (cli)", "<script>"):
        rig.request("GET", "/api/tools", headers={**rig.server_bearer, "user-agent": name})
    rig.request("GET", "/api/tools", headers={"authorization": "Bearer wrong", "user-agent": "stranger"})
    person = rig.sign_in()
    names = [program["name"] for program in overview(rig, person)["tokens"][0]["programs"]]
    assert [name for name in names if not name.startswith("python")] == ["unknown", "claude-code/2.1", "cline"]


def test_of_many_programs_the_longest_silent_go() -> None:
    programs = Programs()
    for number in range(MOST_PROGRAMS + 1):
        programs.note(f"p{number}")
    assert len(programs.last_seen) == MOST_PROGRAMS
    assert "p0" not in programs.last_seen


def test_a_new_token_replaces_the_old_one_at_once(rig: Running) -> None:
    person, old = rig.sign_in(), rig.server_bearer
    before = rig.file
    report = renew(rig, person)
    assert person["x-handrail-page"] == report["pageSecret"]
    assert rig.server_bearer != old
    assert report["tokens"][0]["ending"] == rig.server_token[-4:]
    assert report["tokens"][0]["programs"] == []
    assert {**rig.file, "token": ""} == {**before, "token": ""}
    assert stat.S_IMODE((rig.state / "server.json").stat().st_mode) == 0o600
    assert not list(rig.state.glob(".server.json*"))
    assert rig.request("GET", "/api/tools", headers=old).status == 401
    assert rig.request("GET", "/api/tools", headers=rig.server_bearer).status == 200
    assert overview(rig, person)["sessions"][0]["isCurrent"]


def test_a_new_token_voids_every_pages_secret_and_the_page_that_asked_gets_another(rig: Running) -> None:
    person, other = rig.sign_in(), rig.sign_in()
    before = dict(person)
    renew(rig, person)
    for headers in (before, other):
        assert rig.request("GET", "/api/session", headers=headers).status == 401
    assert [one["isCurrent"] for one in overview(rig, person)["sessions"]] == [True]


def test_a_new_token_survives_a_restart(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        old = first.server_token
        renew(first, first.sign_in())
        new = first.server_token
        log = first.stop()
        assert (old in log, new in log) == (False, False)
    with Running(state, project) as second:
        assert second.server_token == new != old


def test_when_a_new_token_can_not_be_written_the_old_one_stays(tmp_path: Path) -> None:
    with server_file.publish(tmp_path, "127.0.0.1", 6006) as published:
        old = published.token
        (tmp_path / "server.json").unlink()
        (tmp_path / "server.json").mkdir()
        with pytest.raises(InputOutput):
            published.renew_token()
        assert published.token == old


def test_a_connection_that_showed_the_old_token_is_closed(rig: Running) -> None:
    person = rig.sign_in()

    async def run() -> bool:
        async with (
            listening(rig, headers=rig.server_bearer) as by_header,
            listening(rig, auth={"token": rig.server_token}, transports=["websocket"]) as by_word,
            listening(rig, headers=person) as page,
        ):
            await asyncio.to_thread(renew, rig, person)
            await by_header.gone()
            await by_word.gone()
            await page.gone()
        async with listening(rig, headers=person) as page:
            return bool(page.client.connected)

    assert asyncio.run(run())


def test_a_stream_of_an_agent_whose_token_is_revoked_ends(rig: Running) -> None:
    with mcp_stream(rig) as stream:
        stream.settimeout(30)
        rig.request("DELETE", "/api/access/agents/tests", headers=rig.sign_in())
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            piece = stream.recv(4096)
            assert piece, "its end is told"
            received += piece


def test_browsers_that_are_signed_in_are_listed_and_this_one_is_marked(rig: Running) -> None:
    rig.sign_in()
    mine = rig.sign_in(user_agent="Mozilla/5.0 (X11) Firefox/150.0")
    first, second = overview(rig, mine)["sessions"]
    assert (first["userAgent"], first["isCurrent"]) == ("Mozilla/5.0 (X11) Firefox/150.0", True)
    assert second["isCurrent"] is False
    assert first["id"] != second["id"]
    assert first["createdAt"] < first["expiresAt"]
    assert mine["cookie"].partition("=")[2] not in json.dumps([first, second])


def test_a_browser_that_says_too_much_about_itself_is_cut_short(rig: Running) -> None:
    mine = rig.sign_in(user_agent="x" * 5000)
    assert overview(rig, mine)["sessions"][0]["userAgent"] == "x" * LONGEST_USER_AGENT


def test_a_session_that_is_ended_opens_nothing_and_hears_nothing(rig: Running) -> None:
    mine, other = rig.sign_in(), rig.sign_in()
    (session_id,) = (one["id"] for one in overview(rig, mine)["sessions"] if not one["isCurrent"])

    async def run() -> bool:
        async with listening(rig, headers=other) as page, listening(rig, headers=mine) as own:
            path = f"/api/access/sessions/{session_id}"
            answer = await asyncio.to_thread(rig.request, "DELETE", path, headers=mine)
            assert [one["isCurrent"] for one in answer.json["data"]["sessions"]] == [True]
            await page.gone()
            return bool(own.client.connected)

    assert asyncio.run(run())
    assert rig.request("GET", "/api/session", headers=other).status == 401
    again = rig.request("DELETE", f"/api/access/sessions/{session_id}", headers=mine)
    assert (again.status, again.code) == (404, "NOT_FOUND")


def test_signing_out_ends_the_session_and_deletes_the_cookie(rig: Running) -> None:
    mine, other = rig.sign_in(), rig.sign_in()
    answer = rig.request("DELETE", "/api/session", headers=mine)
    assert answer.status == 200
    assert answer.headers["set-cookie"].partition("=")[2].startswith("; Max-Age=0; Path=/")
    assert rig.request("GET", "/api/session", headers=mine).status == 401
    assert rig.request("GET", "/api/session", headers=other).status == 200


def test_changes_made_here_are_recorded(rig: Running) -> None:
    mine = rig.sign_in()
    renew(rig, mine)
    rig.sign_in()
    (other,) = (one["id"] for one in overview(rig, mine)["sessions"] if not one["isCurrent"])
    rig.request("DELETE", f"/api/access/sessions/{other}", headers=mine)
    records = rig.request("GET", "/api/activity", headers=mine).json["data"]["records"]
    assert [(record["event"], record["target"]) for record in records] == [
        ("access", f"ended the console's session {other}"),
        ("access", "renewed the server's token"),
    ]
    assert all(record["caller"].startswith("console") for record in records)
