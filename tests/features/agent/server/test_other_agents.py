"""Other agents in the chat, over ACP and in the cage: the real Claude, and one that misbehaves on demand."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.model_server import serving
from tests.clients.real_clients import CLAUDE, CODEX, GEMINI, PROGRAMS, RealClient
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records
from tests.faces.http.running import Running
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.conftest import up
from tests.features.agent.server.scripted_acp import SOURCE
from tests.waiting import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.trial("acp", is_long=True)]


def with_scripted_agent(folder: Path) -> dict[str, str]:
    """The environment of a server whose `codex-acp` is the scripted one."""
    for name in ("state", "project"):
        (folder / name).mkdir()
    program = folder / "home/.local/bin/codex-acp"
    program.parent.mkdir(parents=True)
    program.write_text(SOURCE)
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder / "home")}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("acp")
    env = with_scripted_agent(folder)
    with up(folder / "state", folder / "project", None, **env) as running:
        yield running


async def test_the_agents_that_are_installed_can_be_chosen(rig: Running) -> None:
    async with chatting(rig) as chat:
        models = (await chat.ask("GET", "/api/agent/models")).json["data"]["models"]
        assert {"name": "agent:codex", "provider": "agent", "hasKey": True} in models


async def test_its_permission_requests_become_approvals_for_one_call(rig: Running) -> None:
    async with chatting(rig) as chat:
        await chat.say("ask", model="agent:codex")
        question = await chat.question("rm -rf build")
        assert "Codex wants to" in str(question["prompt"])
        await chat.answer(question, status="ok")
        assert (await chat.rested()).get("trouble", "") == ""
        assert chat.streamed == "You chose once."
        await chat.say("ask")
        await chat.answer(await chat.question("rm -rf build"), status="canceled")
        await chat.rested()
        assert chat.streamed == "You chose no."
        view = await chat.entries()
        used = [entry for entry in view["entries"] if entry.get("tool")]
        assert [entry["tool"]["name"] for entry in used] == ["rm -rf build", "rm -rf build"]
        assert len({entry["id"] for entry in used} - {""}) == 2  # the console shows one row for each id
    records = [each for each in audit_records(rig.state) if each.get("tool") == "agent_permission"]
    assert [(each["event"], each.get("ok")) for each in records] == [("begin", None), ("end", True), ("end", False)]


async def test_a_plan_is_shown_and_garbage_is_skipped(rig: Running) -> None:
    async with chatting(rig) as chat:
        await chat.say("plan", model="agent:codex")
        await chat.rested()
        assert "- [x] Look\n- [ ] Do" in str([event.get("content") for event in chat.events_of("chatDelta")]).replace(
            "\\n", "\n"
        )
        await chat.say("garbage")
        assert (await chat.rested()).get("trouble", "") == ""
        assert chat.streamed == "I heard you."


async def test_it_does_not_begin_to_act_where_a_plan_was_asked_for(rig: Running) -> None:
    async with chatting(rig) as chat:
        await chat.say("ask", model="agent:codex", mode="plan")
        assert "Choose Act" in (await chat.rested())["trouble"]
        assert chat.events_of("toolUsed") == []


async def test_a_crashed_agent_is_reported_and_the_next_message_starts_another(rig: Running) -> None:
    async with chatting(rig) as chat:
        await chat.say("die", model="agent:codex")
        trouble = (await chat.rested()).get("trouble", "")
        assert "Codex stopped working" in trouble
        assert "out of luck" in trouble
        await chat.say("hello")
        assert (await chat.rested()).get("trouble", "") == ""


async def test_it_is_stopped_and_hears_the_next_words(rig: Running) -> None:
    async with chatting(rig) as chat:
        await chat.say("hang", model="agent:codex")
        await chat.of("chatDelta")
        refused = await chat.steer("pause")
        assert (refused.status, "can't be paused" in refused.json["error"]["message"]) == (409, True)
        assert (await chat.steer("stop")).status == 200
        assert (await chat.rested())["status"] == "ended"
        await chat.say("hello")
        await chat.rested()
        assert chat.streamed == "I heard you."


async def test_after_a_restart_the_agent_is_shown_as_interrupted(tmp_path: Path) -> None:
    env = with_scripted_agent(tmp_path)
    with up(tmp_path / "state", tmp_path / "project", None, **env) as first:
        async with chatting(first) as chat:
            await chat.say("hang", model="agent:codex")
            await chat.of("chatDelta")
            task = chat.task
    with up(tmp_path / "state", tmp_path / "project", None, **env) as second:
        async with chatting(second, task) as chat:
            view = await chat.look(lambda view: view["run"]["status"] == "waiting")
            assert "restarted while the agent was working" in view["run"]["trouble"]


async def test_a_server_that_is_killed_leaves_no_agent_behind(tmp_path: Path) -> None:
    env = with_scripted_agent(tmp_path)
    state = str(tmp_path / "state").encode()
    with up(tmp_path / "state", tmp_path / "project", None, **env) as running:
        async with chatting(running) as chat:
            await chat.say("deaf", model="agent:codex")
            await chat.of("chatDelta")
            assert len(_processes_naming(state)) > 1
            os.kill(running.process.pid, signal.SIGKILL)
            await eventually(lambda: not _processes_naming(state), lambda: _processes_naming(state))


def _processes_naming(text: bytes) -> list[str]:
    matches = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = file.read_bytes()
            if text in words:
                matches.append(words.replace(b"\0", b" ").decode())
    return matches


@dataclass(frozen=True, slots=True)
class Worker:
    """A real agent, what its model says, and what the chat shows of the calls and of a plan."""

    client: RealClient
    environment: Mapping[str, str]
    key_header: str
    turns: Callable[[Path], list[Turn]]
    shown: Sequence[str]
    plan: str = ""
    printed: str = "hello\nmade"


def _claude(project: Path) -> list[Turn]:
    return [
        Use("Write", {"file_path": str(project / "new.txt"), "content": "made\n"}),
        Use("Bash", {"command": "cat hello.txt new.txt", "description": "Look"}, expects="made"),
        Say("All done."),
    ]


def _gemini(project: Path) -> list[Turn]:
    return [
        Use("write_file", {"file_path": str(project / "new.txt"), "content": "made\n"}),
        Use("run_shell_command", {"command": "cat hello.txt new.txt"}, expects="made"),
        Say("All done."),
    ]


def _codex(project: Path) -> list[Turn]:
    plan = {"plan": [{"step": "Make it", "status": "completed"}, {"step": "Look", "status": "pending"}]}
    return [
        Use("update_plan", plan),
        Use("exec_command", {"cmd": "echo made > new.txt; cat hello.txt new.txt"}, expects="made"),
        Say("All done."),
    ]


WORKERS = (
    Worker(
        CLAUDE,
        {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "sk-outside"},
        "x-api-key",
        _claude,
        ["Write new.txt", "cat hello.txt new.txt"],
    ),
    Worker(
        GEMINI,
        {"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "sk-outside"},
        "x-goog-api-key",
        _gemini,
        ["Writing to new.txt", "cat hello.txt new.txt"],
        printed="",  # it doesn't pass on what a command prints
    ),
    Worker(
        CODEX,
        {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "sk-outside"},
        "authorization",
        _codex,
        ["echo made > new.txt; cat hello.txt new.txt"],
        "- [x] Make it\n- [ ] Look",
    ),
)


@pytest.mark.parametrize("worker", WORKERS, ids=lambda worker: worker.client.name)
async def test_a_real_agent_works_in_its_cage_and_the_project_waits_for_review(worker: Worker, tmp_path: Path) -> None:
    for name in ("state", "project", "home"):
        (tmp_path / name).mkdir()
    project = tmp_path / "project"
    (project / "hello.txt").write_text("hello\n")
    with serving(worker.client.wire(), worker.turns(project)) as model:
        keys = {name: value.format(url=model.url) for name, value in worker.environment.items()}
        env = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"), **keys}
        with up(tmp_path / "state", project, None, **env) as rig:
            async with chatting(rig) as chat:
                await chat.say("Make a file.", model=f"agent:{worker.client.name}")
                last = await chat.rested()
                assert last.get("trouble", "") == ""
                used = [event["name"] for event in chat.events_of("toolUsed") if event["status"] == "success"]
                assert chat.streamed == "All done."
                assert used == list(worker.shown)
                assert chat.events_of("toolUsed")[-1].get("text", "").strip() == worker.printed
                assert worker.plan in [event.get("content") for event in chat.events_of("chatDelta")] or not worker.plan
        assert not model.script.failures, model.script.failures
        headers = [{name.lower(): value for name, value in each.headers.items()} for each in model.conversation]
        assert all("sk-outside" in each[worker.key_header] for each in headers)
    assert not (project / "new.txt").exists()
    (made,) = (tmp_path / "state/cages").glob("*/upper/new.txt")
    assert made.read_text() == "made\n"
