"""Other agents in the chat, over ACP and in the cage: the real Claude, and one that misbehaves on demand."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.model_server import serving
from tests.clients.real_clients import CLAUDE, PROGRAMS
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records
from tests.faces.http.running import Running
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.conftest import up
from tests.features.agent.server.scripted_acp import SOURCE

pytestmark = pytest.mark.anyio


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
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("acp")
    env = with_scripted_agent(folder)
    with up(folder / "state", folder / "project", None, **env) as running:
        yield running


async def test_the_agents_that_are_installed_can_be_chosen(house: Running) -> None:
    async with chatting(house) as chat:
        models = (await chat.ask("GET", "/api/agent/models")).json["data"]["models"]
        assert {"name": "agent:codex", "provider": "agent", "hasKey": True} in models


async def test_what_it_asks_permission_for_is_an_approval_and_a_yes_is_for_once(house: Running) -> None:
    async with chatting(house) as chat:
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
        shown = await chat.entries()
        used = [entry["tool"]["name"] for entry in shown["entries"] if entry.get("tool")]
        assert used == ["rm -rf build", "rm -rf build"]
    records = [each for each in audit_records(house.state) if each.get("tool") == "agent_permission"]
    assert [(each["event"], each.get("ok")) for each in records] == [("begin", None), ("end", True), ("end", False)]


async def test_a_plan_is_shown_and_garbage_is_skipped(house: Running) -> None:
    async with chatting(house) as chat:
        await chat.say("plan", model="agent:codex")
        await chat.rested()
        assert "- [x] Look\n- [ ] Do" in str([event.get("content") for event in chat.told("chatDelta")]).replace(
            "\\n", "\n"
        )
        await chat.say("garbage")
        assert (await chat.rested()).get("trouble", "") == ""
        assert chat.streamed == "I heard you."


async def test_an_agent_that_dies_says_so_and_the_next_words_start_another(house: Running) -> None:
    async with chatting(house) as chat:
        await chat.say("die", model="agent:codex")
        trouble = (await chat.rested()).get("trouble", "")
        assert "Codex stopped working" in trouble
        assert "out of luck" in trouble
        await chat.say("hello")
        assert (await chat.rested()).get("trouble", "") == ""


async def test_it_is_stopped_and_hears_the_next_words(house: Running) -> None:
    async with chatting(house) as chat:
        await chat.say("hang", model="agent:codex")
        await chat.of("chatDelta")
        refused = await chat.steer("pause")
        assert (refused.status, "can't be paused" in refused.json["error"]["message"]) == (409, True)
        assert (await chat.steer("stop")).status == 200
        assert (await chat.rested())["status"] == "ended"
        await chat.say("hello")
        await chat.rested()
        assert chat.streamed == "I heard you."


async def test_a_restart_says_that_the_agent_was_cut_off(tmp_path: Path) -> None:
    env = with_scripted_agent(tmp_path)
    with up(tmp_path / "state", tmp_path / "project", None, **env) as first:
        async with chatting(first) as chat:
            await chat.say("hang", model="agent:codex")
            await chat.of("chatDelta")
            task = chat.task
    with up(tmp_path / "state", tmp_path / "project", None, **env) as second:
        async with chatting(second, task) as chat:
            shown = await chat.look(lambda shown: shown["run"]["status"] == "waiting")
            assert "restarted while the agent worked" in shown["run"]["trouble"]


async def test_claude_works_in_its_cage_and_the_project_waits_for_review(tmp_path: Path) -> None:
    for name in ("state", "project", "home"):
        (tmp_path / name).mkdir()
    project = tmp_path / "project"
    (project / "hello.txt").write_text("hello\n")
    turns: list[Turn] = [
        Use("Write", {"file_path": str(project / "new.txt"), "content": "made\n"}),
        Use("Bash", {"command": "cat hello.txt new.txt", "description": "Look"}, expects="made"),
        Say("All done."),
    ]
    with serving(CLAUDE.wire(), turns) as model:
        env = {
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(tmp_path / "home"),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "sk-outside",
        }
        with up(tmp_path / "state", project, None, **env) as house:
            async with chatting(house) as chat:
                await chat.say("Make a file.", model="agent:claude")
                ended = await chat.rested()
                assert ended.get("trouble", "") == ""
                assert chat.streamed == "All done."
                used = [event["name"] for event in chat.told("toolUsed") if event["status"] == "success"]
                assert used == ["Write new.txt", "cat hello.txt new.txt"]
        assert not model.script.failures, model.script.failures
        assert {request.headers.get("x-api-key") for request in model.conversation} == {"sk-outside"}
    assert not (project / "new.txt").exists()
    assert list((tmp_path / "state/cages").glob("*/upper/new.txt"))
