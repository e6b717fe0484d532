"""The programs, commands and log lines of docs/prompts.md work as shown."""

import asyncio
import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from handrail.features.people.cli.screen.texts import ENGLISH
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_queue import OWN_ORIGIN
from handrail.stores.local.prompt_store import prompt_store
from tests.faces.cli.machine import Machine

PAGE = (Path(__file__).parents[1] / "docs" / "prompts.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


async def answer_all(state: Path, responses: Sequence[dict[str, Any]]) -> list[str]:
    """Answers questions one after the other, and returns their titles."""
    queue, remaining, titles = LogPromptQueue(prompt_store(state)), list(responses), list[str]()
    async for page in queue.follow(0):
        for entry in page.entries:
            if isinstance(entry, RequestEntry):
                titles.append(str(entry.prompt.title))
                await queue.respond(entry.request_id, remaining.pop(0))
        if not remaining:
            break
    await queue.close()
    return titles


@pytest.mark.parametrize(
    ("program", "responses", "titles", "printed"),
    [
        (
            0,
            [{"status": "ok", "values": {"name": "Rain"}}, {"status": "ok", "selection": "open"}],
            ["A new chapter", "How does Rain end?"],
            "ok open\n",
        ),
        (1, [{"status": "ok"}], ["Chapter one is done"], "ok\n"),
    ],
)
async def test_the_programs_run(
    tmp_path: Path, program: int, responses: Sequence[dict[str, Any]], titles: list[str], printed: str
) -> None:
    environ = {**os.environ, "HANDRAIL_STATE": str(tmp_path / "state")}
    words = (sys.executable, "-c", blocks("python")[program])
    process = await asyncio.create_subprocess_exec(*words, env=environ, stdout=asyncio.subprocess.PIPE)
    assert await answer_all(tmp_path / "state", responses) == titles
    assert (await process.communicate())[0].decode() == printed


async def test_the_log_lines_on_the_page_are_valid(tmp_path: Path) -> None:
    (lines,) = blocks("jsonl")
    (tmp_path / "ui-prompts.jsonl").write_text(lines, encoding="utf-8")
    queue = LogPromptQueue(prompt_store(tmp_path))
    assert await queue.pending() == []
    assert (await queue.wait("q1")).response.selection == "open"
    await queue.close()


async def test_the_commands_on_the_page_work(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tmp_path / "state")
    queue = LogPromptQueue(prompt_store(machine.state))
    form = {"kind": "kv", "fields": [{"key": "name"}, {"key": "city"}]}
    await queue.request({"kind": "choice", "options": [{"value": "happy"}]}, request_id="q1")
    await queue.request({"kind": "file_change_confirm"}, request_id="q2")
    await queue.request(form, request_id="q3")
    await queue.request({"kind": "file_change_confirm"}, request_id="q4", origin=OWN_ORIGIN)
    about_an_app = {"app": "com.example.mail", "appName": "Mail", "tool": "send_email"}
    await queue.request({"kind": "file_change_confirm", "consent": about_an_app}, request_id="q5", origin=OWN_ORIGIN)
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("handrail ")]
    assert len(commands) == 10
    for command in commands:
        # A bundle's id differs each time, and parts belong to a real change: other tests cover these.
        if "bundle_" in command or "--part" in command or "--content" in command:
            continue
        result = machine.run(*shlex.split(command, comments=True)[1:])
        assert (result.status, result.err) == (0, ""), result
    assert await queue.pending() == []
    by = await queue.answered_by(["q1", "q2", "q3", "q4", "q5"])
    assert all(name.startswith("terminal:") for name in by.values())
    assert len(by) == 5
    await queue.close()


def test_the_bodies_are_json() -> None:
    bodies = re.findall(r"-d '(.*?)'", PAGE)
    assert bodies
    assert all(json.loads(body)["prompt"]["kind"] for body in bodies)


@pytest.mark.parametrize(
    "key", ["y", "t", "r", "R", "n", "a", "d", "e", "u", "p", "s", "Enter", "Esc", "Ctrl S", "PgDn"]
)
def test_every_key_is_in_the_table_and_in_the_help(key: str) -> None:
    assert f"`{key}`" in PAGE
    assert any(key in re.split(r"  | (?=\S+$)", keys) or key in keys.split() or keys == key for keys, _ in ENGLISH.help)
