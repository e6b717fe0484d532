"""Artifacts: creating a slot, uploading with its token, downloading, expiry (contract 2 §2.4)."""

import asyncio
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from handrail.features.browser.bus.artifacts import MAX_BYTES
from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.faces.http.running import Running, read_answer
from tests.features.browser.routes.browser import acting, browsing, task_on

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def presigned(server: Running, **change: Any) -> dict[str, Any]:
    body = {"taskId": new_task_id(), "kind": "screenshot", "contentType": "image/png", **change}
    answer = server.request("POST", "/api/artifacts/presign", json=body)
    assert answer.status == 200, answer.body
    slot: dict[str, Any] = answer.json["data"]
    return slot


def path_of(server: Running, url: str) -> str:
    assert url.startswith(server.address)
    return url.removeprefix(server.address)


def test_a_slot_has_addresses_and_an_end(server: Running) -> None:
    slot = presigned(server)
    assert set(slot) == {"artifactId", "uploadUrl", "downloadUrl", "expiresAt"}
    id = slot["artifactId"]
    assert slot["downloadUrl"] == f"{server.address}/api/artifacts/{id}"
    assert slot["uploadUrl"].startswith(f"{server.address}/api/artifacts/{id}/upload?token=")


def test_presigning_makes_the_task(server: Running) -> None:
    task = new_task_id()
    assert server.request("GET", f"/api/task/{task}").status == 404
    presigned(server, taskId=task)
    assert server.request("GET", f"/api/task/{task}").json["data"]["task"]["status"] == "created"


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("headers", [{}, {"origin": EXTENSION_ORIGIN}, {"authorization": "Bearer wrong"}])
def test_an_upload_needs_the_slots_own_token(method: str, headers: dict[str, str], server: Running) -> None:
    slot = presigned(server)
    answer = server.request(method, path_of(server, slot["uploadUrl"]), headers=headers, content=PNG)
    assert answer.json == {"ok": True, "data": {"uploaded": True, "downloadUrl": slot["downloadUrl"]}}
    response = server.request("GET", path_of(server, slot["downloadUrl"]))
    assert (response.status, response.body, response.headers["content-type"]) == (200, PNG, "image/png")
    assert "sandbox" in response.headers["content-security-policy"]
    assert (server.state / "uploads/artifacts" / slot["artifactId"]).read_bytes() == PNG


@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", "?token=%00", "?other=1"])
def test_no_other_credential_replaces_the_slots_token(token: str, server: Running) -> None:
    path = f"/api/artifacts/{presigned(server)['artifactId']}/upload{token}"
    for headers in (server.bearer, server.sign_in()):
        answer = server.request("PUT", path, headers=headers, content=PNG)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")


def test_another_slots_token_does_not_do(server: Running) -> None:
    first, second = presigned(server), presigned(server)
    token = first["uploadUrl"].partition("?")[2]
    assert server.request("PUT", f"/api/artifacts/{second['artifactId']}/upload?{token}", content=PNG).status == 403


def test_downloading_needs_a_credential(server: Running) -> None:
    slot = presigned(server)
    server.request("PUT", path_of(server, slot["uploadUrl"]), content=PNG)
    path = path_of(server, slot["downloadUrl"])
    assert server.request("GET", path, headers={}).status == 401
    assert server.request("GET", path, headers=server.sign_in()).body == PNG


def test_the_same_bytes_may_come_twice_and_others_not(server: Running) -> None:
    slot = presigned(server)
    path = path_of(server, slot["uploadUrl"])
    for _ in range(2):
        assert server.request("PUT", path, content=PNG).status == 200
    answer = server.request("PUT", path, content=b"others")
    assert (answer.status, answer.code) == (409, "CONFLICT")
    assert server.request("GET", path_of(server, slot["downloadUrl"])).body == PNG


def test_missing_artifacts_are_not_found(server: Running) -> None:
    slot = presigned(server)
    for path in (slot["downloadUrl"], f"{server.address}/api/artifacts/art-none", f"{server.address}/api/artifacts/.."):
        answer = server.request("GET", path_of(server, path))
        assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert server.request("PUT", "/api/artifacts/art-none/upload?token=x", content=b"").status == 404


def test_html_is_never_shown_as_a_page_of_ours(server: Running) -> None:
    slot = presigned(server, kind="html", contentType="text/html")
    server.request("PUT", path_of(server, slot["uploadUrl"]), content=b"<script>alert(1)</script>")
    answer = server.request("GET", path_of(server, slot["downloadUrl"]))
    assert answer.headers["content-disposition"] == "attachment"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")


def test_an_upload_may_reach_but_not_exceed_the_limit(server: Running) -> None:
    slot, other = presigned(server), presigned(server)
    assert server.request("PUT", path_of(server, slot["uploadUrl"]), content=b"x" * MAX_BYTES).status == 200
    answer = server.request("PUT", path_of(server, other["uploadUrl"]), content=b"x" * (MAX_BYTES + 1))
    assert (answer.status, answer.code) == (413, "BAD_REQUEST")
    assert answer.json["error"]["details"]["context"]["maxUploadBytes"] == 25 * 1024 * 1024
    assert server.request("GET", path_of(server, other["downloadUrl"])).status == 404


def test_an_upload_that_is_cut_off_leaves_nothing(server: Running) -> None:
    slot = presigned(server)
    path = path_of(server, slot["uploadUrl"])
    with server.connect() as connection:
        connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode())
        connection.sendall(b"Content-Length: 1000000\r\n\r\n" + b"x" * 300_000)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(30)
        while connection.recv(4096):
            pass
    assert server.request("GET", path_of(server, slot["downloadUrl"])).status == 404
    assert server.request("PUT", path, content=PNG).status == 200
    folder = server.state / "uploads/artifacts"
    assert not [file for file in folder.iterdir() if slot["artifactId"] in file.name and file.name.startswith(".")]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"taskId": "x"}, "taskId"), ({"taskId": None}, "taskId"), ({"kind": ""}, "kind"), ({"kind": "A B"}, "kind"),
        ({"contentType": "png"}, "contentType"), ({"contentType": "image/png\r\nx: y"}, "contentType"),
    ],
)  # fmt: skip
def test_a_bad_slot_is_named_by_its_field(change: Any, field: str, server: Running) -> None:
    body = {"taskId": new_task_id(), "kind": "screenshot", "contentType": "image/png", **change}
    answer = server.request("POST", "/api/artifacts/presign", json=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert [item["field"] for item in answer.json["error"]["details"]["fieldErrors"]] == [field]


def test_artifacts_may_lie_elsewhere(state: Path, project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with Running(state, project, env={"MIMO_ARTIFACTS_DIR": str(elsewhere)}) as server:
        slot = presigned(server)
        server.request("PUT", path_of(server, slot["uploadUrl"]), content=PNG)
        assert (elsewhere / slot["artifactId"]).read_bytes() == PNG
        assert (elsewhere.stat().st_mode & 0o777, (elsewhere / slot["artifactId"]).stat().st_mode & 0o777) == (
            0o700,
            0o600,
        )


def test_a_screenshot_goes_to_the_slot_that_came_with_its_action(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            running = acting(server, {"browser_screenshot": {"tabId": 123}}, taskId=await task_on(server, browser))
            action = await browser.action()
            path = path_of(server, action["screenshotPresignedUrl"])
            response = await asyncio.to_thread(server.request, "PUT", path, headers={}, content=PNG)
            assert response.status == 200
            result = {
                "artifactId": action["artifactId"],
                "url": response.json["data"]["downloadUrl"],
                "width": 1,
                "height": 1,
            }
            await browser.answer(action, result={**result, "screenshotUploaded": True})
            data = (await running).json["data"]["result"]
            shown = await asyncio.to_thread(server.request, "GET", path_of(server, data["url"]))
            assert shown.body == PNG

    asyncio.run(run())


def test_a_broken_head_does_not_open_an_upload(server: Running) -> None:
    slot = presigned(server)
    path = path_of(server, slot["uploadUrl"])
    with server.connect() as connection:
        connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: evil.com\r\nContent-Length: 0\r\n\r\n".encode())
        assert read_answer(connection).status == 403


def test_expired_artifacts_are_deleted_and_not_found(server: Running) -> None:
    slot = presigned(server)
    upload, download = path_of(server, slot["uploadUrl"]), path_of(server, slot["downloadUrl"])
    assert server.request("PUT", upload, content=PNG).status == 200
    with closing(sqlite3.connect(server.state / "browser/browser.db", timeout=20)) as rows, rows:
        rows.execute(
            "UPDATE browser_artifact SET upload_until = 1, kept_until = 1 WHERE artifact_id = ?", (slot["artifactId"],)
        )
    for answer in (server.request("PUT", upload, content=PNG), server.request("GET", download)):
        assert (answer.status, answer.code) == (410, "NOT_FOUND")
        assert answer.json["error"]["details"]["context"]["reason"] == "expired"
