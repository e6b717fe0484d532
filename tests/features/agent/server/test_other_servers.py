"""handrail's own agent uses MCP servers behind the gateway: a read passes, a change asks, both are on record."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.servers import audit_records
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.conftest import up
from tests.features.agent.server.model_server import Answer, ModelServer, Use, says
from tests.persons import HANDRAIL, without_presence

FILE_SERVER = Path(__file__).parents[3] / "peers/node_modules/.bin/mcp-server-filesystem"


@pytest.mark.trial("models", is_long=True)
def test_the_agent_reads_and_writes_through_a_real_server(tmp_path: Path, models: ModelServer) -> None:
    project, state, notes = tmp_path / "project", tmp_path / "state", tmp_path / "notes"
    for folder in (project, notes):
        folder.mkdir()
    (notes / "birds.txt").write_text("a heron\n")
    without_presence(state)
    words = ["servers", "add", "notes", "--yes", "--state", str(state), "--", str(FILE_SERVER), str(notes)]
    subprocess.run([HANDRAIL, *words], cwd=project, check=True, capture_output=True, timeout=120)
    models.script(
        "servers",
        Answer(("I look.",), (Use("notes__read_text_file", {"path": str(notes / "birds.txt")}),)),
        Answer(("I write.",), (Use("notes__write_file", {"path": str(notes / "new.txt"), "content": "a swan\n"}),)),
        says("Written."),
    )

    async def run() -> None:
        async with chatting(server) as chat:
            assert await chat.say("Note a swan.", model="openai-compatible:servers") == {"ok": True}
            question = await chat.question("notes")
            assert "a swan" in json.dumps(question)
            assert not (notes / "new.txt").exists()
            await chat.answer(question, status="ok")
            await chat.rested()
            assert chat.streamed == "Written."

    with up(state, project, models) as server:
        asyncio.run(run())
    assert (notes / "new.txt").read_text() == "a swan\n"
    request = json.dumps(models.requests["servers"][1], ensure_ascii=False)
    assert "a heron" in request
    assert "untrusted" in request
    calls = [each for each in audit_records(state) if str(each.get("tool", "")).startswith("notes.")]
    assert [(each["tool"], each["event"], each.get("ok")) for each in calls] == [
        ("notes.read_text_file", "end", True),
        ("notes.write_file", "begin", None),
        ("notes.write_file", "end", True),
    ]
