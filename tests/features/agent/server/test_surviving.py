"""The server is killed during a run: the next one continues it, and no call runs twice (real processes)."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import audit_records, snapshots
from tests.faces.http.running import Running
from tests.features.agent.server.chat import Chat, chatting
from tests.features.agent.server.conftest import ALLOWED, up
from tests.waiting import PATIENCE
from tests.wire.clients import run as run_command

WRITE = {"path": "a.txt", "content": "written\n", "mode": "append"}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.json"


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    state, project = tmp_path / "state", tmp_path / "project"
    for folder in (state, project):
        folder.mkdir()
    (state / "config.toml").write_text(ALLOWED)
    return state, project


def kill(server: Running) -> None:
    server.process.kill()
    server.process.communicate(timeout=PATIENCE)


def ends(state: Path, tool: str) -> list[dict[str, Any]]:
    return [one for one in audit_records(state) if one.get("tool") == tool and one["event"] == "end"]


def both(**more: Any) -> list[dict[str, Any]]:
    """A write and its dry run."""
    return [{"name": "write_to_file", "arguments": {**WRITE, **more, "dryRun": is_dry}} for is_dry in (True, False)]


def turn(text: str, uses: Sequence[dict[str, Any]] = (), seconds: float = 0) -> dict[str, Any]:
    return {"text": text, "uses": uses, "seconds": seconds}


def say(script: Path, *turns: dict[str, Any]) -> None:
    script.write_text(json.dumps({"turns": turns}))


async def written(chat: Chat) -> None:
    """The outcome of the write is on disk, and the model thinks about it."""
    await chat.look(
        lambda view: [one["tool"]["status"] for one in view["entries"] if "tool" in one] == ["success", "success"]
    )


async def gone_on(server: Running, task: str) -> Chat:
    """The task after its run has come to rest."""
    async with chatting(server, task) as chat:
        await chat.look(lambda view: view["run"]["status"] != "running")
        return chat


@pytest.mark.trial("models", is_long=True)
def test_a_run_resumes_before_the_interrupted_reply_and_keeps_finished_calls(
    place: tuple[Path, Path], script: Path
) -> None:
    """Killed while the model thinks, between the outcome and the next reply."""

    async def before(server: Running) -> str:
        async with chatting(server) as chat:
            await chat.say("Write", model=f"script:{script}")
            await written(chat)
            return chat.task

    async def after(server: Running, task: str) -> None:
        chat = await gone_on(server, task)
        entries = await chat.entries()
        assert [entry["kind"] for entry in entries["entries"]] == ["user", "assistant", "tool", "tool", "assistant"]
        assert entries["entries"][-1]["text"] == "It is written."
        messages = (await chat.ask("GET", f"/api/task/{task}")).json["data"]["messages"]
        assert [message["content"] for message in messages] == ["Write", "I write.", "It is written."]

    state, project = place
    say(script, turn("I write.", both()), turn("lost", seconds=600))
    with up(state, project) as server:
        task = asyncio.run(before(server))
        kill(server)
    say(script, turn("I write.", both()), turn("It is written."))
    with up(state, project) as server:
        asyncio.run(after(server, task))
        server.stop()
    assert (project / "a.txt").read_text() == "written\n"
    assert len(snapshots(project)) == 1
    assert [one["ok"] for one in ends(state, "write_to_file")] == [True, True]
    page = project.parent / "report.html"
    reported = run_command("report", task, "-o", page, "--project", project, "--state", state)
    assert reported.returncode == 0, reported.stderr
    story = page.read_text()
    assert all(words in story for words in ("I write.", "It is written.", "write_to_file", "agent:script"))


def test_pending_approvals_survive_a_kill_and_can_still_be_answered(place: tuple[Path, Path], script: Path) -> None:
    """Killed before a call was carried out, which had not begun and is done now; and while a question was open."""

    async def before(server: Running) -> tuple[str, str, str]:
        async with chatting(server) as writing, chatting(server) as asking:
            await writing.say("Write", model=f"script:{script}")
            await asking.say("Ask me", model=f"script:{asks}")
            await writing.question("asked/a.txt")
            return writing.task, asking.task, (await asking.question("Which one?"))["requestId"]

    async def after(server: Running, to_write: str, to_ask: str, request_id: str) -> None:
        async with chatting(server, to_write) as writing, chatting(server, to_ask) as asking:
            assert (await asking.question("Which one?"))["requestId"] == request_id
            await asking.say("the blue one")
            await asking.rested()
            assert asking.streamed == "Good."
            await writing.answer(await writing.question("asked/a.txt"), status="ok")
            await gone_on(server, to_write)
            assert (await writing.ask("GET", "/api/prompts?state=pending")).json["data"]["entries"] == []

    state, project = place
    asks = script.with_name("asks.json")
    question = {"name": "ask_followup_question", "arguments": {"question": "Which one?"}}
    say(asks, turn("", [question]), turn("Good."))
    say(script, turn("", both(path="asked/a.txt")), turn("Done."))
    with up(state, project) as server:
        waiting = asyncio.run(before(server))
        kill(server)
    with up(state, project) as server:
        asyncio.run(after(server, *waiting))
    assert (project / "asked/a.txt").read_text() == "written\n"
    assert len(snapshots(project)) == 1


def cut_off(place: tuple[Path, Path], script: Path, meanwhile: Callable[[Path], None]) -> tuple[str, Any]:
    """Killed while a write was under way: its beginning is on record, its end is not. How the task stands then."""

    async def before(server: Running) -> str:
        async with chatting(server) as chat:
            await chat.say("Write", model=f"script:{script}")
            await written(chat)
            return chat.task

    async def after(server: Running, task: str) -> tuple[str, Any]:
        async with chatting(server, task) as chat:
            view = await chat.look(lambda view: view["run"]["status"] in ("paused", "waiting"))
            if view["run"]["status"] == "paused":
                await chat.steer("resume")
                await chat.rested()
            return (await chat.entries())["entries"][-1]["text"], view

    state, project = place
    say(script, turn("", both()), turn("lost", seconds=600))
    with up(state, project) as server:
        task = asyncio.run(before(server))
        kill(server)
    forget_the_end(state)
    meanwhile(project / "a.txt")
    say(script, turn("", both()), turn("I look first."))
    with up(state, project) as server:
        return asyncio.run(after(server, task))


def test_a_write_whose_file_has_the_approved_content_is_known_to_be_done(
    place: tuple[Path, Path], script: Path
) -> None:
    last, view = cut_off(place, script, lambda file: None)
    assert last == "I look first."
    assert not view["run"].get("trouble")
    assert any("exactly the content that was approved" in entry["text"] for entry in view["entries"])
    assert len(snapshots(place[1])) == 1


@pytest.mark.trial("models", is_long=True)
def test_an_interrupted_write_to_a_file_changed_since_is_unknown_and_not_repeated(
    place: tuple[Path, Path], script: Path
) -> None:
    def edit(file: Path) -> None:
        file.write_text("a person's\n")

    last, view = cut_off(place, script, edit)
    assert "interrupted during write_to_file" in view["run"]["trouble"]
    told = next(entry for entry in reversed(view["entries"]) if entry.get("tool"))
    assert told["tool"]["status"] == "error"
    assert "it may have been done, or not" in told["text"]
    assert last == "I look first."
    assert (place[1] / "a.txt").read_text() == "a person's\n"


def forget_the_end(state: Path) -> None:
    """The state as it is when the process dies between the write and its last record: cut back by that record."""
    log = state / "audit/log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])
    assert (last["tool"], last["event"]) == ("write_to_file", "end")
    data = [line for line in lines if json.loads(line).get("executionId") != last["executionId"] or b'"begin"' in line]
    log.write_bytes(b"".join(data))
    with sqlite3.connect(state / "browser/browser.db") as rows:
        query = "SELECT number, turn FROM conversation WHERE kind = 'tool'"
        turns = [(number, json.loads(turn)) for number, turn in rows.execute(query)]
        outcome = [number for number, turn in turns if turn.get("execution_id") == last["executionId"]]
        rows.execute("DELETE FROM conversation WHERE number = ?", outcome)


def test_whenever_it_is_killed_during_a_write_nothing_is_written_twice(place: tuple[Path, Path], script: Path) -> None:
    """Killed as soon as a page hears that a write begins: how far it has come then is chance, what counts is not."""
    state, project = place
    names = [f"file{number}.txt" for number in range(4)]
    say(script, turn("", [use for name in names for use in both(path=name)]), turn("All written."))

    async def until_killed(server: Running, task: str | None, beginning: bool) -> str:
        async with chatting(server, task) as chat:
            if beginning:
                await chat.say("Write", model=f"script:{script}")
                await chat.until(lambda event: event.get("effect") == "WRITE")
            else:
                await chat.steer("resume")
            kill(server)
            return chat.task

    async def to_the_end(server: Running, task: str) -> list[dict[str, Any]]:
        async with chatting(server, task) as chat:
            view = await chat.look(lambda view: view["run"]["status"] != "running")
            if view["run"]["status"] == "paused":
                await chat.steer("resume")
                view = await chat.look(lambda view: view["run"]["status"] == "waiting")
            return list(view["entries"])

    task: str | None = None
    for _ in range(2):
        with up(state, project) as server:
            task = asyncio.run(until_killed(server, task, beginning=task is None))
    assert task is not None
    with up(state, project) as server:
        entries = asyncio.run(to_the_end(server, task))
    assert entries[-1]["text"] == "All written."
    for entry in entries:
        if "tool" in entry and entry["tool"]["effect"] == "WRITE":
            file = project / entry["tool"]["arguments"]["path"]
            text = file.read_text() if file.exists() else ""
            assert text in (["written\n"] if entry["tool"]["status"] == "success" else ["", "written\n"])
