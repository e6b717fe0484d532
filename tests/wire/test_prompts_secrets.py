"""Secret values of forms reach only the waiting program, and nothing that is stored or printed."""

import asyncio
import json
import stat
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.listener import listening
from tests.waiting import until
from tests.wire.clients import Client, Json, Start, run
from tests.wire.prompt_rig import PromptRig

SECRET = "correct horse battery staple"
FIELDS = [{"key": "user"}, {"key": "password", "secret": True}]
FORM = {"kind": "kv", "fields": FIELDS}
TYPED = {"status": "ok", "values": {"user": "ada", "password": SECRET}}


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


def asks(pool: ThreadPoolExecutor, client: Client, state: Path) -> tuple["Future[Json]", str]:
    """A form that an agent waits for, and its requestId."""
    answer = pool.submit(client.ok, "prompt_key_values", fields=FIELDS)
    listing = ("prompts", "list", "--json", "--state", state)
    pending = until(lambda: json.loads(run(*listing).stdout)["prompts"], "a question")
    return answer, pending[0]["requestId"]


def files_with(*folders: Path) -> list[str]:
    """The files that contain the secret."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [str(file) for file in files if SECRET.encode() in file.read_bytes()]


@pytest.mark.parametrize("face", ["stdio", "streamable", "api"])
def test_a_secret_reaches_the_agent_and_no_log_evidence_audit_or_output(
    start: Start, pool: ThreadPoolExecutor, own_project: Path, own_state: Path, face: str
) -> None:
    client = start(face, own_project, own_state)
    answer, request_id = asks(pool, client, own_state)
    result = run("prompts", "answer", request_id, "--ok", "--value", f"password={SECRET}", "--state", own_state)
    assert answer.result(30)["values"] == {"password": SECRET}
    assert result.returncode == 0
    assert SECRET not in result.stdout + result.stderr
    response = json.loads((own_state / "ui-prompts.jsonl").read_bytes().split(b"\n")[1])["response"]
    assert response == {"status": "ok", "values": {"password": "******"}}
    for command in (["audit", "show", "--json"], ["prompts", "list", "--json"]):
        assert SECRET not in run(*command, "--state", own_state).stdout
    assert files_with(own_state, own_project) == []


def test_only_the_owner_may_use_the_waiters_socket_which_is_removed_after_the_wait(
    start: Start, pool: ThreadPoolExecutor, own_project: Path, own_state: Path
) -> None:
    answer, request_id = asks(pool, start("stdio", own_project, own_state), own_state)
    folder = own_state / "waiters"
    (socket,) = folder.iterdir()
    assert stat.S_ISSOCK(socket.stat().st_mode)
    assert (stat.S_IMODE(socket.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    assert request_id not in socket.name
    assert "caller gone" not in run("prompts", "list", "--state", own_state).stdout
    assert run("prompts", "answer", request_id, "--cancel", "--state", own_state).returncode == 0
    assert answer.result(30)["status"] == "canceled"
    assert list(folder.iterdir()) == []


def test_without_a_waiter_the_mask_is_written_with_a_warning_on_stderr(own_state: Path, own_project: Path) -> None:
    rig = PromptRig(own_state, own_project)
    by_command, by_page = rig.create(FORM), rig.create(FORM)
    assert "(caller unknown)" in rig.command("list").stdout
    assert "not deliverable" in rig.command("show", by_command).stdout
    result = rig.command("answer", by_command, "--ok", "--value", f"password={SECRET}")
    assert (result.returncode, result.stdout) == (0, "Answered.\n")
    assert "password" in result.stderr
    (warning,) = rig.answer(by_page, TYPED).json["data"]["warnings"]
    assert "password" in warning
    for request_id in (by_command, by_page):
        assert rig.entries(request_id)[1]["response"]["values"]["password"] == "******"
    server_said = rig.close()
    assert warning in server_said
    assert SECRET not in result.stderr + warning + server_said
    assert files_with(own_state, own_project) == []


def test_no_secret_is_sent_to_pages(prompts: PromptRig) -> None:
    request_id = prompts.create(FORM)
    assert prompts.console

    async def told() -> Any:
        async with listening(prompts.server, headers=prompts.server.server_bearer) as page:
            await asyncio.to_thread(prompts.answer, request_id, TYPED)
            while True:
                news = await page.next("ui_prompts")
                if any(entry["requestId"] == request_id for entry in news["entries"]):
                    return news

    assert SECRET not in json.dumps(asyncio.run(told())) + json.dumps(prompts.list_prompts("all"))


@pytest.mark.parametrize("response", [{"user": 5, "password": SECRET}, {"user": "a", "password": SECRET, "x": "y"}])
def test_a_refusal_does_not_repeat_the_secret(prompts: PromptRig, response: Json) -> None:
    refused = prompts.answer(prompts.create(FORM), {"status": "ok", "values": response})
    assert refused.status == 400
    assert SECRET.encode() not in refused.body


def test_a_secret_can_not_be_asked_for_with_a_value_in_it(prompts: PromptRig) -> None:
    before = prompts.log()
    refused = prompts.ask({"kind": "kv", "fields": [{"key": "password", "secret": True, "default": SECRET}]})
    assert (refused.status, refused.code) == (400, "BAD_REQUEST")
    assert SECRET.encode() not in refused.body
    assert prompts.log() == before
